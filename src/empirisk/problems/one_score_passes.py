"""The passes of problems with one score a row; registered with `passes`."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.arithmetic import exact_sum
from empirisk.losses.on_vectors import slope_along, to_second_derivatives, to_shares, values_and_slopes, weigh
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import (
    Gradient,
    LossAt,
    extrapolated_gradient,
    hessian_products,
    line_slope,
    loss_at,
    risk_gradient,
    scored,
    scores_at,
    sum_of_rows,
    to_curvatures,
    weighted_sum,
)
from empirisk.protocols import Vector
from empirisk.rows.protocol import RowBlock, RowVector
from empirisk.rows.row_kernels import add_curved_rows, add_rows, row_scores
from empirisk.rows.scratch import scratch
from empirisk.rows.tiles import tile_rows, tiles
from empirisk.rows.tree import COST_PER_LEAF
from empirisk.rows.vectors import nonzero_count

LOSS_WORK = 20.0  # what value, slope and curvature of a row cost, in entries of a sparse row


@risk_gradient.register
def _(problem: EmpiricalRisk, x: Vector, scores: RowVector) -> Gradient:
    loss, scale = problem.loss, 1.0 / problem.total_weight
    rows = (problem.labels, problem.weights)
    slope, risks = problem.rows.total(_add_gradient, loss, scale, x, rows=rows, writes=(scores,), shape=x.shape)
    return Gradient(exact_sum(risks), _fitted(problem, slope))


@extrapolated_gradient.register
def _(
    problem: EmpiricalRisk, x: Vector, beta: float, old_scores: RowVector, scores: RowVector
) -> tuple[float, Gradient]:
    if beta == 0.0:
        at = risk_gradient(problem, x, scores)
        return at.objective, at
    rows = (problem.labels, problem.weights, old_scores)
    args = problem.loss, 1.0 / problem.total_weight, x, beta
    slope, risks = problem.rows.total(_add_extrapolated, *args, rows=rows, writes=(scores,), shape=x.shape)
    here, there = zip(*risks, strict=True)
    return exact_sum(here), Gradient(exact_sum(there), _fitted(problem, slope))


def _fitted(problem: EmpiricalRisk, slope: Vector) -> Vector:
    if not problem.fit_intercept:
        slope[-1] = 0.0
    return slope


@scores_at.register
def _(problem: EmpiricalRisk, x: Vector) -> RowVector:
    return scored(problem.rows, x[:-1], float(x[-1]))


@loss_at.register
def _(problem: EmpiricalRisk, scores: RowVector) -> LossAt:
    rows = problem.rows
    slopes, curvatures = rows.blank(), rows.blank()
    parts, writes = (problem.labels, problem.weights, scores), (slopes, curvatures)
    work = min(1.0, LOSS_WORK * rows.n_rows / max(1, rows.n_entries))  # no row is read: long ones are not in the way
    risks = rows.each(_evaluate, problem.loss, 1.0 / problem.total_weight, rows=parts, writes=writes, work=work)
    return LossAt(exact_sum(risks), slopes, curvatures)


@sum_of_rows.register
def _(problem: EmpiricalRisk, coefficients: RowVector) -> Vector:
    total, balance = weighted_sum(problem, coefficients)
    return np.append(total, balance if problem.fit_intercept else 0.0)


@line_slope.register
def _(problem: EmpiricalRisk, scores: RowVector, change: RowVector, t: float) -> float:
    rows = (problem.labels, problem.weights, scores, change)
    return exact_sum(problem.rows.each(_slope_along, problem.loss, 1.0 / problem.total_weight, t, rows=rows))


@to_curvatures.register
def _(problem: EmpiricalRisk, scores: RowVector) -> RowVector:
    rows = (problem.labels, problem.weights, scores)
    problem.rows.each(_curvatures, problem.loss, 1.0 / problem.total_weight, rows=rows, writes=(scores,))
    return scores


def implied_duals(problem: EmpiricalRisk, scores: RowVector) -> RowVector:
    """The dual variable of each row that follows from its score, -loss'(z_i)."""
    return problem.rows.vector(_implied_duals, problem.loss, rows=(problem.labels, scores))


