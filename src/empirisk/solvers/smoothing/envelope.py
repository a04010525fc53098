"""The envelope of a loss with kinks around a dual point, over rows whose scores are known.

phi_i(z) = max over t of -loss*(-t, y_i) - z t - strength/2 (t - c_i)^2 has the derivative -t. At the optimum of the
problem itself with c optimal it has the same minimiser, whatever the strength (see `smoothed.py`, which is the same
function as a loss).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import exact_sum
from empirisk.compiled import kernel
from empirisk.losses.on_vectors import values_and_slopes
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Vector
from empirisk.rows.protocol import RowBlock, RowVector

NEAR = 1e-6  # of the strength: the step of the difference quotient
LEAST, MOST = 1e-270, 1e270  # first strengths, between which the later ones and their steps are numbers too


class Envelope(NamedTuple):
    """The envelope of each row's loss."""

    centers: RowVector  # c
    strength: float


class Sums(NamedTuple):
    """Sums over the rows, with s_i / S as the weight of a row."""

    risk: float  # of loss(z_i)
    kinks: float  # of loss(z_i) + loss*(-u_i) + z_i u_i >= 0
    balance: float  # of u_i
    moved: int  # rows whose dual variable changed
    curved: int  # rows with curvature


def evaluate(
    problem: EmpiricalRisk, envelope: Envelope, z: RowVector, u: RowVector, curvatures: RowVector, changes: RowVector
) -> Sums:
    """Write dual variables, curvatures of the mean envelope, and (s_i / S) times the change of each dual variable."""
    given = (problem.labels, problem.weights, envelope.centers, z, u)
    parts = problem.rows.each(
        _evaluate_block,
        problem.loss,
        1.0 / problem.total_weight,
        envelope.strength,
        rows=given,
        writes=(u, curvatures, changes),
    )
    risk, kinks, balance, moved, curved = zip(*parts, strict=True)
    return Sums(exact_sum(risk), exact_sum(kinks), exact_sum(balance), int(sum(moved)), int(sum(curved)))


def slope_along(problem: EmpiricalRisk, envelope: Envelope, z: RowVector, change: RowVector, t: float) -> float:
    """The derivative of the mean envelope at the scores z + t change, in t."""
    given = (problem.labels, problem.weights, envelope.centers, z, change)
    args = problem.loss, 1.0 / problem.total_weight, envelope.strength, t
    return exact_sum(problem.rows.each(_slope_of_block, *args, rows=given))


def unsettled(
    problem: EmpiricalRisk, strength: float, z: RowVector, u: RowVector, slack: RowVector
) -> NDArray[np.int64]:
    """The rows whose dual variable may change while their score stays within `slack` of z."""
    parts = problem.rows.each(_unsettled_rows, problem.loss, strength, rows=(problem.labels, z, u, slack))
    return np.concatenate(parts)


def first_strength(problem: EmpiricalRisk) -> float:
    """The one whose envelope at score zero is as wide as the loss is far from its kinks: loss(0) / loss'(0)^2."""
    steepest = max(problem.rows.each(_steepest_at_zero, problem.loss, rows=(problem.labels,)))
    if steepest == 0.0:
        return 1.0
    parts = problem.rows.each(_sums_at_zero, problem.loss, steepest, rows=(problem.labels,))
    value, squared = (exact_sum(part) for part in zip(*parts, strict=True))
    return min(max(value / squared / steepest, LEAST), MOST) if value > 0.0 else 1.0


def _steepest_at_zero(block: RowBlock, loss: Any, y: Vector) -> float:
    values, slopes = np.empty((2, y.size))
    values_and_slopes(loss, np.zeros(y.size), y, values, slopes)
    return float(np.abs(slopes).max(initial=0.0))


def _sums_at_zero(block: RowBlock, loss: Any, steepest: float, y: Vector) -> tuple[float, float]:
    """Of the losses and of the squared slopes, in units of the steepest: squares neither overflow nor vanish."""
    values, slopes = np.empty((2, y.size))
    values_and_slopes(loss, np.zeros(y.size), y, values, slopes)
    slopes /= steepest
    return float((values / steepest).sum()), float(slopes @ slopes)


def _evaluate_block(
    block: RowBlock,
    loss: Any,
    scale: float,
    strength: float,
    y: Vector,
    weights: Vector,
    centers: Vector,
    z: Vector,
    u: Vector,
    new: Vector,
    curvatures: Vector,
    changes: Vector,
) -> Any:
    return _evaluate(loss, y, weights, scale, centers, strength, z, u, new, curvatures, changes)


def _slope_of_block(
    block: RowBlock,
    loss: Any,
    scale: float,
    strength: float,
    t: float,
    y: Vector,
    weights: Vector,
    centers: Vector,
    z: Vector,
    change: Vector,
) -> float:
    return float(_slope(loss, y, weights, scale, centers, strength, z, change, t))


def _unsettled_rows(
    block: RowBlock, loss: Any, strength: float, y: Vector, z: Vector, u: Vector, slack: Vector
) -> NDArray[np.int64]:
    may = np.empty(z.size, dtype=np.bool_)
    _may_change(loss, y, strength, z, u, slack, may)
    return np.flatnonzero(may) + block.first


@kernel
def _evaluate(loss, y, weights, scale, centers, strength, z, u, new, curvatures, changes):
    risk = 0.0
    kinks = 0.0
    balance = 0.0
    moved = 0
    curved = 0
    step = NEAR * strength
    for i in range(z.size):
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            new[i] = u[i]
            curvatures[i] = 0.0
            changes[i] = 0.0
            continue
        t = loss.dual_step(centers[i], z[i], y[i], strength)
        # Exact for piecewise linear losses, away from the ends of a piece.
        left = loss.dual_step(centers[i], z[i] - step, y[i], strength)
        right = loss.dual_step(centers[i], z[i] + step, y[i], strength)
        curvatures[i] = s * max(0.0, left - right) / (2.0 * step)
        changes[i] = s * (t - u[i])
        new[i] = t
        value = loss.value(z[i], y[i])
        risk += s * value
        kinks += s * (value + loss.conjugate(-t, y[i]) + z[i] * t)
        balance += s * t
        moved += changes[i] != 0.0
        curved += curvatures[i] != 0.0
    return risk, kinks, balance, moved, curved


@kernel
def _slope(loss, y, weights, scale, centers, strength, z, change, t):
    total = 0.0
    for i in range(z.size):
        s = scale * weights[i] if weights.size else scale
        if s > 0.0:
            total -= s * loss.dual_step(centers[i], z[i] + t * change[i], y[i], strength) * change[i]
    return total


@kernel
def _may_change(loss, y, strength, z, u, slack, out):
    """Dual steps fall as the score grows: one that stays at both ends of an interval stays inside it."""
    for i in range(z.size):
        low = loss.dual_step(u[i], z[i] + slack[i], y[i], strength)
        high = loss.dual_step(u[i], z[i] - slack[i], y[i], strength)
        out[i] = not (low == u[i] and high == u[i])  # also where the slack is not a number
