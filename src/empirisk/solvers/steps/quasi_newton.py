"""The limited-memory BFGS iteration on an array, whatever objective is behind it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from empirisk.protocols import Array

ARMIJO, WOLFE = 1e-4, 0.9
MOST_TRIALS = 40
MOST_FLAT = 20  # steps without a visible gain, after which rounding is all that is left


class QuasiNewtonState(NamedTuple):
    """Where the iteration stands."""

    x: Array
    objective: float
    slope: Array  # the gradient at x
    steps: tuple[Array, ...]  # the newest last
    changes: tuple[Array, ...]  # of the gradient
    passes: float
    stalled: bool
    least: float = math.inf  # norm of the gradient so far
    flat: int = 0  # steps in a row that gained nothing visible, neither in the objective nor in that norm


def begin(x: Array, objective: float, slope: Array) -> QuasiNewtonState:
    """Without pairs, after one evaluation."""
    return QuasiNewtonState(x, objective, slope, (), (), 1.0, False)


def advance(state: QuasiNewtonState, evaluate: Callable[[Array], tuple[float, Array]], memory: int) -> QuasiNewtonState:
    """One direction, and a step along it that satisfies the weak Wolfe conditions, found by bisection.

    `evaluate` gives the objective and its gradient at a point, in one pass.
    """
    p = -two_loops(state.slope, state.steps, state.changes, first_inverse(state.steps, state.changes))
    slope = float(np.vdot(state.slope, p))
    if not slope < 0.0:  # rounding spoiled the pairs: forget them
        state = state._replace(steps=(), changes=())
        p, slope = -state.slope, -float(np.vdot(state.slope, state.slope))
    noise = 1e-15 * abs(state.objective)
    t = 1.0 if state.steps else min(1.0, 1.0 / max(math.sqrt(-slope), np.finfo(float).tiny))
    low, high, passes = 0.0, math.inf, state.passes
    for _ in range(MOST_TRIALS):
        x = state.x + t * p
        objective, gradient = evaluate(x)
        passes += 1.0
        if not objective <= state.objective + ARMIJO * t * slope + noise:
            high = t
        elif float(np.vdot(gradient, p)) < WOLFE * slope:
            low = t
        else:
            return _accept(state, x, objective, gradient, passes, memory)
        t = 0.5 * (low + high) if math.isfinite(high) else 2.0 * t
    return state._replace(passes=passes, stalled=True)


def _accept(
    state: QuasiNewtonState, x: Array, objective: float, slope: Array, passes: float, memory: int
) -> QuasiNewtonState:
    step, change = x - state.x, slope - state.slope
    steps, changes = with_pair(state.steps, state.changes, step, change, memory)
    gained = state.objective - objective
    norm = float(np.linalg.norm(slope))
    is_flat = gained <= 1e-15 * abs(objective) and norm >= 0.99 * state.least
    flat = state.flat + 1 if is_flat else 0
    return QuasiNewtonState(
        x, objective, slope, steps, changes, passes, flat >= MOST_FLAT, min(state.least, norm), flat
    )


def with_pair(
    steps: tuple[Array, ...], changes: tuple[Array, ...], step: Array, change: Array, memory: int
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """The newest pairs, this one included where it keeps the approximate inverse positive."""
    if not is_curved(step, change):
        return steps, changes
    return (*steps, step)[-memory:], (*changes, change)[-memory:]


def first_inverse(steps: tuple[Array, ...], changes: tuple[Array, ...]) -> Callable[[Array], Array]:
    """A multiple of the identity that fits the newest pair."""
    if not steps:
        return lambda q: q
    step, change = steps[-1], changes[-1]
    factor = float(np.vdot(step, change)) / float(np.vdot(change, change))
    return lambda q: factor * q


def two_loops(
    slope: Array, steps: tuple[Array, ...], changes: tuple[Array, ...], first: Callable[[Array], Array]
) -> Array:
    """The approximate inverse Hessian times the gradient: that of `first`, corrected by the pairs."""
    q = slope.copy()
    taken = []
    for step, change in zip(reversed(steps), reversed(changes), strict=True):
        a = float(np.vdot(step, q)) / float(np.vdot(step, change))
        q -= a * change
        taken.append(a)
    q = first(q)
    for step, change, a in zip(steps, changes, reversed(taken), strict=True):
        q += (a - float(np.vdot(change, q)) / float(np.vdot(step, change))) * step
    return q


def is_curved(step: Array, change: Array) -> bool:
    """Whether the gradient grows along the step by more than rounding: only such pairs keep the inverse positive."""
    return float(np.vdot(step, change)) > 1e-14 * float(np.linalg.norm(step) * np.linalg.norm(change))
