"""The passes of problems with many classes; registered with `passes`.

A tile of rows is used for the scores and for the sum while it is in the cache. Where a sum over the rows is too large
to be held for every leaf of the tree (wide sparse data), it is computed for a range of the classes at a time instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from empirisk.arithmetic import exact_sum
from empirisk.problems.class_products import add_products, class_scored, class_tiles, write_scores
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import (
    Gradient,
    LossAt,
    extrapolated_gradient,
    hessian_products,
    line_slope,
    loss_at,
    risk_gradient,
    scores_at,
    sum_of_rows,
    to_curvatures,
)
from empirisk.protocols import Matrix, Vector
from empirisk.rows.protocol import RowBlock, RowVector, Task
from empirisk.vector_losses.on_matrices import (
    evaluate_scores,
    extrapolate,
    slope_along_scores,
    to_class_curvatures,
    to_gradients,
    to_products,
)

CLASSES_AT_A_TIME = 32  # where sums are split over the classes


@risk_gradient.register
def _(problem: MulticlassRisk, x: Matrix, scores: RowVector) -> Gradient:
    rows = (problem.labels, problem.weights)
    slope, said = _sum_over_rows(problem, x, (_add_gradient, _gradients), (), rows, (scores,))
    return Gradient(exact_sum(risk for risks in said for risk in risks), slope)


@extrapolated_gradient.register
def _(
    problem: MulticlassRisk, x: Matrix, beta: float, old_scores: RowVector, scores: RowVector
) -> tuple[float, Gradient]:
    rows = (problem.labels, problem.weights, old_scores)
    slope, said = _sum_over_rows(problem, x, (_add_extrapolated, _extrapolated), (beta,), rows, (scores,))
    here, there = zip(*(pair for pairs in said for pair in pairs), strict=True)
    return exact_sum(here), Gradient(exact_sum(there), slope)


@scores_at.register
def _(problem: MulticlassRisk, x: Matrix) -> RowVector:
    return class_scored(problem.rows, x)


@loss_at.register
def _(problem: MulticlassRisk, scores: RowVector) -> LossAt:
    rows, shape = problem.rows, (problem.n_classes,)
    slopes, curvatures = rows.blank(shape), rows.blank(shape)
    parts, writes = (problem.labels, problem.weights, scores), (slopes, curvatures)
    risks = rows.each(_evaluate_block, *_loss_of(problem), rows=parts, writes=writes, work=problem.work)
    return LossAt(exact_sum(risks), slopes, curvatures)


@sum_of_rows.register
def _(problem: MulticlassRisk, coefficients: RowVector) -> Matrix:
    shape = (problem.rows.n_columns + 1, problem.n_classes)
    split = CLASSES_AT_A_TIME if problem.rows.is_sparse else 0
    total, _ = problem.rows.total(_add_rows, rows=(coefficients,), shape=shape, work=problem.work, split=split)
    return _fitted(problem, total)


@line_slope.register
def _(problem: MulticlassRisk, scores: RowVector, change: RowVector, t: float) -> float:
    rows = (problem.labels, problem.weights, scores, change)
    return exact_sum(problem.rows.each(_slope_along, *_loss_of(problem), t, rows=rows, work=problem.work))


@to_curvatures.register
def _(problem: MulticlassRisk, scores: RowVector) -> RowVector:
    parts = (problem.labels, scores)
    problem.rows.each(_curvatures_of_block, problem.loss, rows=parts, writes=(scores,), work=problem.work)
    return scores


class HessianProducts:
    """The Hessian as an operator."""

    def __init__(self, problem: MulticlassRisk, curvatures: RowVector) -> None:
        self.problem, self.curvatures = problem, curvatures
        self.active_share = 1.0

    def apply(self, p: Matrix) -> Matrix:
        """H p."""
        problem, rows = self.problem, (self.problem.weights, self.curvatures)
        product, _ = _sum_over_rows(problem, p, (_add_product, _products), (), rows, ())
        product[:-1] += problem.regularizer.l2 * p[:-1]
        return product


hessian_products.register(MulticlassRisk, HessianProducts)


def _sum_over_rows(
    problem: MulticlassRisk,
    x: Matrix,
    tasks: tuple[Task, Task],
    args: tuple[Any, ...],
    rows: tuple[RowVector, ...],
    writes: tuple[RowVector, ...],
) -> tuple[Matrix, list[Any]]:
    """sum_i a_i (x_i, 1)^T, transposed, and what the task returned for each block.

    The first task adds the sum, while a tile is in the cache; the second one only writes the a_i, where the sum is too
    large to be held for every leaf of the tree, and is made for a range of the classes at a time.
    """
    data, args = problem.rows, (*_loss_of(problem), x, *args)
    by_classes = data.is_sparse and x.shape[1] > CLASSES_AT_A_TIME and len(data.tree.leaves(x.size, problem.work)) == 1
    if not by_classes:
        total, said = data.total(tasks[0], *args, rows=rows, writes=writes, shape=x.shape, work=problem.work)
        return _fitted(problem, total), said
    kept = data.blank(x.shape[1:])
    said = data.each(tasks[1], *args, rows=rows, writes=(*writes, kept), work=problem.work)
    return sum_of_rows(problem, kept), said


def _fitted(problem: MulticlassRisk, slope: Matrix) -> Matrix:
    """With zeros for intercepts that are not fitted."""
    if not problem.fit_intercept:
        slope[-1] = 0.0
    return slope


def _loss_of(problem: MulticlassRisk) -> tuple[Any, float]:
    return problem.loss, 1.0 / problem.total_weight


def _run_tiles(
    block: RowBlock, x: Matrix, at_rows: Callable[[slice, Matrix], Any], out: Matrix | None, kept: Matrix | None
) -> list[Any]:
    """What at_rows(rows, a) says of each tile; it replaces the scores in `a` by the coefficients of the rows.

    These are added up into `out`, or written to `kept`.
    """
    said = []
    for at, tile in class_tiles(block.design, x.shape[1]):
        a = np.empty((tile.n_rows(), x.shape[1])) if kept is None else kept[at]
        dense = write_scores(tile, x, a)
        said.append(at_rows(at, a))
        if out is not None:
            add_products(tile, dense, a, out)
    return said


def _add_gradient(
    block: RowBlock,
    loss: Any,
    scale: float,
    x: Matrix,
    labels: Vector,
    weights: Vector,
    out: Matrix | None,
    scores: Matrix,
    kept: Matrix | None = None,
) -> list[float]:
    def at_rows(at: slice, a: Matrix) -> float:
        scores[at] = a
        return float(to_gradients(loss, labels[at], weights[at], scale, scores[at], a))

    return _run_tiles(block, x, at_rows, out, kept)


def _gradients(block: RowBlock, *parts: Any) -> list[float]:
    *given, scores, kept = parts
    return _add_gradient(*(block, *given, None, scores, kept))


def _add_extrapolated(
    block: RowBlock,
    loss: Any,
    scale: float,
    x: Matrix,
    beta: float,
    labels: Vector,
    weights: Vector,
    old_scores: Matrix,
    out: Matrix | None,
    scores: Matrix,
    kept: Matrix | None = None,
) -> list[tuple[float, float]]:
    def at_rows(at: slice, a: Matrix) -> Any:
        scores[at] = a
        return extrapolate(loss, labels[at], weights[at], scale, beta, old_scores[at], scores[at], a)

    return _run_tiles(block, x, at_rows, out, kept)


def _extrapolated(block: RowBlock, *parts: Any) -> list[tuple[float, float]]:
    *given, scores, kept = parts
    return _add_extrapolated(*(block, *given, None, scores, kept))


def _add_product(
    block: RowBlock,
    loss: Any,
    scale: float,
    p: Matrix,
    weights: Vector,
    curvatures: Matrix,
    out: Matrix | None,
    kept: Matrix | None = None,
) -> None:
    _run_tiles(block, p, lambda at, a: to_products(loss, weights[at], scale, curvatures[at], a), out, kept)


def _products(block: RowBlock, *parts: Any) -> None:
    *given, kept = parts
    _add_product(*(block, *given, None, kept))


def _add_rows(block: RowBlock, classes: slice, coefficients: Matrix, out: Matrix) -> None:
    for at, tile in class_tiles(block.design, coefficients.shape[1]):
        add_products(tile, None, coefficients[at, classes], out)


def _evaluate_block(
    block: RowBlock,
    loss: Any,
    scale: float,
    labels: Vector,
    weights: Vector,
    scores: Matrix,
    slopes: Matrix,
    curvatures: Matrix,
) -> float:
    return float(evaluate_scores(loss, labels, weights, scale, scores, slopes, curvatures))


def _slope_along(
    block: RowBlock, loss: Any, scale: float, t: float, labels: Vector, weights: Vector, scores: Matrix, change: Matrix
) -> float:
    return float(slope_along_scores(loss, labels, weights, scale, scores, change, t))


def _curvatures_of_block(block: RowBlock, loss: Any, labels: Vector, scores: Matrix, out: Matrix) -> None:
    if out is not scores:
        out[:] = scores
    to_class_curvatures(loss, labels, out)
