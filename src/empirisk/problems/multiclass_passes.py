"""Full passes over the data of a multi-class risk: scores, gradient, products with the Hessian.

A point is one array x of (d + 1) x K floats: the weights, transposed, and the intercepts as its last row. The classes
are contiguous, so that each stored entry of a sparse row does K adjacent multiply-adds; dense rows go through BLAS,
a tile at a time, and a tile is used for the scores and for the sum while it is in the cache.

Each pass is a map over row blocks and a sum in block order. Where a sum over the rows is too large to be held once
for every block (wide sparse data), it is computed for a range of the classes at a time instead. Either way it comes
out with the same bytes for any number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import exact_sum
from empirisk.compiled import kernel
from empirisk.designs import Dense
from empirisk.protocols import Matrix, Vector
from empirisk.rows.blocks import Block, map_blocks, row_blocks, sum_parts

TILE_ENTRIES = 1 << 16  # of dense rows, and of their scores: they stay in the second-level cache
CLASSES_AT_A_TIME = 32  # where sums are split over the classes


class MulticlassGradient(NamedTuple):
    """An objective at a point and its gradient, shaped like the point."""

    objective: float
    slope: Matrix


def as_point(w: Matrix, b: Vector) -> Matrix:
    """Weights K x d and intercepts as one array, (d + 1) x K."""
    return np.vstack([w.T, b])


def from_point(x: Matrix) -> tuple[Matrix, Vector]:
    """Weights, a K x d view, and intercepts."""
    return x[:-1].T, x[-1].copy()


def gradient(problem: Any, x: Matrix, scores: Matrix) -> MulticlassGradient:
    """Objective and gradient at x, where the regularizer is l2 alone; writes the scores."""
    scale = 1.0 / problem.total_weight

    def at_rows(first: int, last: int, out: Matrix) -> float:
        return _loss_gradients(
            problem.loss, problem.labels[first:last], problem.weights[first:last], scale, scores[first:last], out
        )

    slope, risks = sum_over_rows(problem, x, at_rows, scores)
    risk = exact_sum(risks)
    weights, l2 = x[:-1], problem.regularizer.l2
    slope[:-1] += l2 * weights
    if not problem.fit_intercept:
        slope[-1] = 0.0
    return MulticlassGradient(risk + 0.5 * l2 * float(np.vdot(weights, weights)), slope)


def to_curvatures(problem: Any, scores: Matrix) -> Matrix:
    """Replace the scores of each row by what the loss needs for products with its Hessian there, in place."""
    _each_block(problem, lambda first, last: _curvatures(problem.loss, problem.labels[first:last], scores[first:last]))
    return scores


class HessianProducts:
    """The Hessian as an operator on points."""

    def __init__(self, problem: Any, curvatures: Matrix) -> None:
        self.problem, self.curvatures = problem, curvatures

    def apply(self, p: Matrix) -> Matrix:
        """H p."""
        problem, scale = self.problem, 1.0 / self.problem.total_weight

        def at_rows(first: int, last: int, out: Matrix) -> float:
            _curve(problem.loss, problem.weights[first:last], scale, self.curvatures[first:last], out)
            return 0.0

        product, _ = sum_over_rows(problem, p, at_rows)
        product[:-1] += problem.regularizer.l2 * p[:-1]
        if not problem.fit_intercept:
            product[-1] = 0.0
        return product


def scores_of(problem: Any, x: Matrix) -> Matrix:
    """W x_i + b for each row, n x K."""
    out = np.empty((problem.design.n_rows(), x.shape[1]))

    def task(first: int, last: int) -> None:
        for start, stop in _tiles(problem.design, x.shape[1], first, last):
            _scores(problem.design, start, stop, x, out[start:stop])

    _each_block(problem, task)
    return out


def mean_loss(problem: Any, scores: Matrix) -> float:
    """The mean loss at these scores."""
    scale = 1.0 / problem.total_weight

    def task(block: Block) -> float:
        rows = slice(*block)
        return _sum_losses(problem.loss, problem.labels[rows], problem.weights[rows], scale, scores[rows])

    return exact_sum(map_blocks(task, _plain_blocks(problem), problem.n_threads))


def line_slope(problem: Any, scores: Matrix, change: Matrix, t: float) -> float:
    """The derivative of the mean loss in t, where the scores are scores + t change."""
    scale = 1.0 / problem.total_weight

    def task(block: Block) -> float:
        rows = slice(*block)
        return _line_slope(
            problem.loss, problem.labels[rows], problem.weights[rows], scale, scores[rows], change[rows], t
        )

    return sum(map_blocks(task, _plain_blocks(problem), problem.n_threads))


def sum_over_rows(
    problem: Any, x: Matrix, at_rows: Callable[[int, int, Matrix], float], scores: Matrix | None = None
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
        for first, last in _tiles(design, n_classes, *block):
            a = np.empty((last - first, n_classes)) if kept is None else kept[first:last]
            rows = _scores(design, first, last, x, a)
            if scores is not None:
                scores[first:last] = a
            said.append(at_rows(first, last, a))
            if out is not None:
                _add(design, first, last, rows, a, out)
        return out, said

    parts = map_blocks(task, _plain_blocks(problem) if by_classes else problem.blocks, problem.n_threads)
    said = [risk for part in parts for risk in part[1]]
    if kept is None:
        return sum_parts(part[0] for part in parts), said
    return weighted_sum(problem, kept), said


def weighted_sum(problem: Any, coefficients: Matrix) -> Matrix:
    """sum_i a_i (x_i, 1)^T, transposed, for the rows a_i of `coefficients`."""
    design, n_classes = problem.design, coefficients.shape[1]
    shape = (design.n_columns() + 1, n_classes)
    if len(problem.blocks) > 1 or isinstance(design, Dense):

        def task(block: Block) -> Matrix:
            out = np.zeros(shape)
            for first, last in _tiles(design, n_classes, *block):
                _add(design, first, last, _rows(design, first, last), coefficients[first:last], out)
            return out

        return sum_parts(map_blocks(task, problem.blocks, problem.n_threads))
    total = np.zeros(shape)

    def some_classes(first_class: int) -> None:
        classes = slice(first_class, min(first_class + CLASSES_AT_A_TIME, n_classes))
        _add_sparse(design, 0, design.n_rows(), coefficients[:, classes], total[:, classes])

    map_blocks(some_classes, list(range(0, n_classes, CLASSES_AT_A_TIME)), problem.n_threads)
    return total


def _plain_blocks(problem: Any) -> list[Block]:
    """Blocks for work without sums of its own."""
    return row_blocks(problem.design, 1, problem.work)


def _each_block(problem: Any, task: Callable[[int, int], Any]) -> None:
    map_blocks(lambda block: task(*block), _plain_blocks(problem), problem.n_threads)


def _tiles(design: Any, n_classes: int, first: int, last: int) -> Iterator[Block]:
    """Ranges of rows that are worked on at a time."""
    width = max(design.n_columns(), n_classes) if isinstance(design, Dense) else n_classes
    size = max(64, TILE_ENTRIES // width)
    for start in range(first, last, size):
        yield start, min(start + size, last)


def _rows(design: Any, first: int, last: int) -> Any:
    """A tile of dense rows as float64; None for sparse ones."""
    return design.values[first:last].astype(np.float64, copy=False) if isinstance(design, Dense) else None


def _scores(design: Any, first: int, last: int, x: Matrix, out: Matrix) -> Any:
    """Write the scores of these rows, and return the tile."""
    rows = _rows(design, first, last)
    if rows is None:
        _sparse_scores(design.values, design.indices, design.starts, first, last, x, out)
    else:
        np.matmul(rows, x[:-1], out=out)
        if np.any(x[-1]):
            out += x[-1]
    return rows


def _add(design: Any, first: int, last: int, rows: Any, a: Matrix, out: Matrix) -> None:
    """Add the sum of a_i (x_i, 1)^T, transposed, over these rows."""
    if rows is None:
        _add_sparse(design, first, last, a, out)
    else:
        out[:-1] += rows.T @ a
        out[-1] += np.ones(a.shape[0]) @ a  # a product runs on vectors, a sum along the rows does not


def _add_sparse(design: Any, first: int, last: int, a: Matrix, out: Matrix) -> None:
    _add_sparse_rows(design.values, design.indices, design.starts, first, last, a, out)


@kernel
def _sparse_scores(values, indices, starts, first, last, x, out):
    d = x.shape[0] - 1
    for i in range(first, last):
        z = out[i - first]
        z[:] = x[d]
        for e in range(starts[i], starts[i + 1]):
            value = np.float64(values[e])
            w = x[indices[e]]
            for j in range(z.size):
                z[j] += value * w[j]


@kernel
def _add_sparse_rows(values, indices, starts, first, last, a, out):
    d = out.shape[0] - 1
    for i in range(first, last):
        row = a[i - first]
        for e in range(starts[i], starts[i + 1]):
            value = np.float64(values[e])
            w = out[indices[e]]
            for j in range(row.size):
                w[j] += value * row[j]
        w = out[d]
        for j in range(row.size):
            w[j] += row[j]


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
def _sum_losses(loss, labels, weights, scale, scores):
    risk = 0.0
    for i in range(labels.size):
        s = scale * weights[i] if weights.size else scale
        risk += s * loss.value(scores[i], labels[i]) if s > 0.0 else 0.0
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
