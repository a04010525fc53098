"""The limited-memory BFGS method."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.problems.passes import Gradient, gradient
from empirisk.protocols import Progress, Vector
from empirisk.solvers.newton import smooth_progress

ARMIJO, WOLFE = 1e-4, 0.9
MOST_TRIALS = 40


class LBFGSState(NamedTuple):
    """Where the method stands; the intercept is the last coordinate of x, gradients and pairs."""

    x: Vector
    gradient: Gradient
    flat: Vector  # the gradient as one vector
    steps: tuple[Vector, ...]  # the newest last
    changes: tuple[Vector, ...]  # of the gradient
    scores: Vector
    passes: float
    stalled: bool


class LBFGS(NamedTuple):
    """Quasi-Newton steps from the last `memory` pairs of step and gradient change.

    A step is accepted when it satisfies the weak Wolfe conditions, found by bisection.
    References: Liu and Nocedal (1989); Lewis and Overton (2013) for the line search.
    """

    memory: int = 10

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "no kinks", "l2 alone")

    def init(self, problem: Any, w: Vector, b: float) -> LBFGSState:
        """Evaluate the start."""
        scores = np.empty(problem.design.n_rows())
        at = gradient(problem, w, b, scores)
        return LBFGSState(np.append(w, b), at, _flat(at), (), (), scores, 1.0, False)

    def step(self, problem: Any, state: LBFGSState) -> LBFGSState:
        """One direction and one line search."""
        p = -_apply_inverse(state)
        slope = float(state.flat @ p)
        if not slope < 0.0:  # rounding spoiled the pairs: forget them
            state = state._replace(steps=(), changes=())
            p, slope = -state.flat, -float(state.flat @ state.flat)
        noise = 1e-15 * abs(state.gradient.objective)
        t = 1.0 if state.steps else min(1.0, 1.0 / max(math.sqrt(-slope), np.finfo(float).tiny))
        low, high, passes = 0.0, math.inf, state.passes
        for _ in range(MOST_TRIALS):
            x = state.x + t * p
            at = gradient(problem, x[:-1], float(x[-1]), state.scores)
            passes += 1.0
            if not at.objective <= state.gradient.objective + ARMIJO * t * slope + noise:
                high = t
            elif float(_flat(at) @ p) < WOLFE * slope:
                low = t
            else:
                return self._accept(state, x, at, passes)
            t = 0.5 * (low + high) if math.isfinite(high) else 2.0 * t
        return state._replace(passes=passes, stalled=True)

    def _accept(self, state: LBFGSState, x: Vector, at: Gradient, passes: float) -> LBFGSState:
        flat = _flat(at)
        step, change = x - state.x, flat - state.flat
        keep = float(step @ change) > 1e-14 * float(np.linalg.norm(step) * np.linalg.norm(change))
        steps = (*state.steps, step)[-self.memory :] if keep else state.steps
        changes = (*state.changes, change)[-self.memory :] if keep else state.changes
        gained = state.gradient.objective - at.objective
        stalled = gained <= 0.0 and float(np.linalg.norm(flat)) >= float(np.linalg.norm(state.flat))
        return LBFGSState(x, at, flat, steps, changes, state.scores, passes, stalled)

    def point(self, state: LBFGSState) -> tuple[Vector, float, Vector | None]:
        """The iterate; the dual point follows from it."""
        return state.x[:-1].copy(), float(state.x[-1]), None

    def progress(self, problem: Any, state: LBFGSState) -> Progress:
        """The gap of the penalised part is ||grad||^2 / (2 l2)."""
        return smooth_progress(
            problem, state.gradient, state.x[:-1], float(state.x[-1]), state.passes, state.stalled
        )


def _flat(at: Gradient) -> Vector:
    return np.append(at.weights, at.intercept)


def _apply_inverse(state: LBFGSState) -> Vector:
    """The two-loop recursion: the approximate inverse Hessian times the gradient."""
    q = state.flat.copy()
    taken = []
    for step, change in zip(reversed(state.steps), reversed(state.changes), strict=True):
        a = float(step @ q) / float(step @ change)
        q -= a * change
        taken.append(a)
    if state.steps:
        step, change = state.steps[-1], state.changes[-1]
        q *= float(step @ change) / float(change @ change)
    for step, change, a in zip(state.steps, state.changes, reversed(taken), strict=True):
        q += (a - float(change @ q) / float(step @ change)) * step
    return q
