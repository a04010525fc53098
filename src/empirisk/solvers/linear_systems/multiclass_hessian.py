"""Hessians of multi-class problems as matrices: whole, or one block a class.

With a_i = (x_i, 1) and h_ic the second derivative of the loss in score c, the block of class c is
sum_i s_i/S h_ic a_i a_i^T. Softmax couples the classes: its Hessian has the blocks with p_ic in place of h_ic,
minus sum_i s_i/S (a_i x p_i)(a_i x p_i)^T, where x is the Kronecker product. BLAS forms both from tiles of rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import Dense, matrix_of, n_entries
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import shares
from empirisk.protocols import Matrix, Vector
from empirisk.rows.blocks import Block, map_blocks, row_blocks, sum_parts
from empirisk.solvers.linear_systems.cholesky import factored, solved_or_kept

TILE_ENTRIES = 1 << 18
SMALL = 200  # coordinates of one that costs less than starting on products
LARGEST = 4096  # coordinates of a whole Hessian: 128 MiB
MOST_PRODUCTS = 10.0  # that a whole Hessian may cost
SLOWNESS = 3.0  # of products beside BLAS on large matrices, a multiply-add each: they wait for memory


def whole_is_cheap(problem: MulticlassRisk) -> bool:
    """Forming and factoring the Hessian costs nothing to speak of, or less than about 10 products with it."""
    n, d, n_classes = problem.design.n_rows(), problem.design.n_columns() + 1, problem.n_classes
    size, count = (d, n_classes) if problem.loss.splits() else (d * n_classes, 1)
    if size <= SMALL:
        return True
    return size <= LARGEST and count * (0.5 * n * size**2 + size**3 / 3.0) <= MOST_PRODUCTS * product_cost(problem)


def product_cost(problem: MulticlassRisk) -> float:
    """What a product with the Hessian costs, in multiply-adds of BLAS."""
    return SLOWNESS * 2.0 * n_entries(problem.design) * problem.n_classes


def whole_direction(problem: MulticlassRisk, curvatures: Matrix, slope: Matrix) -> Matrix:
    """The solution of H p = -slope, by Cholesky; `curvatures` are those of the loss."""
    if not problem.loss.splits():
        matrix = softmax_hessian(problem, curvatures)
        add_penalty(problem, matrix)
        return solved_or_kept(factored(matrix), -slope.ravel()).reshape(slope.shape)
    blocks = _class_blocks(problem, shares(problem)[:, None] * curvatures)

    def task(c: int) -> Vector:
        return solved_or_kept(factored(add_penalty(problem, blocks[c])), -slope[:, c])

    return np.column_stack(map_blocks(task, list(range(problem.n_classes)), problem.n_threads))


def softmax_hessian(problem: MulticlassRisk, curvatures: Matrix) -> Matrix:
    """That of mean softmax; coordinate j K + c is column j of class c, and the intercepts are the last K."""
    n_classes, weights = problem.n_classes, problem.loss.scale * shares(problem)
    matrix = -_outer_products(problem, np.sqrt(weights)[:, None] * curvatures)
    for c, block in enumerate(_class_blocks(problem, weights[:, None] * curvatures)):
        matrix[c::n_classes, c::n_classes] += block
    if problem.fit_intercept:  # the sum of the intercepts is free: some curvature keeps it where it is
        matrix[-n_classes:, -n_classes:] += 1.0 / n_classes
    return matrix


def augmented(problem: MulticlassRisk, rows: slice | NDArray[np.int64]) -> Matrix:
    """These rows of X as a dense float64 array, with a column of ones where there are intercepts."""
    part = matrix_of(problem.design)[rows]
    part = part if isinstance(problem.design, Dense) else part.toarray()
    if not problem.fit_intercept:
        return part.astype(np.float64, copy=False)
    out = np.ones((part.shape[0], part.shape[1] + 1))
    out[:, :-1] = part
    return out


def add_penalty(problem: MulticlassRisk, matrix: Matrix) -> Matrix:
    """Add l2 to the diagonal of the weights, of one class or of all; the intercepts are last."""
    size, columns = matrix.shape[0], problem.design.n_columns()
    at = np.arange(columns * (size // (columns + problem.fit_intercept)))
    matrix[at, at] += problem.regularizer.l2
    return matrix


def _class_blocks(problem: MulticlassRisk, weighted: Matrix) -> Matrix:
    """sum_i weighted[i, c] a_i a_i^T for each class c."""
    n_classes, size = problem.n_classes, problem.design.n_columns() + problem.fit_intercept

    def task(block: Block) -> Matrix:
        out = np.zeros((n_classes, size, size))
        for start, stop in _tiles(block, size):
            rows = augmented(problem, slice(start, stop))
            for c in range(n_classes):
                scaled = rows * np.sqrt(weighted[start:stop, c])[:, None]
                out[c] += scaled.T @ scaled
        return out

    blocks = row_blocks(problem.design, n_classes * size * size, n_classes * size / 8.0)
    total: Matrix = sum_parts(map_blocks(task, blocks, problem.n_threads))
    return total


def _outer_products(problem: MulticlassRisk, roots: Matrix) -> Matrix:
    """sum_i (a_i x r_i)(a_i x r_i)^T for the rows r_i of `roots`."""
    size = (problem.design.n_columns() + problem.fit_intercept) * problem.n_classes

    def task(block: Block) -> Matrix:
        out = np.zeros((size, size))
        for start, stop in _tiles(block, size):
            rows = augmented(problem, slice(start, stop))
            products = (rows[:, :, None] * roots[start:stop, None, :]).reshape(stop - start, size)
            out += products.T @ products
        return out

    blocks = row_blocks(problem.design, size * size, size * problem.n_classes / 8.0)
    total: Matrix = sum_parts(map_blocks(task, blocks, problem.n_threads))
    return total


def _tiles(block: Block, width: int) -> list[Block]:
    size = max(64, TILE_ENTRIES // width)
    return [(start, min(start + size, block[1])) for start in range(block[0], block[1], size)]
