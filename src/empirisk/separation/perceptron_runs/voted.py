"""The voted perceptron: every plane of a run votes, as often as it was right."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.designs import CSR, Dense, as_design, matrix_of
from empirisk.protocols import Vector
from empirisk.separation.points import Points


class VotedPlanes(NamedTuple):
    """The planes v_0, v_1, ... of an online run, v_k = v_(k-1) + z of the k-th mistake, and how long each survived.

    The vote of x is (sum_k c_k sign(<v_k, x> + b_k)) / sum_k c_k, sign(0) = +1, where c_k counts the visits after
    which the run stood at v_k. Kept are the rows that were ever wrong, and their order: a vote costs a dot product
    for each of these rows and an addition for each mistake, not one dot product for each mistake.
    Reference: Freund and Schapire (1999).
    """

    start_weights: Vector
    start_intercept: float
    has_intercept: bool
    updates: Dense | CSR  # the rows that were wrong, once each
    signs: Vector  # their labels
    sequence: NDArray[np.int64]  # the row of `updates` of each mistake
    survivals: NDArray[np.int64]  # c_0, c_1, ...: one more than there are mistakes

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All that the vote is made of, whichever way the rows are stored."""
        rows = scipy.sparse.csr_array(matrix_of(self.updates), copy=True)
        rows.eliminate_zeros()
        rows.sort_indices()
        start = np.array([self.start_intercept, float(self.has_intercept)])
        entries = rows.indptr, rows.indices, rows.data
        return self.start_weights, start, *entries, self.signs, self.sequence, self.survivals

    def votes(self, X: Any) -> Vector:
        """The vote of each row of X, from -1 to +1."""
        design = as_design(X)
        if design.n_columns() != self.start_weights.size:
            raise ValueError(f"X has {design.n_columns()} columns, the planes have {self.start_weights.size}")
        out = np.empty(design.n_rows())
        start = self.start_weights, self.start_intercept, 1.0 if self.has_intercept else 0.0
        places = np.zeros(self.start_weights.size), np.empty(self.signs.size)
        _votes(design, *start, self.updates, self.signs, self.sequence, self.survivals, *places, out)
        return out / max(1, int(self.survivals.sum()))


def voted_planes(
    points: Points, start: tuple[Vector, float], rows: NDArray[np.int64], visits: NDArray[np.int64], last_visit: int
) -> VotedPlanes:
    """From the rows of the mistakes in turn, the numbers of their visits, and that of the last visit."""
    distinct, sequence = np.unique(rows, return_inverse=True)
    survivals = np.diff(np.concatenate([[1], visits, [last_visit + 1]]))
    updates = as_design(matrix_of(points.design)[distinct])
    return VotedPlanes(*start, points.fit_intercept, updates, points.y[distinct], sequence, survivals)


@kernel
def _votes(X, w, b, one, updates, signs, sequence, survivals, x, products, out):
    for i in range(X.n_rows()):
        score = X.dot_row(i, w) + b
        X.add_row(i, 1.0, x)
        _multiply(updates, signs, one, x, products)
        for k in range(X.row_size(i)):
            x[X.column_at(i, k)] = 0.0
        total = np.float64(survivals[0]) if score >= 0.0 else -np.float64(survivals[0])
        for k in range(sequence.size):
            score += products[sequence[k]]
            total += survivals[k + 1] if score >= 0.0 else -survivals[k + 1]
        out[i] = total


@kernel
def _multiply(updates, signs, one, x, products):
    for r in range(signs.size):
        products[r] = signs[r] * (updates.dot_row(r, x) + one)
