"""One-versus-rest by a method for two classes: K problems that share their data, in one state."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import optional
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.several_targets import SeveralTargets
from empirisk.protocols import Progress, Solver
from empirisk.solvers.derived_problems import made_once

BEHIND = 0.1  # of the largest relative gap: classes that have less wait for the others


class ClassStates(NamedTuple):
    """Where the method stands with each class."""

    states: tuple[Any, ...]  # of the method, one a class


class ClassByClass(NamedTuple):
    """A method for one score a row, on each of the K problems that one-versus-rest or several targets fall apart into.

    Classes that are far ahead wait for the others. A visit of a row for one class is 1/K of a visit.
    """

    method: Solver  # of problems with one score a row

    @property
    def needs(self) -> tuple[str, ...]:
        """Nothing besides: what the method needs is asked of the problem of a class."""
        return ()

    def has_own_rule(self) -> bool:
        """Whether the method has."""
        own = optional(self.method, "has_own_rule")
        return own is not None and bool(own())

    def init(self, problem: MulticlassRisk | SeveralTargets, point: LinearPoint) -> ClassStates:
        """Start each class at its row of the weights."""
        starts = (LinearPoint(row.copy(), float(b)) for row, b in zip(point.weights, point.intercept, strict=True))
        pairs = zip(_problems(problem), starts, strict=True)
        return ClassStates(tuple(self.method.init(*pair) for pair in pairs))

    def step(self, problem: MulticlassRisk | SeveralTargets, state: ClassStates) -> ClassStates:
        """A step for each class that is not far ahead of the others."""
        said = self._said(problem, state)
        limit = BEHIND * max((_relative(one) for one in said if not _is_over(one)), default=0.0)
        return state._replace(
            states=tuple(
                inner if _is_over(one) or _relative(one) < limit else self.method.step(part, inner)
                for part, inner, one in zip(_problems(problem), state.states, said, strict=True)
            )
        )

    def point(self, state: ClassStates) -> LinearPoint:
        """Weights (K x d), intercepts and, where the method has one, the dual point of each class."""
        points = [self.method.point(inner) for inner in state.states]
        duals = [point.dual for point in points]
        dual = None if any(column is None for column in duals) else tuple(duals)
        weights, intercepts = (np.array([point[k] for point in points]) for k in (0, 1))
        return LinearPoint(weights, intercepts, dual)

    def progress(self, problem: MulticlassRisk | SeveralTargets, state: ClassStates) -> Progress:
        """The gap as if all had the largest relative one: each must be small."""
        said = self._said(problem, state)
        objective = sum(one.objective for one in said)
        return Progress(
            passes=float(np.mean([one.passes for one in said])),
            objective=objective,
            gap=float(np.max([_relative(one) for one in said])) * abs(objective),
            stalled=all(map(_is_over, said)) and not all(one.ending for one in said),
            ending=said[0].ending if all(one.ending for one in said) else "",
            is_sure=all(one.is_sure for one in said),
        )

    def further(self, problem: MulticlassRisk | SeveralTargets, state: ClassStates) -> ClassStates | None:
        """The next solver of the method's chain for the classes that are over; None where none of them has another."""
        go_on = optional(self.method, "further")
        if go_on is None:
            return None
        parts = zip(_problems(problem), state.states, self._said(problem, state), strict=True)
        others = [go_on(part, inner) if _is_over(one) else None for part, inner, one in parts]
        if all(other is None for other in others):
            return None
        kept = zip(others, state.states, strict=True)
        return state._replace(states=tuple(inner if other is None else other for other, inner in kept))

    def account(self, state: ClassStates) -> str:
        """That of the class for which the most methods were tried."""
        own = optional(self.method, "account")
        return "" if own is None else str(max((own(inner) for inner in state.states), key=len))

    def _said(self, problem: MulticlassRisk | SeveralTargets, state: ClassStates) -> list[Progress]:
        pairs = zip(_problems(problem), state.states, strict=True)
        return [self.method.progress(*pair) for pair in pairs]


@made_once
def _problems(problem: MulticlassRisk | SeveralTargets) -> tuple[EmpiricalRisk, ...]:
    return tuple(problem.of_class(j) for j in range(problem.n_classes))


def _is_over(said: Progress) -> bool:
    return said.stalled or bool(said.ending)


def _relative(said: Progress) -> float:
    """In size: rounding may leave an estimate below zero, and a class would wait for itself."""
    return abs(said.gap) / max(abs(said.objective), np.finfo(float).tiny)
