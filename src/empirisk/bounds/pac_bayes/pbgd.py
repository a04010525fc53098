"""The plane around which a random draw has the smallest bound under the prior N(0, I): PAC-Bayes gradient descent.

    least over w of  p(w)  where  kl(q(w), p(w)) = e(w),     q = mean Phi(-y_i <w, u_i>),
                                                             e = (||w||^2 / 2 + ln(xi(n) / delta)) / n

with the u_i of `zero_prior`. From dkl/dq = ln(q (1 - p) / (p (1 - q))) and dkl/dp = (p - q) / (p (1 - p)),

    grad p = (grad e - (dkl/dq) grad q) / (dkl/dp)

The function is not convex: the best of several starts along the mean of y_i u_i is kept. What is found needs no proof
of being the least: the bound of any w is valid. Reference: Germain, Lacasse, Laviolette and Marchand (2009), PBGD.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.optimize
import scipy.sparse
from scipy.special import ndtr

from empirisk.blas_threads import one_blas_thread
from empirisk.bounds.augmented_rows import lengths_of, with_one
from empirisk.bounds.tails import kl_upper, log_xi
from empirisk.designs import matrix_of
from empirisk.parameters import check_count, check_share
from empirisk.protocols import Vector
from empirisk.separation.points import Points

STARTS = (1.0, 10.0, 100.0)  # lengths of w


def pbgd(points: Points, delta: float = 0.05, max_steps: int = 500) -> tuple[Vector, float]:
    """Weights and intercept; their length is part of the answer."""
    log_delta, most = math.log(check_share("delta", delta)), check_count("max_steps", max_steps)
    rows = with_one(matrix_of(points.design), points.fit_intercept)
    lengths = lengths_of(rows)
    factors = points.y / np.where(lengths > 0.0, lengths, 1.0)
    rows = factors[:, None] * rows if isinstance(rows, np.ndarray) else scipy.sparse.diags_array(factors) @ rows
    room = log_xi(points.n_rows) - log_delta
    direction = np.asarray(rows.T @ np.ones(points.n_rows))
    size = float(np.linalg.norm(direction))
    direction = direction / size if size > 0.0 else np.eye(1, direction.size)[0]
    with one_blas_thread():
        found = [
            scipy.optimize.minimize(
                _value_and_slope, a * direction, (rows, room), "L-BFGS-B", jac=True, options={"maxiter": most}
            )
            for a in STARTS
        ]
    w = min(found, key=lambda run: float(run.fun)).x
    return (w[:-1].copy(), float(w[-1])) if points.fit_intercept else (w, 0.0)


def _value_and_slope(w: Vector, rows: Any, room: float) -> tuple[float, Vector]:
    """p(w) and its gradient; `rows` are y_i u_i."""
    n = rows.shape[0]
    margins = np.asarray(rows @ w)
    q = min(max(float(np.mean(ndtr(-margins))), 1e-300), 1.0 - 1e-15)
    p = min(kl_upper(q, (0.5 * float(w @ w) + room) / n), 1.0 - 1e-15)
    slope_q = np.asarray(rows.T @ (np.exp(-0.5 * margins * margins) * (-1.0 / (n * math.sqrt(2.0 * math.pi)))))
    in_q = math.log(q / p) + math.log1p(-p) - math.log1p(-q)
    in_p = (p - q) / (p * (1.0 - p))
    return p, (w / n - in_q * slope_q) / in_p
