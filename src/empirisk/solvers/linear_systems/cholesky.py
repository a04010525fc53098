"""Cholesky factors of a matrix whose columns may be of very different size."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg

from empirisk.protocols import Matrix, Vector


class Factored(NamedTuple):
    """A positive matrix as scale L L^T scale, L L^T of unit diagonal."""

    lower: Matrix
    scale: Vector

    def solve(self, right: Vector) -> Vector:
        """The inverse times a vector."""
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
