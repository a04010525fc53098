"""Means over the rows that say all about a quadratic loss: no further pass is needed for its value anywhere.

A loss with constant curvature a is level + slope z + a/2 z^2, with level and slope of its label. With x_i = (row i, 1
where there is an intercept) and p = (w, b) its weighted mean is

    mean level_i + <mean slope_i x_i, p> + a/2 <p, (mean x_i x_i^T) p>.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import exact_sum
from empirisk.losses.on_vectors import values_and_slopes, weigh
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.passes import risk_hessian, shares, weighted_sum
from empirisk.protocols import Vector
from empirisk.rows.norms import row_norms
from empirisk.rows.protocol import RowBlock
from empirisk.rows.scratch import scratch


class Moments(NamedTuple):
    """Means with s_i / S as the weights of the rows."""

    curvature: float
    level: float  # of loss(0, y_i)
    slopes: Vector  # of loss'(0, y_i) x_i
    squared_slope: float  # of loss'(0, y_i)^2
    gram: NDArray[np.float64]  # of x_i x_i^T
    terms: float  # in each of these sums, each of which may round
    longest: float  # the largest ||row i||; nan without an intercept, where nobody asks

    def risk(self, p: Vector) -> float:
        """The mean loss."""
        return max(0.0, self.level + float(self.slopes @ p) + 0.5 * self.curvature * float(p @ (self.gram @ p)))

    def gradient(self, p: Vector) -> Vector:
        """That of the mean loss."""
        slope: Vector = self.slopes + self.curvature * (self.gram @ p)
        return slope


def moments_of(problem: LinearRisk) -> Moments:
    """In two reads of the data, for the sums with the slopes and for the products of columns.

    An intercept takes two more, for the sums of the columns and for the longest row.
    """
    rows, n = problem.rows, problem.rows.n_rows
    slopes = rows.blank()
    given = (problem.labels, problem.weights)
    levels = rows.each(_levels_and_slopes, problem.loss, 1.0 / problem.total_weight, rows=given, writes=(slopes,))
    level, squared = (exact_sum(part) for part in zip(*levels, strict=True))
    cross, balance = weighted_sum(problem, slopes)
    if problem.fit_intercept:
        cross = np.append(cross, balance)
    gram = risk_hessian(problem, shares(problem))
    gram = np.tril(gram) + np.tril(gram, -1).T
    longest = max(rows.each(_longest)) if problem.fit_intercept else math.nan
    return Moments(float(problem.loss.smoothness()), level, cross, squared, gram, n + 8.0, longest)


def joined(parts: Sequence[Moments], weights: Sequence[float]) -> Moments:
    """The moments of all rows together, from those of parts of them with these total weights."""
    share = np.asarray(weights) / np.sum(weights)

    def mean(name: str) -> Any:
        return sum(s * getattr(part, name) for s, part in zip(share, parts, strict=True))

    return Moments(
        curvature=parts[0].curvature,
        level=float(mean("level")),
        slopes=mean("slopes"),
        squared_slope=float(mean("squared_slope")),
        gram=mean("gram"),
        terms=sum(part.terms for part in parts),
        longest=max(part.longest for part in parts),
    )


def _levels_and_slopes(
    block: RowBlock, loss: Any, scale: float, y: Vector, weights: Vector, out: Vector
) -> tuple[float, float]:
    """Write s_i/S loss'(0, y_i); the means of loss(0, y_i) and of the squared slopes."""
    values, slopes = np.empty((2, y.size))
    values_and_slopes(loss, np.zeros(y.size), y, values, slopes)
    out[:] = slopes
    level = float(weigh(weights, scale, values, out))
    slopes[out == 0.0] = 0.0  # those of rows without weight, too
    with np.errstate(over="ignore"):  # the certificate looks at what overflowed
        return level, float(np.dot(slopes, out))


def _longest(block: RowBlock) -> float:
    (norms,) = scratch(1, block.design.n_rows())
    row_norms(block.design, norms)
    return float(norms.max())
