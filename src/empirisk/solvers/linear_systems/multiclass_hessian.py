"""Hessians of multi-class problems as matrices: whole, or one block a class.

With a_i = (x_i, 1) and h_ic the second derivative of the loss in score c, the block of class c is
sum_i s_i/S h_ic a_i a_i^T. Softmax couples the classes: its Hessian has the blocks with p_ic in place of h_ic,
minus sum_i s_i/S (a_i x p_i)(a_i x p_i)^T, where x is the Kronecker product. BLAS forms both from tiles of rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from empirisk.designs import CSR, Dense, matrix_of, rows_between
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import shares
from empirisk.protocols import Matrix, Vector
from empirisk.rows.protocol import RowBlock, RowVector
from empirisk.rows.threads import in_threads
from empirisk.solvers.linear_systems.cholesky import factored, solved_or_kept

TILE_ENTRIES = 1 << 18
SMALL = 200  # coordinates of one that costs less than starting on products
LARGEST = 4096  # coordinates of a whole Hessian: 128 MiB
MOST_PRODUCTS = 10.0  # that a whole Hessian may cost
SLOWNESS = 3.0  # of products beside BLAS on large matrices, a multiply-add each: they wait for memory


def whole_is_cheap(problem: MulticlassRisk) -> bool:
    """Forming and factoring the Hessian costs nothing to speak of, or less than about 10 products with it."""
    n, d, n_classes = problem.rows.n_rows, problem.rows.n_columns + 1, problem.n_classes
    size, count = (d, n_classes) if problem.loss.splits() else (d * n_classes, 1)
    if size <= SMALL:
        return True
    return size <= LARGEST and count * (0.5 * n * size**2 + size**3 / 3.0) <= MOST_PRODUCTS * product_cost(problem)


def product_cost(problem: MulticlassRisk) -> float:
    """What a product with the Hessian costs, in multiply-adds of BLAS."""
    return SLOWNESS * 2.0 * problem.rows.n_entries * problem.n_classes


def whole_direction(problem: MulticlassRisk, curvatures: Matrix, slope: Matrix) -> Matrix:
    """The solution of H p = -slope, by Cholesky; `curvatures` are those of the loss."""
    if not problem.loss.splits():
        matrix = softmax_hessian(problem, curvatures)
        add_penalty(problem, matrix)
        return solved_or_kept(factored(matrix), -slope.ravel()).reshape(slope.shape)
    blocks = class_blocks(problem, curvatures, 1.0)

    def task(c: int) -> Vector:
        return solved_or_kept(factored(add_penalty(problem, blocks[c])), -slope[:, c])

    return np.column_stack(in_threads(task, list(range(problem.n_classes)), problem.n_threads))


def softmax_hessian(problem: MulticlassRisk, curvatures: Matrix) -> Matrix:
    """That of mean softmax; coordinate j K + c is column j of class c, and the intercepts are the last K."""
    n_classes, scale = problem.n_classes, problem.loss.scale
    matrix = -outer_products(problem, curvatures, scale)
    for c, block in enumerate(class_blocks(problem, curvatures, scale)):
        matrix[c::n_classes, c::n_classes] += block
    if problem.fit_intercept:  # the sum of the intercepts is free: some curvature keeps it where it is
        matrix[-n_classes:, -n_classes:] += 1.0 / n_classes
    return matrix


def augmented(design: Dense | CSR, has_intercepts: bool) -> Matrix:
    """These rows as a dense float64 array, with a column of ones where there are intercepts."""
    part = matrix_of(design)
    part = part if isinstance(design, Dense) else part.toarray()
    if not has_intercepts:
        return part.astype(np.float64, copy=False)
    out = np.ones((part.shape[0], part.shape[1] + 1))
    out[:, :-1] = part
    return out


def add_penalty(problem: MulticlassRisk, matrix: Matrix) -> Matrix:
    """Add l2 to the diagonal of the weights, of one class or of all; the intercepts are last."""
    size, columns = matrix.shape[0], problem.rows.n_columns
    at = np.arange(columns * (size // (columns + problem.fit_intercept)))
    matrix[at, at] += problem.regularizer.l2
    return matrix


def class_blocks(problem: MulticlassRisk, curvatures: RowVector, scale: float) -> Matrix:
    """scale sum_i s_i/S h_ic a_i a_i^T for each class c, with the curvatures h_ic."""
    n_classes, size = problem.n_classes, problem.rows.n_columns + problem.fit_intercept
    shape, work = (n_classes, size, size), n_classes * size / 8.0
    rows, args = (shares(problem), curvatures), (problem.fit_intercept, scale)
    return problem.rows.total(_add_class_blocks, *args, rows=rows, shape=shape, work=work)[0]


def outer_products(problem: MulticlassRisk, curvatures: RowVector, scale: float) -> Matrix:
    """scale sum_i s_i/S (a_i x h_i)(a_i x h_i)^T, with the curvatures h_i."""
    size = (problem.rows.n_columns + problem.fit_intercept) * problem.n_classes
    shape, work = (size, size), size * problem.n_classes / 8.0
    rows, args = (shares(problem), curvatures), (problem.fit_intercept, scale)
    return problem.rows.total(_add_outer_products, *args, rows=rows, shape=shape, work=work)[0]


def _add_class_blocks(
    block: RowBlock, has_intercepts: bool, scale: float, weights: Vector, curvatures: Matrix, out: Matrix
) -> None:
    for at, rows in _tiles(block.design, has_intercepts, out.shape[-1]):
        roots = np.sqrt(scale * weights[at, None] * curvatures[at])
        for c in range(out.shape[0]):
            scaled = rows * roots[:, c, None]
            out[c] += scaled.T @ scaled


def _add_outer_products(
    block: RowBlock, has_intercepts: bool, scale: float, weights: Vector, curvatures: Matrix, out: Matrix
) -> None:
    for at, rows in _tiles(block.design, has_intercepts, out.shape[-1]):
        roots = np.sqrt(scale * weights[at, None]) * curvatures[at]
        products = (rows[:, :, None] * roots[:, None, :]).reshape(rows.shape[0], out.shape[-1])
        out += products.T @ products


def _tiles(design: Dense | CSR, has_intercepts: bool, width: int) -> Iterator[tuple[slice, Matrix]]:
    """Where a tile is among the rows of the design, and its rows, augmented."""
    size, n = max(64, TILE_ENTRIES // width), design.n_rows()
    for first in range(0, n, size):
        last = min(first + size, n)
        yield slice(first, last), augmented(rows_between(design, first, last), has_intercepts)
