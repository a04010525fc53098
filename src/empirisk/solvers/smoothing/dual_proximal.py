"""The proximal point method on the dual, which makes smooth problems of one with kinks.

The loss is replaced by its envelope around the dual point u (see `Smoothed`), an inner method minimises that, u moves
to the dual point of the inner iterate, and the envelope is sharpened: u_i <- the maximiser of
-loss*(-t) - z_i t - strength/2 (t - u_i)^2, the method of multipliers (Rockafellar, 1976).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.compiled import adopt
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import penalty
from empirisk.protocols import Progress, Solver, Vector
from empirisk.solvers.smoothing.envelope import Envelope, evaluate, first_strength
from empirisk.solvers.smoothing.smoothed import Smoothed

LEAST_STRENGTH = 1e-9  # of the first one
MOST_FLAT = 8  # centres in a row without a better gap, after which rounding is all that is left


class DualProximalState(NamedTuple):
    """Where the method stands."""

    problem: EmpiricalRisk  # the smoothed one
    inner: Any  # the inner method's state, with x, scores and passes
    u: Vector  # the dual point that belongs to the inner iterate
    objective: float  # of the problem itself
    gap: float  # estimate at (x, u)
    inner_gap: float  # that of the smoothed problem
    best_gap: float
    flat: int  # centres since the best gap
    least: float  # strength


def begin(method: Solver, problem: EmpiricalRisk, point: LinearPoint) -> DualProximalState:
    """Centre the smoothing at u = 0, and start the inner method."""
    first = float(first_strength(problem.loss, problem.labels))
    centers = np.zeros(problem.design.n_rows())
    smoothed = _smoothed(problem, centers, first)
    inner = method.init(smoothed, point)
    blank = DualProximalState(smoothed, inner, centers, np.nan, np.nan, np.nan, np.inf, 0, LEAST_STRENGTH * first)
    return _measured(method, problem, blank)


def advance(method: Solver, problem: EmpiricalRisk, state: DualProximalState, sharpen: float) -> DualProximalState:
    """One inner step; when the smoothed problem is solved well enough, a new centre and a sharper envelope."""
    state = _measured(method, problem, state._replace(inner=method.step(state.problem, state.inner)))
    stalled = method.progress(state.problem, state.inner).stalled
    if not stalled and state.inner_gap > 0.5 * (state.gap - state.inner_gap):
        return state
    smoothed = _smoothed(problem, state.u, max(state.least, sharpen * state.problem.loss.strength))
    inner = state.inner
    restarted = method.init(smoothed, LinearPoint.of(inner.x))
    return state._replace(
        problem=smoothed,
        inner=restarted._replace(passes=inner.passes + restarted.passes),
        best_gap=min(state.best_gap, state.gap),
        flat=0 if state.gap < 0.9 * state.best_gap else state.flat + 1,
    )


def progress_of(state: DualProximalState) -> Progress:
    """The gap is known up to the repair of the intercept."""
    return Progress(state.inner.passes, state.objective, state.gap, state.flat >= MOST_FLAT)


def _smoothed(problem: EmpiricalRisk, centers: Vector, strength: float) -> EmpiricalRisk:
    envelope = Smoothed(problem.loss, strength)
    adopt(envelope, envelope.loss)
    return problem.with_loss(envelope, problem.labels + 1j * centers)


def _measured(method: Solver, problem: EmpiricalRisk, state: DualProximalState) -> DualProximalState:
    inner, smoothed = state.inner, state.problem
    u, curvatures, changes = np.zeros((3, problem.design.n_rows()))
    envelope = Envelope(smoothed.labels.imag.copy(), smoothed.loss.strength)
    sums = evaluate(problem, envelope, inner.scores, u, curvatures, changes)
    inner_gap = method.progress(smoothed, inner).gap
    objective = sums.risk + penalty(problem, inner.x[:-1])
    return state._replace(u=u, objective=objective, gap=sums.kinks + inner_gap, inner_gap=inner_gap)
