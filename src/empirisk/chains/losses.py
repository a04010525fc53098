"""The convex losses of a labelling: what stands in for the share of wrong sequences, which is neither."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.parameters import check_choice
from empirisk.protocols import Matrix

COSTS = ("hamming", "mean_hamming", "sequence")


class Likelihood(NamedTuple):
    """log Z(x_j) - <phi(x_j, s_j), u>, the negative log-probability of the labelling (Lafferty and others 2001)."""

    @property
    def name(self) -> str:
        """What users call it."""
        return "likelihood"


class Margin(NamedTuple):
    """max_s [C(s_j, s) + <phi(x_j, s) - phi(x_j, s_j), u>], margins rescaled by the cost C of a labelling.

    `hamming` counts wrong labels, `mean_hamming` divides that by the length, `sequence` is 1 for every s but s_j; or a
    matrix (K, K), [true, predicted], of nonnegative costs with a zero diagonal. It bounds the cost of the prediction
    from above. Taskar, Guestrin and Koller (2003); Tsochantaridis and others (2005).
    """

    cost: str  # one of COSTS, or "matrix"
    matrix: Matrix  # (K, K); of `sequence` nobody asks

    @property
    def name(self) -> str:
        """What users call it."""
        return "margin"

    @property
    def is_mean(self) -> bool:
        """Whether costs are divided by the length of the sequence."""
        return self.cost == "mean_hamming"

    @property
    def is_whole(self) -> bool:
        """Whether the cost is that of the whole labelling."""
        return self.cost == "sequence"


def as_chain_loss(loss: Any, cost: Any, n_labels: int) -> Likelihood | Margin:
    """The loss of a name, with the cost of a name or a matrix."""
    if isinstance(loss, (Likelihood, Margin)):
        return loss
    if check_choice("loss", loss, ("likelihood", "margin")) == "likelihood":
        return Likelihood()
    if isinstance(cost, str):
        check_choice("cost", cost, COSTS)
        return Margin(cost, 1.0 - np.eye(n_labels))
    return Margin("matrix", cost_matrix(cost, n_labels))


def cost_matrix(cost: Any, n_labels: int) -> Matrix:
    """A matrix of costs, checked."""
    try:
        matrix = np.array(cost, dtype=np.float64)
    except (TypeError, ValueError):
        known = ", ".join(map(repr, COSTS))
        raise TypeError(f"cost must be one of {known}, or a matrix of numbers, got {cost!r:.100}") from None
    if matrix.shape != (n_labels, n_labels):
        raise ValueError(f"cost must be a {n_labels} x {n_labels} matrix, one row a label, got shape {matrix.shape}")
    if not bool(np.all(np.isfinite(matrix))) or bool(np.any(matrix < 0.0)):
        at = np.argwhere(~(np.isfinite(matrix) & (matrix >= 0.0)))[0]
        raise ValueError(f"costs must be finite and >= 0, found {matrix[tuple(at)]} in row {at[0]}, column {at[1]}")
    if bool(np.any(np.diag(matrix) != 0.0)):
        at = int(np.flatnonzero(np.diag(matrix))[0])
        raise ValueError(f"the cost of a right label must be zero, found {matrix[at, at]} in row {at}")
    return matrix
