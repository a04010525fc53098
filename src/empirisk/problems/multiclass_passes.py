"""The passes of problems with many classes; registered with `passes`.

A tile of rows is used for the scores and for the sum while it is in the cache. Where a sum over the rows is too large
to be held once for every block (wide sparse data), it is computed for a range of the classes at a time instead. Either
way it comes out with the same bytes for any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from empirisk.arithmetic import exact_sum
from empirisk.compiled import kernel
from empirisk.designs import Dense
from empirisk.problems.class_products import (
    add_products,
    add_sparse_products,
    class_scores,
    tile_of,
    tiles,
    write_scores,
)
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
from empirisk.protocols import Matrix
from empirisk.rows.blocks import Block, map_blocks, row_blocks, sum_parts

CLASSES_AT_A_TIME = 32  # where sums are split over the classes


@risk_gradient.register
def _(problem: MulticlassRisk, x: Matrix, scores: Matrix) -> Gradient:
    def at_rows(first: int, last: int, out: Matrix) -> float:
        return float(_loss_gradients(*_rows_of(problem, first, last), scores[first:last], out))

    slope, risks = _sum_over_rows(problem, x, at_rows, scores)
    return Gradient(exact_sum(risks), slope)


@extrapolated_gradient.register
def _(problem: MulticlassRisk, x: Matrix, beta: float, old_scores: Matrix, scores: Matrix) -> tuple[float, Gradient]:
    here: list[float] = []  # in any order: the sum is exact

    def at_rows(first: int, last: int, out: Matrix) -> float:
        rows = slice(first, last)
        risk, there = _extrapolate(*_rows_of(problem, first, last), beta, old_scores[rows], scores[rows], out)
        here.append(risk)
        return float(there)

    slope, risks = _sum_over_rows(problem, x, at_rows, scores)
    return exact_sum(here), Gradient(exact_sum(risks), slope)


@scores_at.register
def _(problem: MulticlassRisk, x: Matrix) -> Matrix:
    return class_scores(problem.design, x, problem.n_threads)


@loss_at.register
def _(problem: MulticlassRisk, scores: Matrix) -> LossAt:
    slopes, curvatures = np.empty(scores.shape), np.empty(scores.shape)

    def task(block: Block) -> float:
        rows = slice(*block)
        return float(_evaluate(*_rows_of(problem, *block), scores[rows], slopes[rows], curvatures[rows]))

    risks = map_blocks(task, _plain_blocks(problem), problem.n_threads)
    return LossAt(exact_sum(risks), slopes, curvatures)


@sum_of_rows.register
def _(problem: MulticlassRisk, coefficients: Matrix) -> Matrix:
    design, n_classes = problem.design, coefficients.shape[1]
    shape = (design.n_columns() + 1, n_classes)
    if len(problem.blocks) > 1 or isinstance(design, Dense):

        def task(block: Block) -> Matrix:
            out = np.zeros(shape)
            for first, last in tiles(design, n_classes, *block):
                add_products(design, first, last, tile_of(design, first, last), coefficients[first:last], out)
            return out

        total: Matrix = sum_parts(map_blocks(task, problem.blocks, problem.n_threads))
        return _fitted(problem, total)
    total = np.zeros(shape)

    def some_classes(first_class: int) -> None:
        classes = slice(first_class, min(first_class + CLASSES_AT_A_TIME, n_classes))
        add_sparse_products(design, 0, design.n_rows(), coefficients[:, classes], total[:, classes])

    map_blocks(some_classes, list(range(0, n_classes, CLASSES_AT_A_TIME)), problem.n_threads)
    return _fitted(problem, total)


@line_slope.register
def _(problem: MulticlassRisk, scores: Matrix, change: Matrix, t: float) -> float:
    def task(block: Block) -> float:
        rows = slice(*block)
        return float(_line_slope(*_rows_of(problem, *block), scores[rows], change[rows], t))

    return sum(map_blocks(task, _plain_blocks(problem), problem.n_threads))


@to_curvatures.register
def _(problem: MulticlassRisk, scores: Matrix) -> Matrix:
    def task(block: Block) -> None:
        rows = slice(*block)
        _curvatures(problem.loss, problem.labels[rows], scores[rows])

    map_blocks(task, _plain_blocks(problem), problem.n_threads)
    return scores


class HessianProducts:
    """The Hessian as an operator."""

    def __init__(self, problem: MulticlassRisk, curvatures: Matrix) -> None:
        self.problem, self.curvatures = problem, curvatures
        self.active_share = 1.0

    def apply(self, p: Matrix) -> Matrix:
        """H p."""
        problem, scale = self.problem, 1.0 / self.problem.total_weight

        def at_rows(first: int, last: int, out: Matrix) -> float:
            _curve(problem.loss, problem.weights[first:last], scale, self.curvatures[first:last], out)
            return 0.0

        product, _ = _sum_over_rows(problem, p, at_rows)
        product[:-1] += problem.regularizer.l2 * p[:-1]
        return product


hessian_products.register(MulticlassRisk, HessianProducts)


def _sum_over_rows(
    problem: MulticlassRisk, x: Matrix, at_rows: Callable[[int, int, Matrix], float], scores: Matrix | None = None
) -> tuple[Matrix, list[float]]:
    """sum_i a_i (x_i, 1)^T, transposed, and what `at_rows` returned for each tile, in order.

    at_rows(first, last, out) replaces the scores in `out` by the a_i of those rows. Where `scores` is given, the scores
    are written there too.
    """
    design, n_classes = problem.design, x.shape[1]
    by_classes = len(problem.blocks) == 1 and not isinstance(design, Dense) and n_classes > CLASSES_AT_A_TIME
    kept = np.empty((design.n_rows(), n_classes)) if by_classes else None

    def task(block: Block) -> tuple[Matrix | None, list[float]]:
        out = None if by_classes else np.zeros(x.shape)
        said = []
        for first, last in tiles(design, n_classes, *block):
            a = np.empty((last - first, n_classes)) if kept is None else kept[first:last]
            rows = write_scores(design, first, last, x, a)
            if scores is not None:
                scores[first:last] = a
            said.append(at_rows(first, last, a))
            if out is not None:
                add_products(design, first, last, rows, a, out)
        return out, said

    parts = map_blocks(task, _plain_blocks(problem) if by_classes else problem.blocks, problem.n_threads)
    said = [risk for part in parts for risk in part[1]]
    if kept is None:
        return _fitted(problem, sum_parts(part[0] for part in parts)), said
    return sum_of_rows(problem, kept), said


def _fitted(problem: MulticlassRisk, slope: Matrix) -> Matrix:
    """With zeros for intercepts that are not fitted."""
    if not problem.fit_intercept:
        slope[-1] = 0.0
    return slope


def _rows_of(problem: MulticlassRisk, first: int, last: int) -> tuple[Any, ...]:
    """Loss, labels, weights and scale, for kernels on some of the rows."""
    rows = slice(first, last)
    return problem.loss, problem.labels[rows], problem.weights[rows], 1.0 / problem.total_weight


def _plain_blocks(problem: MulticlassRisk) -> list[Block]:
    """Blocks for work without sums of its own."""
    return row_blocks(problem.design, 1, problem.work)


@kernel
def _loss_gradients(loss, labels, weights, scale, scores, out):
    risk = 0.0
    for i in range(labels.size):
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            out[i, :] = 0.0
            continue
        risk += s * loss.gradient(scores[i], labels[i], out[i])
        for j in range(out.shape[1]):
            out[i, j] *= s
    return risk


@kernel
def _extrapolate(loss, labels, weights, scale, beta, old_scores, scores, out):
    here = 0.0
    there = 0.0
    z = np.empty(scores.shape[1])
    for i in range(labels.size):
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            out[i, :] = 0.0
            continue
        for j in range(z.size):
            z[j] = scores[i, j] + (beta * (scores[i, j] - old_scores[i, j]) if beta != 0.0 else 0.0)
        value = loss.gradient(z, labels[i], out[i])
        there += s * value
        here += s * (loss.value(scores[i], labels[i]) if beta != 0.0 else value)
        for j in range(z.size):
            out[i, j] *= s
    return here, there


@kernel
def _evaluate(loss, labels, weights, scale, scores, slopes, curvatures):
    """The mean loss; writes slopes and curvatures.

    The slopes are those of `_loss_gradients`, in the same loop: two loops, or a function that both call for a row, took
    up to four tenths longer, as the exponentials of a row are then computed twice.
    """
    risk = 0.0
    for i in range(labels.size):
        s = scale * weights[i] if weights.size else scale
        loss.curvature(scores[i], labels[i], curvatures[i])
        if s == 0.0:
            slopes[i, :] = 0.0
            continue
        risk += s * loss.gradient(scores[i], labels[i], slopes[i])
        for j in range(slopes.shape[1]):
            slopes[i, j] *= s
    return risk


@kernel
def _curvatures(loss, labels, scores):
    z = np.empty(scores.shape[1])
    for i in range(labels.size):
        z[:] = scores[i]
        loss.curvature(z, labels[i], scores[i])


@kernel
def _curve(loss, weights, scale, curvatures, out):
    for i in range(out.shape[0]):
        s = scale * weights[i] if weights.size else scale
        loss.hessian_product(curvatures[i], out[i], out[i])
        for j in range(out.shape[1]):
            out[i, j] *= s


@kernel
def _line_slope(loss, labels, weights, scale, scores, change, t):
    total = 0.0
    z = np.empty(scores.shape[1])
    g = np.empty(scores.shape[1])
    for i in range(labels.size):
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            continue
        for j in range(z.size):
            z[j] = scores[i, j] + t * change[i, j]
        loss.gradient(z, labels[i], g)
        along = 0.0
        for j in range(z.size):
            along += g[j] * change[i, j]
        total += s * along
    return total
