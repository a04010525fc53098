"""A Gaussian prior over planes from some of the rows, and what a plane is to it: divergence and margins on other rows.

With z~ = (x, 1) (x alone without an intercept), w0 a plane made from the n0 rows of the prior and its scores z_i
there, p_i = 1 / (1 + exp(-z_i)),

    A = l2 I + (1/n0) sum_i p_i (1 - p_i) z~_i z~_i^T,       Sigma = A^-1 / n0,       prior N(w0, c Sigma)

is about what the plane of n0 other rows would be drawn from (c = 1). For a posterior N(w, c Sigma)

    KL = (w - w0)^T Sigma^-1 (w - w0) / (2 c),       m_i = y_i <w, z~_i> / sqrt(c z~_i^T Sigma z~_i)

and a draw has row i on the wrong side with probability Phi(-m_i). Beyond MOST_COLUMNS A is its diagonal.

Rounding: A = D^-1 C D^-1 with D powers of two, L the computed root of C and M its computed inverse. The prior *is* the
Gaussian with Sigma = D M^T M D / n0, these numbers exactly: it depends on the rows of the prior alone, and M^T M need
not be the inverse of anything. Then ||M^-T u|| <= ||L^T u|| / (1 - ||I - M L||), and M z is a product, whose rounding
`product_rounding` bounds. Another machine has another M, and another bound, as valid.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from empirisk.arithmetic import TINY, UNIT
from empirisk.blas_threads import one_blas_thread
from empirisk.bounds.augmented_rows import chunks, lengths_of, product_rounding, with_one
from empirisk.designs import CSR, Dense, matrix_of
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import risk_hessian, scored, squared_column_norms
from empirisk.protocols import Matrix, Vector

MOST_COLUMNS = 5000  # with a full A
LEAST_RIDGE = 1e-10  # of a column's curvature: columns that depend on each other, and no l2, leave A singular


class GaussianPrior(NamedTuple):
    """N(w0, c Sigma), c to be chosen."""

    center: Vector  # w0, the intercept last where there is one
    powers: Vector  # D
    root: Matrix | Vector  # L; a vector where A is diagonal
    inverse: Matrix | Vector  # M
    defect: float  # an upper bound of ||I - M L||, below 1/2
    n_rows: int  # n0
    has_intercept: bool

    @np.errstate(all="ignore")  # what overflows is refused
    def divergence(self, w: Vector) -> float:
        """KL of N(w, Sigma) from N(w0, Sigma), rounded up; for c Sigma it is divided by c."""
        u = (w - self.center) / self.powers
        off = product_rounding(w.size) * (np.abs(w) + np.abs(self.center)) / self.powers
        if self.root.ndim == 1:
            size = _norm(self.root * u) + _norm(self.root * off)
        else:
            off += product_rounding(w.size) * np.abs(u)
            with one_blas_thread():
                size = _norm(self.root.T @ u) + _norm(np.abs(self.root).T @ off)
        size = size * (1.0 + product_rounding(w.size)) / (1.0 - self.defect)
        found = float(0.5 * self.n_rows * size * size * (1.0 + 8.0 * UNIT))
        if not math.isfinite(found):
            raise ValueError("the plane is infinitely far from that of the prior, in floating point")
        return found

    def margins(self, design: Dense | CSR, y: Vector, w: Vector) -> Vector:
        """Lower bounds of the m_i at c = 1; for c they are divided by sqrt(c). Minus infinity where nothing is sure."""
        matrix, found = matrix_of(design), np.empty(design.n_rows())
        with one_blas_thread():
            for rows in chunks(design):
                found[rows] = self._margins(with_one(matrix[rows], self.has_intercept), y[rows], w)
        return found

    @np.errstate(all="ignore")  # what overflows is not sure
    def _margins(self, rows: Any, y: Vector, w: Vector) -> Vector:
        off, products = product_rounding(w.size), np.asarray(rows @ w)
        scaled = np.multiply(rows, self.powers, out=rows) if isinstance(rows, np.ndarray) else rows * self.powers
        lengths = lengths_of(scaled) * (1.0 + off) + TINY
        if self.inverse.ndim == 1:
            spread, size = lengths_of(scaled * self.inverse), 0.0
        else:
            spread, size = lengths_of(scaled @ self.inverse.T), float(np.linalg.norm(self.inverse))
        blur = off * (size * lengths + spread) + TINY
        scores = y * products - off * (lengths * _norm(w / self.powers)) - TINY
        deviations = np.where(scores > 0.0, spread + blur, spread - blur)
        found = scores / deviations * math.sqrt(self.n_rows)
        found -= 4.0 * UNIT * np.abs(found)
        return np.where((deviations > 0.0) & np.isfinite(found), found, -math.inf)


def gaussian_prior(design: Dense | CSR, center: Vector, has_intercept: bool, l2: float) -> GaussianPrior:
    """The prior around the plane w0 of these rows, the intercept last where there is one."""
    n = design.n_rows()
    problem = EmpiricalRisk(design, np.ones(n), l2=0.0, fit_intercept=has_intercept)
    w, b = (center[:-1], float(center[-1])) if has_intercept else (center, 0.0)
    with one_blas_thread(), np.errstate(all="ignore"):
        odds = np.exp(-np.abs(scored(problem.rows, w, b)))
        curvatures = odds / (1.0 + odds) ** 2 / n
        if center.size > MOST_COLUMNS:
            A = np.append(squared_column_norms(problem, curvatures), [curvatures.sum()] if has_intercept else [])
        else:
            A = risk_hessian(problem, curvatures)
        prior = _factored(center, A, l2, n, has_intercept)
    if prior is None:
        raise ValueError("the curvature of the prior's rows cannot be inverted, it is too uneven: scale the columns")
    return prior


def _factored(center: Vector, A: Any, l2: float, n: int, has_intercept: bool) -> GaussianPrior | None:
    """With A + l2 I, of which the lower triangle counts; None where it cannot be inverted. Writes into A."""
    own = A if A.ndim == 1 else np.diagonal(A)
    diagonal = own + np.maximum(l2, LEAST_RIDGE * np.where(own > 0.0, own, np.max(own)))
    if not (np.all(np.isfinite(diagonal)) and np.all(diagonal > 0.0)):
        return None
    powers = np.ldexp(1.0, -(np.frexp(diagonal)[1] // 2))
    if A.ndim == 1:
        root = np.sqrt(diagonal) * powers
        return GaussianPrior(center, powers, root, 1.0 / root, 8.0 * UNIT, n, has_intercept)
    np.fill_diagonal(A, diagonal)
    A *= powers
    A *= powers[:, None]
    try:
        root = scipy.linalg.cholesky(A, lower=True)
        inverse = scipy.linalg.solve_triangular(root, np.eye(len(root)), lower=True)
    except (scipy.linalg.LinAlgError, ValueError):
        return None
    off = product_rounding(len(root)) * float(np.linalg.norm(inverse)) * float(np.linalg.norm(root))
    defect = float(np.linalg.norm(np.eye(len(root)) - inverse @ root)) * (1.0 + product_rounding(len(root) ** 2)) + off
    return GaussianPrior(center, powers, root, inverse, defect, n, has_intercept) if defect < 0.5 else None


def _norm(x: Vector) -> float:
    return float(np.linalg.norm(x)) + TINY
