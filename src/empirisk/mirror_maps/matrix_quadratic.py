"""The mirror map of steps through a matrix."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.compiled import kernel
from empirisk.mirror_maps.quadratic_models import minimize_quadratic
from empirisk.protocols import Array

NONE = np.empty((0, 0))


class MatrixQuadratic(NamedTuple):
    """psi(w) = <w, A w> / 2, A symmetric and positive definite: steps go through its inverse.

    Norm: sqrt(<w, A w>), dual norm: sqrt(<v, A^-1 v>); modulus 1. Any penalty and set, on few columns.
    Use it where the correlations of the columns are known beforehand.
    Reference: Duchi, Hazan and Singer (2011), section 1.
    """

    matrix: Array  # A
    inverted: Array = NONE  # made from it

    def checked(self):
        """With an array and its inverse; refuses what is no such matrix."""
        try:
            A = np.array(self.matrix, dtype=np.float64)
            if A.ndim == 1:  # row after row, as texts have it
                A = A.reshape(math.isqrt(A.size), -1)
            is_square = A.ndim == 2 and 0 < A.shape[0] == A.shape[1] and bool(np.all(np.isfinite(A)))
            if is_square and np.array_equal(A, A.T) and np.linalg.eigvalsh(A)[0] > 0.0:
                inverted = np.linalg.inv(A)
                return MatrixQuadratic(A, 0.5 * (inverted + inverted.T))
        except (TypeError, ValueError, np.linalg.LinAlgError):
            pass
        raise ValueError("the matrix of matrix_quadratic must be symmetric and positive definite, of finite numbers")

    def column_count(self):
        """How many it is for."""
        return self.matrix.shape[0]

    def value(self, w):
        """<w, A w> / 2."""
        return 0.5 * quadratic_form(self.matrix, w)

    def gradient(self, w, out):
        """A w."""
        write_product(self.matrix, w, out)

    def inverse(self, v, out):
        """A^-1 v."""
        write_product(self.inverted, v, out)

    def divergence(self, u, w):
        """<u - w, A (u - w)> / 2."""
        return 0.5 * quadratic_form(self.matrix, u - w)

    def minimizer(self, v, step, omega, out):
        """-A^-1 v where Omega is least too; else the minimiser is searched for."""
        write_product(self.inverted, v, out)
        for j in range(v.size):
            out[j] = -out[j]
        if omega.value(out) != 0.0:
            minimize_quadratic(self.matrix, v, step, omega, out)

    def project(self, constraint, w, out):
        """The point of the set closest to w in the norm."""
        v = np.empty(w.size)
        write_product(self.matrix, w, v)
        for j in range(w.size):
            v[j] = -v[j]
            out[j] = w[j]
        minimize_quadratic(self.matrix, v, 1.0, constraint, out)

    def norm(self, w):
        """sqrt(<w, A w>)."""
        return math.sqrt(quadratic_form(self.matrix, w))

    def dual_norm(self, v):
        """sqrt(<v, A^-1 v>)."""
        return math.sqrt(quadratic_form(self.inverted, v))

    def dual_square(self, X, i):
        """<x_i, A^-1 x_i>."""
        total = 0.0
        for e in range(X.row_size(i)):
            line, part = self.inverted[X.column_at(i, e)], 0.0
            for f in range(X.row_size(i)):
                part += line[X.column_at(i, f)] * X.entry_at(i, f)
            total += X.entry_at(i, e) * part
        return total

    def modulus(self):
        """1."""
        return 1.0


@kernel
def write_product(matrix, x, out):
    """matrix x."""
    for j in range(x.size):
        total = 0.0
        for k in range(x.size):
            total += matrix[j, k] * x[k]
        out[j] = total


@kernel
def quadratic_form(matrix, x):
    """<x, matrix x>, at least 0."""
    total = 0.0
    for j in range(x.size):
        for k in range(x.size):
            total += x[j] * matrix[j, k] * x[k]
    return max(total, 0.0)
