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
from empirisk.rows.protocol import RowBlock, RowVector
from empirisk.solvers.smoothing.envelope import Envelope, evaluate, first_strength
from empirisk.solvers.smoothing.smoothed import Smoothed

LEAST_STRENGTH = 1e-9  # of the first one
MOST_FLAT = 8  # centres in a row without a better gap, after which rounding is all that is left


class DualProximalState(NamedTuple):
    """Where the method stands."""

    labels: RowVector  # y_i + i c_i, with the centres c_i of the envelope
    strength: float  # of the envelope
    inner: Any  # the inner method's state, with x, scores and passes
    u: RowVector  # the dual point that belongs to the inner iterate
    objective: float  # of the problem itself
    gap: float  # estimate at (x, u)
    inner_gap: float  # that of the smoothed problem
    best_gap: float
    flat: int  # centres since the best gap
    least: float  # strength


def begin(method: Solver, problem: EmpiricalRisk, point: LinearPoint) -> DualProximalState:
    """Centre the smoothing at u = 0, and start the inner method."""
    first = first_strength(problem)
    centers = problem.rows.filled(0.0)
    labels = problem.labels + 1j * centers
    envelope = smoothed(problem, labels, first)
    inner = method.init(envelope, point)
    unknown = (np.nan, np.nan, np.nan, np.inf, 0)
    blank = DualProximalState(labels, first, inner, centers, *unknown, LEAST_STRENGTH * first)
    return _measured(method, problem, envelope, blank)


def advance(method: Solver, problem: EmpiricalRisk, state: DualProximalState, sharpen: float) -> DualProximalState:
    """One inner step; when the smoothed problem is solved well enough, a new centre and a sharper envelope."""
    envelope = smoothed(problem, state.labels, state.strength)
    state = _measured(method, problem, envelope, state._replace(inner=method.step(envelope, state.inner)))
    stalled = method.progress(envelope, state.inner).stalled
    if not stalled and state.inner_gap > 0.5 * (state.gap - state.inner_gap):
        return state
    labels, strength = problem.labels + 1j * state.u, max(state.least, sharpen * state.strength)
    inner = state.inner
    restarted = method.init(smoothed(problem, labels, strength), LinearPoint.of(inner.x))
    return state._replace(
        labels=labels,
        strength=strength,
        inner=restarted._replace(passes=inner.passes + restarted.passes),
        best_gap=min(state.best_gap, state.gap),
        flat=0 if state.gap < 0.9 * state.best_gap else state.flat + 1,
    )


def progress_of(state: DualProximalState) -> Progress:
    """The gap is known up to the repair of the intercept."""
    return Progress(state.inner.passes, state.objective, state.gap, state.flat >= MOST_FLAT)


def smoothed(problem: EmpiricalRisk, labels: RowVector, strength: float) -> EmpiricalRisk:
    """The problem of the envelope, whose labels hold its centres."""
    envelope = Smoothed(problem.loss, strength)
    adopt(envelope, envelope.loss)
    return problem.with_loss(envelope, labels)


def _measured(
    method: Solver, problem: EmpiricalRisk, envelope: EmpiricalRisk, state: DualProximalState
) -> DualProximalState:
    inner, rows = state.inner, problem.rows
    u, curvatures, changes = rows.filled(0.0), rows.blank(), rows.blank()
    around = Envelope(rows.vector(_centers, rows=(state.labels,)), state.strength)
    sums = evaluate(problem, around, inner.scores, u, curvatures, changes)
    inner_gap = method.progress(envelope, inner).gap
    objective = sums.risk + penalty(problem, inner.x[:-1])
    return state._replace(u=u, objective=objective, gap=sums.kinks + inner_gap, inner_gap=inner_gap)


def _centers(block: RowBlock, labels: Any, out: Vector) -> None:
    out[:] = labels.imag
