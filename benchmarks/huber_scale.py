"""The standard deviation that scikit-learn's HuberRegressor estimates, to full precision."""

import numpy as np

EPSILON = 1.35  # the default of HuberRegressor


def huber_scale(X: np.ndarray, y: np.ndarray, l2: float = 0.0, fit_intercept: bool = True) -> float:
    """The s of the minimiser of sum_i (s + s H(r_i / s)) + alpha ||w||^2, alpha = n l2 / s.

    H(t) = t^2 for |t| <= EPSILON, else 2 EPSILON |t| - EPSILON^2; that is (2/s) times Huber's loss with
    delta = EPSILON s, so that the same w minimises (1/n) sum_i huber(r_i) + l2/2 ||w||^2.
    For given w the derivative in s vanishes where sum_i min((r_i / s)^2, EPSILON^2) = n; for given s, reweighted least
    squares lower the objective. Both in turn. Reference: Huber (1981), section 7.7.
    """
    n, d = X.shape
    A = np.column_stack([X, np.ones(n)]) if fit_intercept else X
    ridge = np.zeros(A.shape[1])
    ridge[:d] = n * l2
    weights, scale = np.ones(n), np.inf
    for _ in range(10_000):
        weighted = (A * weights[:, None]).T
        w = np.linalg.lstsq(weighted @ A + np.diag(ridge), weighted @ y)[0]
        residuals = np.abs(y - A @ w)
        last, scale = scale, scale_of(residuals)
        if abs(last - scale) <= 1e-12 * scale:
            return scale
        weights = np.minimum(1.0, EPSILON * scale / np.maximum(residuals, EPSILON * scale))
    raise RuntimeError("reweighted least squares did not settle")


def scale_of(residuals: np.ndarray) -> float:
    """The s with sum_i min((r_i / s)^2, EPSILON^2) = n: with the k largest residuals clipped, for the right k."""
    squares = np.sort(residuals) ** 2
    clipped = np.arange(len(squares))[::-1]  # how many lie above each
    left = len(squares) - EPSILON**2 * clipped
    candidates = np.sqrt(np.cumsum(squares)[left > 0.0] / left[left > 0.0])
    inside = np.sqrt(squares[left > 0.0]) <= EPSILON * candidates
    return float(candidates[np.flatnonzero(inside)[-1]])
