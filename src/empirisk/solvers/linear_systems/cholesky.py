"""Cholesky factors of a matrix whose columns may be of very different size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from empirisk.protocols import Matrix, Vector

DEPENDENT = 10.0 * np.finfo(float).eps  # times the number of columns: less of a column of size one is rounding


class Factored(NamedTuple):
    """A positive matrix as scale L L^T scale, L L^T of unit diagonal; or that of its independent columns."""

    lower: Matrix
    scale: Vector
    independent: NDArray[np.int64] | None = None  # those that L is of; None for all

    def solve(self, right: Vector) -> Vector:
        """The inverse times a vector; where columns depend on others, a solution that is zero at those."""
        if self.independent is not None:
            solved = np.zeros(right.size)
            part = right[self.independent] / self.scale[self.independent]
            found = scipy.linalg.cho_solve((self.lower, True), part, check_finite=False)
            solved[self.independent] = found / self.scale[self.independent]
            return solved
        return self._solve_all(right)

    def _solve_all(self, right: Vector) -> Vector:
        solved: Vector = scipy.linalg.cho_solve((self.lower, True), right / self.scale, check_finite=False) / self.scale
        return solved

    def inverse(self) -> Matrix:
        """The inverse as a matrix, for many products with one vector each."""
        inverse, _ = scipy.linalg.lapack.dpotri(self.lower, lower=True)
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        return inverse / self.scale / self.scale[:, None]


def factored(matrix: Matrix, most_jitter: float = 1.0) -> Factored | None:
    """The factors of the lower triangle (overwritten), with as much added to a unit diagonal as that takes.

    None where it takes more than `most_jitter`, or the matrix overflowed.
    """
    if not np.all(np.isfinite(np.diagonal(matrix))):
        return None
    scale = np.sqrt(np.maximum(np.diagonal(matrix), np.finfo(float).tiny))
    matrix /= scale[:, None]
    matrix /= scale
    jitter = 0.0
    while jitter <= most_jitter:
        try:
            shifted = matrix + jitter * np.eye(scale.size) if jitter else matrix
            return Factored(scipy.linalg.cholesky(shifted, lower=True, check_finite=False), scale)
        except scipy.linalg.LinAlgError:
            jitter = max(1e-14, 100.0 * jitter)
    return None


def factored_semidefinite(matrix: Matrix) -> Factored | None:
    """The factors of the independent columns (the matrix is overwritten); None where it overflowed.

    Without l2 a column that depends on others, such as the last of a group of zeros and ones beside an intercept, makes
    the matrix singular. A shift of the diagonal would turn the rounding of a gradient into steps along that dependence;
    Cholesky with pivots leaves the column out. Reference: Higham (2002), section 10.3.
    """
    diagonal = np.diagonal(matrix)
    if not np.all(np.isfinite(diagonal)):
        return None
    scale = np.sqrt(np.maximum(diagonal, np.finfo(float).tiny))
    matrix /= scale[:, None]
    matrix /= scale
    tol = DEPENDENT * scale.size
    lower, order, rank, _ = scipy.linalg.lapack.dpstrf(matrix, tol=tol, lower=1, overwrite_a=0)
    if rank == 0:
        return None
    return Factored(np.tril(lower[:rank, :rank]), scale, order[:rank] - 1)


def solved_or_kept(factors: Factored | None, right: Vector) -> Vector:
    """The inverse times a vector; entries behind the last column of the matrix, of no intercept, stay what they are.

    Where the matrix overflowed, `right` itself: steepest descent is the way out.
    """
    if factors is None:
        return right
    size = factors.scale.size
    solved = factors.solve(right[:size])
    if not np.all(np.isfinite(solved)):
        return right
    return solved if size == right.size else np.concatenate((solved, right[size:]))
