"""L-BFGS with l1: within one orthant at a time."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.chains.gap.likelihood_values import gap_at
from empirisk.chains.point import ChainPoint
from empirisk.chains.risk import ChainRisk
from empirisk.chains.solvers.lbfgs import smooth_objective
from empirisk.protocols import Array, Progress
from empirisk.solvers.steps.quasi_newton import first_inverse, two_loops, with_pair

ARMIJO, MOST_TRIALS, MOST_FLAT = 1e-4, 40, 20


class OrthantState(NamedTuple):
    """Where the iteration stands."""

    u: Array
    smooth: float  # P without l1, and its gradient
    gradient: Array
    steps: tuple[Array, ...]  # the newest last
    changes: tuple[Array, ...]  # of the gradient
    passes: float
    stalled: bool = False
    flat: int = 0


class OrthantLBFGS(NamedTuple):
    """Quasi-Newton steps for l1 ||u||_1 and a smooth rest: each stays in the orthant that the steepest descent enters.

    A weight whose sign would change is set to zero. The pairs are those of the smooth part. Andrew and Gao (2007).
    """

    memory: int = 10

    @property
    def needs(self) -> tuple[str, ...]:
        """Said by the choice of solvers."""
        return ()

    def init(self, problem: ChainRisk, point: ChainPoint) -> OrthantState:
        """Evaluate the start."""
        return OrthantState(point.weights, *smooth_objective(problem, point.weights), (), (), 1.0)

    def step(self, problem: ChainRisk, state: OrthantState) -> OrthantState:
        """One direction and one search along it, bent at the borders of the orthant."""
        l1 = problem.regularizer.l1
        u, slope = state.u, steepest(state.u, state.gradient, l1)
        p = -two_loops(slope, state.steps, state.changes, first_inverse(state.steps, state.changes))
        p[p * slope >= 0.0] = 0.0
        if not float(np.vdot(p, slope)) < 0.0:
            state, p = state._replace(steps=(), changes=()), -slope
        side = np.where(u != 0.0, np.sign(u), -np.sign(slope))
        value = state.smooth + l1 * float(np.sum(np.abs(u)))
        size = float(np.linalg.norm(slope))
        t, passes = 1.0 if state.steps else min(1.0, 1.0 / max(size, np.finfo(float).tiny)), state.passes
        for _ in range(MOST_TRIALS):
            tried = u + t * p
            tried[tried * side < 0.0] = 0.0
            smooth, gradient = smooth_objective(problem, tried)
            passes += 1.0
            found = smooth + l1 * float(np.sum(np.abs(tried)))
            if found <= value + ARMIJO * float(np.vdot(slope, tried - u)) + 1e-15 * abs(value):
                return _accepted(state, tried, smooth, gradient, passes, self.memory, value - found)
            t *= 0.5
        return state._replace(passes=passes, stalled=True)

    def point(self, state: OrthantState) -> ChainPoint:
        """The iterate."""
        return ChainPoint(state.u)

    def progress(self, problem: ChainRisk, state: OrthantState) -> Progress:
        """The gap is that of the certificate but for rounding."""
        u, l2 = state.u, problem.regularizer.l2
        loss = state.smooth - 0.5 * l2 * float(np.vdot(u, u))
        gap = gap_at(problem, u, loss, l2 * u - state.gradient)
        value = state.smooth + problem.regularizer.l1 * float(np.sum(np.abs(u)))
        return Progress(state.passes, value, gap, state.stalled, is_sure=True)


def steepest(u: Array, gradient: Array, l1: float) -> Array:
    """The subgradient of least norm: its negative is the steepest way down."""
    shrunk: Array = np.sign(gradient) * np.maximum(0.0, np.abs(gradient) - l1)
    return np.where(u != 0.0, gradient + l1 * np.sign(u), shrunk)


def _accepted(
    state: OrthantState, u: Array, smooth: float, gradient: Array, passes: float, memory: int, gained: float
) -> OrthantState:
    step, change = u - state.u, gradient - state.gradient
    steps, changes = with_pair(state.steps, state.changes, step, change, memory)
    flat = state.flat + 1 if gained <= 1e-15 * math.fabs(smooth) else 0
    return OrthantState(u, smooth, gradient, steps, changes, passes, flat >= MOST_FLAT, flat)
