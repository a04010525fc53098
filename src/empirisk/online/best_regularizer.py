"""The regularizer that would have been best for the gradients of a run, which AdaGrad competes with."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import name_of, offers
from empirisk.protocols import Array, Unsupported


class BestRegularizer(NamedTuple):
    """The Q >= 0 of trace one with the least sum_k <g_k, Q^-1 g_k>, and that sum.

    For `full_adagrad` Q is a matrix, H^(1/2) / tr H^(1/2) with the sum (tr H^(1/2))^2; for `adagrad` a diagonal,
    ||g_{1:K,j}|| / sum_j ||g_{1:K,j}|| with the sum (sum_j ||g_{1:K,j}||)^2. With an intercept, its place is the last.
    Reference: Duchi, Hazan and Singer (2011), section 1.1.
    """

    regularizer: Array
    cost: float


def best_regularizer(run: Any) -> BestRegularizer:
    """Of the run's family, diagonal or full, in hindsight; psi(w) = <w, Q w> / 2 is the regularizer."""
    if not offers(run.state, "root_of_squares"):
        raise Unsupported(f"{name_of(run.learner)} keeps no squares of gradients: ask a run of adagrad or full_adagrad")
    root = run.state.root_of_squares()
    if not run.game.fit_intercept:
        root = root[:-1] if root.ndim == 1 else root[:-1, :-1]
    total = float(np.trace(root) if root.ndim == 2 else root.sum())
    if total == 0.0:
        raise ValueError("every gradient so far was zero, and no regularizer is better than another")
    return BestRegularizer(root / total, total**2)
