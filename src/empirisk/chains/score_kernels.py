"""What reads the attributes of tokens: scores of labels from weights, and weights from what the labels are charged.

These kernels know no loss; what knows a loss sees scores alone. Places are unsigned: signed ones cost a test for
counting from the end at every weight (a quarter of the time).
"""

from __future__ import annotations

import numpy as np

from empirisk.compiled import kernel

ONE = np.uint64(1)


@kernel(borrows=True)
def add_state_scores(X, starts, labels, w, scores):
    """Add to scores[t, j] the sum of x_ta w_aj over the attributes a of token t, row t of X."""
    full = np.uint64(scores.shape[1])
    for t in range(X.n_rows()):
        row = scores[t]
        for k in range(np.uint64(X.starts[t]), np.uint64(X.starts[t + 1])):
            a = np.uint64(X.indices[k])
            x = X.stored_value(k)
            begin, end = np.uint64(starts[a]), np.uint64(starts[a + ONE])
            if end - begin == full:
                for j in range(full):
                    row[j] += x * w[begin + j]
            else:
                for m in range(begin, end):
                    row[labels[m]] += x * w[m]


@kernel(borrows=True)
def add_state_sizes(X, starts, w, out, squares):
    """Add to out[t] the sum over the attributes a of |x_ta| max_j |w_aj|: what the scores of token t round by.

    To squares[t] the sum of x_ta^2 is added.
    """
    for t in range(X.n_rows()):
        total = 0.0
        for k in range(X.row_size(t)):
            a = X.column_at(t, k)
            largest = 0.0
            for m in range(starts[a], starts[a + 1]):
                largest = max(largest, abs(w[m]))
            x = np.float64(X.entry_at(t, k))
            total += abs(x) * largest
            squares[t] += x * x
        out[t] += total


@kernel(borrows=True)
def add_state_counts(X, starts, labels, coefficients, w):
    """Add to w_aj the sum of x_ta coefficients[t, j] over the tokens t."""
    full = np.uint64(coefficients.shape[1])
    for t in range(X.n_rows()):
        row = coefficients[t]
        if not row.any():
            continue
        for k in range(np.uint64(X.starts[t]), np.uint64(X.starts[t + 1])):
            a = np.uint64(X.indices[k])
            x = X.stored_value(k)
            begin, end = np.uint64(starts[a]), np.uint64(starts[a + ONE])
            if end - begin == full:
                for j in range(full):
                    w[begin + j] += x * row[j]
            else:
                for m in range(begin, end):
                    w[m] += x * row[labels[m]]


@kernel
def add_ends(starts, first, last, scores):
    """Add the scores of the first and the last label of each sequence."""
    for j in range(starts.size - 1):
        begin, end = starts[j], starts[j + 1] - 1
        for k in range(first.size):
            scores[begin, k] += first[k]
            scores[end, k] += last[k]


@kernel
def add_end_counts(starts, coefficients, first, last):
    """Add what the first and the last token of each sequence are charged."""
    for j in range(starts.size - 1):
        begin, end = starts[j], starts[j + 1] - 1
        for k in range(first.size):
            first[k] += coefficients[begin, k]
            last[k] += coefficients[end, k]