class HessianProducts:
    """The Hessian as an operator."""

    def __init__(self, problem: EmpiricalRisk, curvatures: RowVector) -> None:
        self.problem, self.curvatures = problem, curvatures
        # Rows without curvature are not visited. What is left may not be worth handing out to threads.
        self.active_share = nonzero_count(problem.rows, curvatures) / problem.rows.n_rows
        self.work = 1.0 if self.active_share * problem.rows.n_entries >= 2 * COST_PER_LEAF else 0.0

    def apply(self, p: Vector) -> Vector:
        """H p."""
        problem = self.problem
        b = float(p[-1]) if problem.fit_intercept else 0.0
        product, _ = problem.rows.total(_add_product, p[:-1], b, rows=(self.curvatures,), shape=p.shape, work=self.work)
        if not problem.fit_intercept:
            product[-1] = 0.0
        product[:-1] += problem.regularizer.l2 * p[:-1]
        return product


hessian_products.register(EmpiricalRisk, HessianProducts)


def _add_gradient(
    block: RowBlock, loss: Any, scale: float, x: Vector, y: Vector, weights: Vector, out: Vector, scores: Vector
) -> float:
    """Tile by tile, while the rows are in the cache: scores, losses on vectors, the sum."""
    w, b, slope, risk, balance = x[:-1], x[-1], out[None, :-1], 0.0, 0.0
    values, slopes = scratch(2, tile_rows(block.design))
    for at, tile in tiles(block.design):
        z = scores[at]
        row_scores(tile, w, b, z)
        part, g = values[: z.size], slopes[: z.size]
        values_and_slopes(loss, z, y[at], part, g)
        risk += weigh(weights[at], scale, part, g)
        balance += add_rows(tile, g, slope)
    out[-1] += balance
    return risk


def _add_extrapolated(
    block: RowBlock,
    loss: Any,
    scale: float,
    x: Vector,
    beta: float,
    y: Vector,
    weights: Vector,
    old_scores: Vector,
    out: Vector,
    scores: Vector,
) -> tuple[float, float]:
    """The mean loss at x, and that at the scores moved on, whose gradient is added."""
    w, b, slope, here, there, balance = x[:-1], x[-1], out[None, :-1], 0.0, 0.0, 0.0
    values, slopes, moved = scratch(3, tile_rows(block.design))
    for at, tile in tiles(block.design):
        z, s = scores[at], weights[at]
        part, g, ahead = values[: z.size], slopes[: z.size], moved[: z.size]
        row_scores(tile, w, b, z)
        values_and_slopes(loss, z, y[at], part, g)
        here += weigh(s, scale, part, g)
        np.subtract(z, old_scores[at], out=ahead)
        ahead *= beta
        ahead += z
        values_and_slopes(loss, ahead, y[at], part, g)
        there += weigh(s, scale, part, g)
        balance += add_rows(tile, g, slope)
    out[-1] += balance
    return here, there


def _evaluate(
    block: RowBlock,
    loss: Any,
    scale: float,
    y: Vector,
    weights: Vector,
    scores: Vector,
    slopes: Vector,
    curvatures: Vector,
) -> float:
    _curvatures(block, loss, scale, y, weights, scores, curvatures)
    (values,) = scratch(1, scores.size)
    values_and_slopes(loss, scores, y, values, slopes)
    return float(weigh(weights, scale, values, slopes))


def _slope_along(
    block: RowBlock, loss: Any, scale: float, t: float, y: Vector, weights: Vector, scores: Vector, change: Vector
) -> float:
    return float(slope_along(loss, scores, change, t, y, weights, scale))


def _curvatures(
    block: RowBlock, loss: Any, scale: float, y: Vector, weights: Vector, scores: Vector, out: Vector
) -> None:
    if out is not scores:
        out[:] = scores
    to_second_derivatives(loss, y, out)
    to_shares(weights, scale, out)


def _implied_duals(block: RowBlock, loss: Any, y: Vector, scores: Vector, out: Vector) -> None:
    (values,) = scratch(1, scores.size)
    values_and_slopes(loss, scores, y, values, out)
    np.negative(out, out=out)


def _add_product(block: RowBlock, p: Vector, b: float, curvatures: Vector, out: Vector) -> None:
    out[-1] += add_curved_rows(block.design, curvatures, b, p, out[:-1])
