"""What reads rows: scores, sums of rows, sizes. None of these kernels knows a loss or a regularizer."""

from __future__ import annotations

from empirisk.compiled import kernel


@kernel
def row_scores(X, w, b, out):
    """Write <w, x_i> + b for each row."""
    for i in range(X.n_rows()):
        out[i] = X.dot_row(i, w) + b


@kernel
def add_rows(X, coefficients, sums):
    """Add coefficients[i] x_i to sums[0] for each row, negative ones to sums[1] if there is one; that of the former."""
    total = 0.0
    if sums.shape[0] == 1:
        out = sums[0]
        for i in range(X.n_rows()):
            a = coefficients[i]
            if a != 0.0:
                total += a
                X.add_row(i, a, out)
        return total
    for i in range(X.n_rows()):
        a = coefficients[i]
        if a != 0.0:
            total += a
            X.add_row(i, a, sums[1 if a < 0.0 else 0])
    return total


@kernel
def add_row_squares(X, coefficients, out):
    """Add coefficients[i] x_ij^2 to out[j] for each row."""
    for i in range(X.n_rows()):
        if coefficients[i] != 0.0:
            X.add_row_squares(i, coefficients[i], out)


@kernel
def add_curved_rows(X, curvatures, b, p, out):
    """Add h_i (<x_i, p> + b) x_i to out for each row with curvature h_i; the sum of the coefficients."""
    total = 0.0
    for i in range(X.n_rows()):
        h = curvatures[i]
        if h != 0.0:
            a = h * (X.dot_row(i, p) + b)
            total += a
            X.add_row(i, a, out)
    return total


@kernel
def measure_rows(X, w, out):
    """Write to column i of out: <w, x_i>, the sum of |x_ij w_j|, ||x_i||^2, the number of entries of row i."""
    for i in range(X.n_rows()):
        z, reach, square = X.measure_row(i, w)
        out[0, i] = z
        out[1, i] = reach
        out[2, i] = square
        out[3, i] = X.row_size(i)


@kernel
def squared_norms(X, out):
    """Write ||x_i||^2 for each row."""
    for i in range(X.n_rows()):
        out[i] = X.squared_row_norm(i)
