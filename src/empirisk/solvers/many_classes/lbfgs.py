"""The limited-memory BFGS method for many classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.multiclass_passes import MulticlassGradient, as_point, from_point, gradient
from empirisk.protocols import Matrix, Progress, Vector
from empirisk.solvers.many_classes.newton import mean_row_norm, smooth_progress
from empirisk.solvers.steps.quasi_newton import QuasiNewtonState, advance, begin


class MulticlassLBFGSState(NamedTuple):
    """The point of all classes is one vector."""

    core: QuasiNewtonState
    scores: Matrix  # a buffer
    mean_norm: float  # of the rows


class MulticlassLBFGS(NamedTuple):
    """Quasi-Newton steps on all classes together.

    References: Liu and Nocedal (1989); Lewis and Overton (2013) for the line search.
    """

    memory: int = 10

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.gradient", "no kinks", "l2 alone")

    def init(self, problem: Any, point: LinearPoint) -> MulticlassLBFGSState:
        """Evaluate the start."""
        w, b = point.weights, point.intercept
        scores, x = np.empty((problem.design.n_rows(), problem.n_classes)), as_point(w, b).ravel()
        return MulticlassLBFGSState(begin(x, *_evaluate(problem, scores, x)), scores, mean_row_norm(problem))

    def step(self, problem: Any, state: MulticlassLBFGSState) -> MulticlassLBFGSState:
        """One direction and one line search."""
        core = advance(state.core, lambda x: _evaluate(problem, state.scores, x), self.memory)
        return state._replace(core=core)

    def point(self, state: MulticlassLBFGSState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint(*from_point(state.core.x.reshape(-1, state.scores.shape[1])))

    def progress(self, problem: Any, state: MulticlassLBFGSState) -> Progress:
        """The gap of the penalised part is ||grad||^2 / (2 l2)."""
        core = state.core
        at = MulticlassGradient(core.objective, core.slope.reshape(-1, problem.n_classes))
        x = core.x.reshape(-1, problem.n_classes)
        return smooth_progress(problem, at, x, state.mean_norm, core.passes, core.stalled)


def _evaluate(problem: Any, scores: Matrix, x: Vector) -> tuple[float, Vector]:
    at = gradient(problem, x.reshape(-1, problem.n_classes), scores)
    return at.objective, at.slope.ravel()
