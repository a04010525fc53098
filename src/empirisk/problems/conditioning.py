"""The condition number of a problem, which tells how many steps first-order methods need."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.blas_threads import one_blas_thread
from empirisk.capabilities import offers, optional
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import hessian_products, risk_hessian, squared_column_norms
from empirisk.problems.passes import shares as row_shares
from empirisk.protocols import Problem, Unsupported, Vector
from empirisk.rows.protocol import RowVector

NARROW = 32  # columns: BLAS makes the matrix of so many in less time than nine passes take
PRODUCTS = 8  # with the matrix, each a pass
ROUNDING = 1e-12  # of the trace: more than the products and their sums can be off


class Conditioning(NamedTuple):
    """How curved the mean loss is along w at most, and the penalty at least.

    `smoothness` is loss.smoothness() times the largest eigenvalue of (1/S) X^T diag(s) X, found from below;
    `smoothness_bound` is proven to be no less than its true value. `condition` is smoothness / strong_convexity:
    gradient methods need about that many passes for a factor of e, accelerated ones its root. Infinite where the
    loss has no bound on its curvature or the penalty has none from below. The intercept, which is free, is left out.
    """

    smoothness: float
    smoothness_bound: float
    strong_convexity: float
    condition: float


@functools.singledispatch
def condition_number(problem: Problem) -> Conditioning:
    """Smoothness, strong convexity and their ratio; a problem brings its own, or its type is registered here."""
    own = optional(problem, "condition_number")
    if own is None:
        raise Unsupported(f"the condition number of {type(problem).__name__} is not known")
    found: Conditioning = own()
    return found


@condition_number.register
def _(problem: EmpiricalRisk) -> Conditioning:
    """In one pass over few columns of dense float64, which BLAS reads as they are; else in at most nine.

    The eigenvalue is then the largest Ritz value t_1 of a Krylov space (Lanczos, 1950). The others bound it from above:
    eigenvalues are at least as large as Ritz values in the same place, so the largest one is at most
    trace - t_2 - t_3 - ... (Cauchy's interlacing theorem; Horn and Johnson, 2013, theorem 4.3.17).
    """
    strong = float(problem.regularizer.strong_convexity())
    if not offers(problem.loss, "smoothness"):
        return Conditioning(math.inf, math.inf, strong, math.inf)
    rows, shares = problem.rows, row_shares(problem)
    if rows.n_columns <= NARROW and not rows.is_sparse and rows.dtype == np.float64:
        trace, ritz = _trace_and_eigenvalues(problem, shares)
    else:
        squares = squared_column_norms(problem, shares)
        trace, ritz = float(squares.sum()), _ritz_values(problem, shares, squares)
    bend = float(problem.loss.smoothness())
    largest = bend * float(ritz[-1])
    bound = bend * (trace * (1.0 + ROUNDING) - float(ritz[:-1].sum()))
    return Conditioning(largest, max(largest, bound), strong, largest / strong if strong > 0.0 else math.inf)


def _trace_and_eigenvalues(problem: EmpiricalRisk, shares: RowVector) -> tuple[float, NDArray[np.float64]]:
    """Of X^T diag(shares) X, in increasing order; infinite where a square overflows."""
    d = problem.rows.n_columns
    with one_blas_thread():
        matrix = risk_hessian(problem, shares)[:d, :d]  # of which the lower triangle is valid, and looked at
    if not np.all(np.isfinite(np.tril(matrix))):
        return math.inf, np.array([math.inf])
    values: NDArray[np.float64] = np.linalg.eigvalsh(matrix).astype(np.float64)
    return float(np.trace(matrix)), values


def _ritz_values(problem: EmpiricalRisk, shares: Vector, squares: Vector) -> NDArray[np.float64]:
    """Those of X^T diag(shares) X on a Krylov space of at most PRODUCTS dimensions, in increasing order."""
    products = hessian_products(problem.without_penalty(), shares)
    d = squares.size
    basis, images = np.empty((0, d)), np.empty((0, d))
    # Long columns are likely to be in the first eigenvector; the signs are fixed, so that answers repeat.
    direction = np.sqrt(squares) * np.random.default_rng(0).choice([-1.0, 1.0], d)
    largest = math.sqrt(float(squares.sum()))
    for _ in range(min(PRODUCTS, d)):
        for _ in range(2):  # once is not enough to be orthogonal to rounding
            direction = direction - basis.T @ (basis @ direction)
        size = float(np.linalg.norm(direction))
        if not size > ROUNDING * largest:  # the space is invariant
            break
        direction = direction / size
        image = products.apply(np.append(direction, 0.0))[:d].copy()
        basis, images = np.vstack([basis, direction]), np.vstack([images, image])
        direction, largest = image, float(np.linalg.norm(image))
    if not basis.size:
        return np.zeros(1)
    inner = basis @ images.T
    values: NDArray[np.float64] = np.linalg.eigvalsh(0.5 * (inner + inner.T)).astype(np.float64)
    return values
