"""A solver that takes a problem without its constraint, which often does not bind."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import project
from empirisk.protocols import Progress, Solver
from empirisk.solvers.derived_problems import made_once


class RelaxedState(NamedTuple):
    """Where the solver stands, and the allowed point nearest to it."""

    inner: Any
    point: LinearPoint


class Relaxed(NamedTuple):
    """Minimise without the constraint: a minimiser that it allows is that of the problem itself.

    Its points are the nearest allowed ones, and the certificate, which is about the problem as it was given, decides.
    It is for `solver="auto"`, where solvers for the constraint get nowhere.
    """

    solver: Solver

    @property
    def needs(self) -> tuple[str, ...]:
        """Nothing of the problem as it was given; those of the solver are asked of the one without the constraint."""
        return ()

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> RelaxedState:
        """That of the solver."""
        return self._projected(problem, self.solver.init(_free(problem), point))

    def step(self, problem: EmpiricalRisk, state: RelaxedState) -> RelaxedState:
        """That of the solver."""
        return self._projected(problem, self.solver.step(_free(problem), state.inner))

    def point(self, state: RelaxedState) -> LinearPoint:
        """Inside the constraint, with the dual point of the solver."""
        return state.point

    def progress(self, problem: EmpiricalRisk, state: RelaxedState) -> Progress:
        """That of the solver: where the constraint binds it says too much, and the driver finds out."""
        return self.solver.progress(_free(problem), state.inner)

    def _projected(self, problem: EmpiricalRisk, inner: Any) -> RelaxedState:
        found: LinearPoint = self.solver.point(inner)
        return RelaxedState(inner, found._replace(weights=project(problem, found.weights)))


_free = made_once(EmpiricalRisk.without_constraint)
