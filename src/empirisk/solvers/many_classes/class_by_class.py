"""One-versus-rest by a method for two classes: K problems that share their data, in one state."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.protocols import Matrix, Progress, Vector

BEHIND = 0.1  # of the largest relative gap: classes that have less wait for the others


class ClassStates(NamedTuple):
    """Where the method stands with each class."""

    problems: tuple[Any, ...]
    states: tuple[Any, ...]


def begin(method: Any, problem: Any, w: Matrix, b: Vector) -> ClassStates:
    """Start each class at its row of the weights."""
    problems = tuple(problem.of_class(j) for j in range(problem.n_classes))
    starts = zip(problems, w, b, strict=True)
    return ClassStates(problems, tuple(method.init(one, row.copy(), float(b_j)) for one, row, b_j in starts))


def advance(method: Any, state: ClassStates) -> ClassStates:
    """A step for each class that is not far ahead of the others."""
    said = [method.progress(*pair) for pair in zip(*state, strict=True)]
    limit = BEHIND * max((_relative(one) for one in said if not one.stalled), default=0.0)
    return state._replace(
        states=tuple(
            inner if one.stalled or _relative(one) < limit else method.step(problem, inner)
            for problem, inner, one in zip(*state, said, strict=True)
        )
    )


def point_of(method: Any, state: ClassStates) -> tuple[Matrix, Vector, Matrix | None]:
    """Weights (K x d), intercepts and, where the method has one, the dual point (n x K)."""
    points = [method.point(inner) for inner in state.states]
    weights, intercepts = np.array([point[0] for point in points]), np.array([point[1] for point in points])
    return weights, intercepts, None if points[0][2] is None else np.column_stack([point[2] for point in points])


def progress_of(method: Any, state: ClassStates) -> Progress:
    """The gap as if all had the largest relative one: each must be small. A visit for one class is 1/K of a visit."""
    said = [method.progress(*pair) for pair in zip(*state, strict=True)]
    objective = sum(one.objective for one in said)
    gap = max(_relative(one) for one in said) * abs(objective)
    return Progress(float(np.mean([one.passes for one in said])), objective, gap, all(one.stalled for one in said))


def _relative(said: Progress) -> float:
    return said.gap / max(abs(said.objective), np.finfo(float).tiny)
