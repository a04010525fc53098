"""A solver that works in units in which the numbers of a problem are about one."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.capabilities import optional
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.units import Units, units_of
from empirisk.protocols import Progress, Solver
from empirisk.solvers.derived_problems import made_once


class InUnitsState(NamedTuple):
    """The units, and where the solver stands in them."""

    units: Units | None  # None where they are one
    inner: Any


class InUnits(NamedTuple):
    """The solver, run on the problem in its own units: powers of two in the data change no digit of what it finds.

    It is for `solver="auto"`: a solver that is asked for by name may have parameters in the units of the data.
    """

    solver: Solver

    @property
    def needs(self) -> tuple[str, ...]:
        """Those of the solver."""
        return self.solver.needs

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> InUnitsState:
        """That of the solver, at the point in these units."""
        own = _own_units(problem)
        if own is None:
            return InUnitsState(None, self.solver.init(problem, point))
        return InUnitsState(own.units, self.solver.init(own.problem, own.units.into(point)))

    def step(self, problem: EmpiricalRisk, state: InUnitsState) -> InUnitsState:
        """That of the solver."""
        return state._replace(inner=self.solver.step(_inside(problem), state.inner))

    def point(self, state: InUnitsState) -> LinearPoint:
        """That of the solver, as one of the problem as it was given."""
        found: LinearPoint = self.solver.point(state.inner)
        return found if state.units is None else state.units.back(found)

    def progress(self, problem: EmpiricalRisk, state: InUnitsState) -> Progress:
        """That of the solver, in the units of the problem as it was given."""
        at: Progress = self.solver.progress(_inside(problem), state.inner)
        if state.units is None:
            return at
        return at._replace(objective=state.units.value(at.objective), gap=state.units.value(at.gap))

    def further(self, problem: EmpiricalRisk, state: InUnitsState) -> InUnitsState | None:
        """Another method that goes on where this one can do no more, where the solver knows one."""
        own = optional(self.solver, "further")
        found = None if own is None else own(_inside(problem), state.inner)
        return None if found is None else state._replace(inner=found)

    def account(self, state: InUnitsState) -> str:
        """What the solver has to say of its run."""
        own = optional(self.solver, "account")
        return "" if own is None else str(own(state.inner))


_own_units = made_once(units_of)


def _inside(problem: EmpiricalRisk) -> EmpiricalRisk:
    """The problem in its own units."""
    own = _own_units(problem)
    return problem if own is None else own.problem
