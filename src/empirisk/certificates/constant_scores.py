"""The mean loss, its slope and its conjugate where every row has the same score: a certificate asks for some of them.

The labels of a classification are -1 and +1: once it is known what they weigh, no row is looked at.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import exact_sum
from empirisk.capabilities import tasks_of
from empirisk.losses.on_vectors import conjugates, tangent_sums, to_shares, values_and_slopes
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Vector
from empirisk.rows.protocol import RowBlock
from empirisk.rows.scratch import scratch

Masses = tuple[float, float] | None

BOTH = np.array([1.0, -1.0])  # the labels of a classification
BOTH.flags.writeable = False


class Tangent(NamedTuple):
    """Means over the rows, at one score."""

    level: float  # of the losses
    slope: float
    steepness: float  # of the sizes of the slopes
    steepest: float  # the largest of these


def label_masses(problem: EmpiricalRisk) -> Masses:
    """The shares of the labels +1 and -1; None where others are possible."""
    if "regression" in tasks_of(problem.loss):
        return None
    plus, minus = zip(*problem.rows.each(_label_weights, rows=(problem.labels, problem.weights)), strict=True)
    return exact_sum(plus) / problem.total_weight, exact_sum(minus) / problem.total_weight


def tangent_at(problem: EmpiricalRisk, masses: Masses, t: float) -> Tangent:
    """Where every score is t."""
    if masses is not None:
        levels, slopes = np.empty((2, 2))
        values_and_slopes(problem.loss, np.full(2, t), BOTH, levels, slopes)
        steepest = max(abs(slope) for slope, mass in zip(slopes.tolist(), masses, strict=True) if mass > 0.0)
        level, slope, steepness = tangent_sums(np.array(masses), 1.0, levels, slopes)
        return Tangent(level, slope, steepness, steepest)
    args = problem.loss, 1.0 / problem.total_weight, t
    found = problem.rows.each(_tangent, *args, rows=(problem.labels, problem.weights))
    of_levels, of_slopes, of_sizes, largest = zip(*found, strict=True)
    return Tangent(exact_sum(of_levels), exact_sum(of_slopes), exact_sum(of_sizes), max(largest))


def conjugate_at_zero(problem: EmpiricalRisk, masses: Masses) -> float:
    """The mean of loss*(0, y_i)."""
    if masses is not None:
        values, shares = np.empty(2), np.array(masses)
        conjugates(problem.loss, np.zeros(2), BOTH, values)
        return float(values[shares > 0.0] @ shares[shares > 0.0])
    args = problem.loss, 1.0 / problem.total_weight
    return exact_sum(problem.rows.each(_conjugate_at_zero, *args, rows=(problem.labels, problem.weights)))


def _label_weights(block: RowBlock, y: Vector, weights: Vector) -> tuple[float, float]:
    """What the labels +1 and -1 weigh."""
    plus = y > 0.0
    if not weights.size:
        count = int(np.count_nonzero(plus))
        return float(count), float(y.size - count)
    return float(weights[plus].sum()), float(weights[~plus].sum())


def _tangent(
    block: RowBlock, loss: Any, scale: float, t: float, y: Vector, weights: Vector
) -> tuple[float, float, float, float]:
    levels, slopes, scores = scratch(3, y.size)
    scores[:] = t
    values_and_slopes(loss, scores, y, levels, slopes)
    level, slope, steepness = tangent_sums(weights, scale, levels, slopes)
    return level, slope, steepness, float(np.abs(slopes, out=slopes).max(initial=0.0))


def _conjugate_at_zero(block: RowBlock, loss: Any, scale: float, y: Vector, weights: Vector) -> float:
    values, nothing = scratch(2, y.size)
    nothing[:] = 0.0
    conjugates(loss, nothing, y, values)
    to_shares(weights, scale, values)
    return float(values.sum())
