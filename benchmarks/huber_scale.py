"""The standard deviation that scikit-learn's HuberRegressor estimates, to full precision."""

import numpy as np

EPSILON = 1.35  # the default of HuberRegressor


def huber_scale(X: np.ndarray, y: np.ndarray) -> float:
    """The s of the minimiser of sum_i s + s H(r_i / s), H(t) = t^2 for |t| <= EPSILON, else 2 EPSILON |t| - EPSILON^2.

    For given w the derivative in s vanishes where sum_i min((r_i / s)^2, EPSILON^2) = n; for given s, reweighted least
    squares lower the objective. Both in turn. Reference: Huber (1981), section 7.7.
    """
    A = np.column_stack([X, np.ones(len(y))])
    weights, scale = np.ones(len(y)), np.inf
    for _ in range(10_000):
        weighted = (A * weights[:, None]).T
        residuals = np.abs(y - A @ np.linalg.lstsq(weighted @ A, weighted @ y)[0])
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
