"""The limited-memory BFGS method for many classes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.problems.multiclass_passes import MulticlassGradient, gradient
from empirisk.problems.passes import Gradient
from empirisk.protocols import Progress, Vector
from empirisk.solvers.lbfgs import ARMIJO, LBFGS, MOST_TRIALS, WOLFE, LBFGSState, _apply_inverse
from empirisk.solvers.multiclass_newton import as_point, from_point, mean_row_norm, smooth_progress

Matrix = NDArray[np.float64]


class MulticlassLBFGSState(NamedTuple):
    """The state of `lbfgs.py`, whose x is the point of all classes as one vector."""

    inner: LBFGSState
    mean_norm: float  # of the rows


class MulticlassLBFGS(NamedTuple):
    """Quasi-Newton steps on all classes together; pairs and line search as in `lbfgs.py`.

    References: Liu and Nocedal (1989); Lewis and Overton (2013) for the line search.
    """

    memory: int = 10

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.gradient", "no kinks", "l2 > 0", "l2 alone")

    def init(self, problem: Any, w: Matrix, b: Vector) -> MulticlassLBFGSState:
        """Evaluate the start."""
        scores = np.empty((problem.design.n_rows(), problem.n_classes))
        x = as_point(w, b)
        at = gradient(problem, x, scores)
        inner = LBFGSState(x.ravel(), _packed(at), at.slope.ravel(), (), (), scores, 1.0, False)
        return MulticlassLBFGSState(inner, mean_row_norm(problem))

    def step(self, problem: Any, state: MulticlassLBFGSState) -> MulticlassLBFGSState:
        """One direction and one line search for the weak Wolfe conditions."""
        inner = state.inner
        p = -_apply_inverse(inner)
        slope = float(inner.flat @ p)
        if not slope < 0.0:  # rounding spoiled the pairs: forget them
            inner = inner._replace(steps=(), changes=())
            p, slope = -inner.flat, -float(inner.flat @ inner.flat)
        objective = inner.gradient.objective
        t = 1.0 if inner.steps else min(1.0, 1.0 / max(math.sqrt(-slope), np.finfo(float).tiny))
        low, high, passes = 0.0, math.inf, inner.passes
        for _ in range(MOST_TRIALS):
            x = inner.x + t * p
            at = gradient(problem, x.reshape(-1, problem.n_classes), inner.scores)
            passes += 1.0
            if not at.objective <= objective + ARMIJO * t * slope + 1e-15 * abs(objective):
                high = t
            elif float(at.slope.ravel() @ p) < WOLFE * slope:
                low = t
            else:
                return state._replace(inner=LBFGS(self.memory)._accept(inner, x, _packed(at), passes))
            t = 0.5 * (low + high) if math.isfinite(high) else 2.0 * t
        return state._replace(inner=inner._replace(passes=passes, stalled=True))

    def point(self, state: MulticlassLBFGSState) -> tuple[Matrix, Vector, None]:
        """The iterate; the dual point follows from it."""
        return (*from_point(state.inner.x.reshape(-1, state.inner.scores.shape[1])), None)

    def progress(self, problem: Any, state: MulticlassLBFGSState) -> Progress:
        """The gap of the penalised part is ||grad||^2 / (2 l2)."""
        inner = state.inner
        at = MulticlassGradient(inner.gradient.objective, inner.flat.reshape(-1, problem.n_classes))
        return smooth_progress(problem, at, state.mean_norm, inner.passes, inner.stalled)


def _packed(at: MulticlassGradient) -> Gradient:
    """As `lbfgs.py` keeps it: one vector whose last coordinate stands apart."""
    flat = at.slope.ravel()
    return Gradient(at.objective, flat[:-1], float(flat[-1]))
