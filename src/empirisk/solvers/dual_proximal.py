"""The proximal point method on the dual, which makes smooth problems of one with kinks.

The loss is replaced by its envelope around the dual point u (see `Smoothed`), an inner method minimises that, u moves
to the dual point of the inner iterate, and the envelope is sharpened: u_i <- the maximiser of
-loss*(-t) - z_i t - strength/2 (t - u_i)^2, the method of multipliers (Rockafellar, 1976).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.compiled import adopt, kernel
from empirisk.problems.passes import penalty
from empirisk.protocols import Progress, Vector
from empirisk.solvers.smoothed import Smoothed

LEAST_STRENGTH = 1e-9  # of the first one
MOST_FLAT = 8  # centres in a row without a better gap, after which rounding is all that is left


class DualProximalState(NamedTuple):
    """Where the method stands."""

    problem: Any  # the smoothed one
    inner: Any  # the inner method's state, with w, b, scores and passes
    u: Vector  # the dual point that belongs to the inner iterate
    objective: float  # of the problem itself
    gap: float  # estimate at (w, b, u)
    inner_gap: float  # that of the smoothed problem
    best_gap: float
    flat: int  # centres since the best gap
    least: float  # strength


def begin(method: Any, problem: Any, w: Vector, b: float) -> DualProximalState:
    """Centre the smoothing at u = 0, and start the inner method."""
    first = float(_first_strength(problem.loss, problem.labels))
    centers = np.zeros(problem.design.n_rows())
    smoothed = _smoothed(problem, Smoothed(problem.loss, problem.labels, centers, first))
    inner = method.init(smoothed, w, b)
    blank = DualProximalState(smoothed, inner, centers, np.nan, np.nan, np.nan, np.inf, 0, LEAST_STRENGTH * first)
    return _measured(method, problem, blank)


def advance(method: Any, problem: Any, state: DualProximalState, sharpen: float) -> DualProximalState:
    """One inner step; when the smoothed problem is solved well enough, a new centre and a sharper envelope."""
    state = _measured(method, problem, state._replace(inner=method.step(state.problem, state.inner)))
    stalled = method.progress(state.problem, state.inner).stalled
    if not stalled and state.inner_gap > 0.5 * (state.gap - state.inner_gap):
        return state
    envelope = state.problem.loss
    envelope.centers[:] = state.u
    sharper = envelope._replace(strength=max(state.least, sharpen * envelope.strength))
    smoothed = _smoothed(problem, sharper)
    inner = state.inner
    restarted = method.init(smoothed, inner.w, inner.b)
    return state._replace(
        problem=smoothed,
        inner=restarted._replace(passes=inner.passes + restarted.passes),
        best_gap=min(state.best_gap, state.gap),
        flat=0 if state.gap < 0.9 * state.best_gap else state.flat + 1,
    )


def progress_of(state: DualProximalState) -> Progress:
    """The gap is known up to the repair of the intercept."""
    return Progress(state.inner.passes, state.objective, state.gap, state.flat >= MOST_FLAT)


def _smoothed(problem: Any, envelope: Smoothed) -> Any:
    adopt(envelope, envelope.loss)
    return problem.with_loss(envelope, np.arange(problem.design.n_rows(), dtype=np.float64))


def _measured(method: Any, problem: Any, state: DualProximalState) -> DualProximalState:
    u, inner = np.empty(problem.design.n_rows()), state.inner
    scale = 1.0 / problem.total_weight
    risk, kinks = _duals_and_gap(
        problem.loss, state.problem.loss, problem.labels, problem.weights, scale, inner.scores, u
    )
    inner_gap = method.progress(state.problem, inner).gap
    return state._replace(
        u=u, objective=risk + penalty(problem, inner.w), gap=float(kinks) + inner_gap, inner_gap=inner_gap
    )


@kernel
def _first_strength(loss, y):
    """The one whose envelope at score zero is as wide as the loss is far from its kinks: loss(0) / loss'(0)^2."""
    value = 0.0
    squared = 0.0
    for i in range(y.size):
        g = loss.derivative(0.0, y[i])
        value += loss.value(0.0, y[i])
        squared += g * g
    return value / squared if value > 0.0 and squared > 0.0 else 1.0


@kernel
def _duals_and_gap(loss, envelope, y, weights, scale, z, u):
    """Write the dual point at the scores z; returns the mean loss, and that of loss(z) + loss*(-u) + z u >= 0."""
    risk = 0.0
    kinks = 0.0
    for i in range(z.size):
        u[i] = envelope.maximizer_at(z[i], float(i))
        s = scale * weights[i] if weights.size else scale
        if s > 0.0:
            value = loss.value(z[i], y[i])
            risk += s * value
            kinks += s * (value + loss.conjugate(-u[i], y[i]) + z[i] * u[i])
    return risk, kinks
