"""The envelope of a loss with kinks around a dual point, over rows whose scores are known.

phi_i(z) = max over t of -loss*(-t, y_i) - z t - strength/2 (t - c_i)^2 has the derivative -t. At the optimum of the
problem itself with c optimal it has the same minimiser, whatever the strength (see `smoothed.py`, which is the same
function as a loss).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Vector
from empirisk.rows.blocks import map_blocks

NEAR = 1e-6  # of the strength: the step of the difference quotient
LEAST, MOST = 1e-270, 1e270  # first strengths, between which the later ones and their steps are numbers too


class Envelope(NamedTuple):
    """The envelope of each row's loss."""

    centers: Vector  # c
    strength: float


class Sums(NamedTuple):
    """Sums over the rows, with s_i / S as the weight of a row."""

    risk: float  # of loss(z_i)
    kinks: float  # of loss(z_i) + loss*(-u_i) + z_i u_i >= 0
    balance: float  # of u_i
    moved: int  # rows whose dual variable changed
    curved: int  # rows with curvature


def evaluate(
    problem: EmpiricalRisk, envelope: Envelope, z: Vector, u: Vector, curvatures: Vector, changes: Vector
) -> Sums:
    """Write dual variables, curvatures of the mean envelope, and (s_i / S) times the change of each dual variable."""
    scale = 1.0 / problem.total_weight
    fixed = problem.loss, problem.labels, problem.weights, scale, *envelope, z, u, curvatures, changes
    parts = map_blocks(lambda block: _evaluate(*fixed, block[0], block[1]), problem.blocks, problem.n_threads)
    risk, kinks, balance, moved, curved = (sum(part) for part in zip(*parts, strict=True))
    return Sums(float(risk), float(kinks), float(balance), int(moved), int(curved))


def slope_along(problem: EmpiricalRisk, envelope: Envelope, z: Vector, change: Vector, t: float) -> float:
    """The derivative of the mean envelope at the scores z + t change, in t."""
    fixed = problem.loss, problem.labels, problem.weights, 1.0 / problem.total_weight, *envelope, z, change, t
    return float(sum(map_blocks(lambda block: _slope(*fixed, block[0], block[1]), problem.blocks, problem.n_threads)))


def unsettled(problem: EmpiricalRisk, strength: float, z: Vector, u: Vector, slack: Vector) -> NDArray[np.int64]:
    """The rows whose dual variable may change while their score stays within `slack` of z."""
    may = np.empty(z.size, dtype=np.bool_)
    _may_change(problem.loss, problem.labels, strength, z, u, slack, may)
    return np.flatnonzero(may)


@kernel
def first_strength(loss, y):
    """The one whose envelope at score zero is as wide as the loss is far from its kinks: loss(0) / loss'(0)^2."""
    value = 0.0
    squared = 0.0
    steepest = 0.0
    for i in range(y.size):
        steepest = max(steepest, abs(loss.derivative(0.0, y[i])))
    if steepest == 0.0:
        return 1.0
    for i in range(y.size):
        g = loss.derivative(0.0, y[i]) / steepest  # whose square neither overflows nor vanishes
        value += loss.value(0.0, y[i]) / steepest
        squared += g * g
    return min(max(value / squared / steepest, LEAST), MOST) if value > 0.0 else 1.0


@kernel
def _evaluate(loss, y, weights, scale, centers, strength, z, u, curvatures, changes, start, stop):
    risk = 0.0
    kinks = 0.0
    balance = 0.0
    moved = 0
    curved = 0
    step = NEAR * strength
    for i in range(start, stop):
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            curvatures[i] = 0.0
            changes[i] = 0.0
            continue
        t = loss.dual_step(centers[i], z[i], y[i], strength)
        # Exact for piecewise linear losses, away from the ends of a piece.
        left = loss.dual_step(centers[i], z[i] - step, y[i], strength)
        right = loss.dual_step(centers[i], z[i] + step, y[i], strength)
        curvatures[i] = s * max(0.0, left - right) / (2.0 * step)
        changes[i] = s * (t - u[i])
        u[i] = t
        value = loss.value(z[i], y[i])
        risk += s * value
        kinks += s * (value + loss.conjugate(-t, y[i]) + z[i] * t)
        balance += s * t
        moved += changes[i] != 0.0
        curved += curvatures[i] != 0.0
    return risk, kinks, balance, moved, curved


@kernel
def _slope(loss, y, weights, scale, centers, strength, z, change, t, start, stop):
    total = 0.0
    for i in range(start, stop):
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
