"""The norms of features, summed in one order on every machine."""

from __future__ import annotations

import numpy as np

from empirisk.chains.perceptron_runs.kernels import place_of
from empirisk.compiled import kernel


@kernel(exact=True, borrows=True)
def add_norms(X, dense, starts, norms):
    """Add sum_t ||x_t|| to norms[j]; whether all attributes and dense features are integers."""
    is_whole = True
    for j in range(norms.size):
        for t in range(starts[j], starts[j + 1]):
            total = 0.0
            for m in range(X.row_size(t)):
                x = np.float64(X.entry_at(t, m))
                total += x * x
                is_whole = is_whole and x == np.floor(x)
            for c in range(dense.shape[1]):
                x = dense[t, c]
                total += x * x
                is_whole = is_whole and x == np.floor(x)
            norms[j] += np.sqrt(total)
    return is_whole


@kernel(exact=True, borrows=True)
def add_gold_squares(X, data, sums, squares):
    """Add ||phi(x_j, s_j)||^2 to squares[j]; `sums` is as long as u and zero before, but for roundings after."""
    K = data.between.shape[0]
    n_states, n_dense = data.state_labels.size, data.dense.shape[1]
    pairs = n_states + n_dense * K
    for j in range(squares.size):
        total = 0.0
        for sign in (1.0, -1.0):
            for t in range(data.starts[j], data.starts[j + 1]):
                label = data.gold[t]
                for m in range(X.row_size(t)):
                    place = place_of(data, X.column_at(t, m), label)
                    if place >= 0:
                        total += add_to_square(sums, place, sign * X.entry_at(t, m))
                for c in range(n_dense):
                    total += add_to_square(sums, n_states + c * K + label, sign * data.dense[t, c])
                if t > data.starts[j] and data.is_free[data.gold[t - 1], label]:
                    total += add_to_square(sums, pairs + data.gold[t - 1] * K + label, sign)
            if sign > 0.0:
                squares[j] = total + (2.0 if data.has_ends else 0.0)


@kernel(exact=True, borrows=True)
def add_to_square(sums, place, x):
    """Add x to one of the sums; by how much its square grows."""
    before = sums[place]
    sums[place] = before + x
    return (2.0 * before + x) * x
