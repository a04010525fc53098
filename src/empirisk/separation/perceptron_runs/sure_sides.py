"""On which side of a plane a point is, beyond rounding.

A point is right where m = y (<w, x> + b) > 0 for the exact numbers that w, b and x are. A computed m settles that where
|m| > tau, tau = (k + 4) u R ||(w, b)||, k the entries of the longest row, u the unit roundoff and R the largest
||z_i||: whatever the order of the sum. Within tau a sum of twice the precision, in a fixed order, decides, and what
that cannot prove to be right counts as wrong. So every machine decides alike.
"""

from __future__ import annotations

import numpy as np

from empirisk.arithmetic import UNIT, add_compensated
from empirisk.compiled import kernel

SPLIT = 134217729.0  # 2^27 + 1: halves of 26 bits (Veltkamp)
SUBNORMAL = 1e-322  # more than the rounding of a product of subnormal size
SLACK = 1.01  # for the rounding of tau itself


@kernel(exact=True)
def is_surely_right(X, i, sign, w, b):
    """Whether sign * (<w, x_i> + b) > 0 is proven by a sum of twice the precision (Ogita, Rump, Oishi 2005)."""
    total = np.float64(b)
    rest = 0.0
    sizes = abs(total)
    size = X.row_size(i)
    for k in range(size):
        x = np.float64(X.entry_at(i, k))
        v = w[X.column_at(i, k)]
        product = x * v
        sizes += abs(product)
        total, rest = add_compensated(total, rest, product)
        rest += product_error(x, v, product)
    m = sign * (total + rest)
    terms = 2.0 * size + 8.0
    return m > 2.0 * UNIT * abs(m) + terms * terms * UNIT * UNIT * sizes + terms * SUBNORMAL


@kernel(exact=True)
def product_error(x, v, product):
    """x v - product, exactly, where nothing overflows or vanishes (Dekker)."""
    cut = SPLIT * x
    x_high = cut - (cut - x)
    x_low = x - x_high
    cut = SPLIT * v
    v_high = cut - (cut - v)
    v_low = v - v_high
    return x_low * v_low - (((product - x_high * v_high) - x_low * v_high) - x_high * v_low)


@kernel
def count_errors(X, y, w, b, tau, limit):
    """How many points are not right, up to `limit`, and how many were looked at."""
    errors = 0
    for i in range(y.size):
        m = y[i] * (X.dot_row(i, w) + b)
        if not (m > tau or (m >= -tau and is_surely_right(X, i, y[i], w, b))):
            errors += 1
            if errors >= limit:
                return errors, i + 1
    return errors, y.size


@kernel
def mark_sides(X, y, w, b, tau, sides):
    """Which points are surely right (1) or wrong (-1); 0 where that is not proven."""
    for i in range(y.size):
        m = y[i] * (X.dot_row(i, w) + b)
        sides[i] = 0
        if m > tau or (m >= -tau and is_surely_right(X, i, y[i], w, b)):
            sides[i] = 1
        elif m < -tau:
            sides[i] = -1


@kernel
def squared_norm(w, b):
    """||(w, b)||^2."""
    total = b * b
    for j in range(w.size):
        total += w[j] * w[j]
    return total


@kernel
def largest_point(X, intercept):
    """The largest ||z_i||^2 as computed, and the most entries of a row."""
    largest = 0.0
    entries = 0
    for i in range(X.n_rows()):
        largest = max(largest, X.squared_row_norm(i) + intercept)
        entries = max(entries, X.row_size(i))
    return largest, entries


@kernel
def margins_of(X, y, w, b):
    """<w, z_i> for every point."""
    margins = np.empty(y.size)
    for i in range(y.size):
        margins[i] = y[i] * (X.dot_row(i, w) + b)
    return margins
