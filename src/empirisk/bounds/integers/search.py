"""Descent on the guaranteed risk of a plane with integer weights, one weight at a time.

With the other weights fixed, row i is predicted +1 for all values of weight j on one side of -a_i / (x_ij 2^e_j), a_i
the score without the column. A histogram of these thresholds gives the errors of every value of the weight in one read
of the column; those without an entry are as they were. A weight moves to the value with the least J, and stays where
none is better. (A weight that goes for another that comes, tried for all pairs, took longer and found less than kicks.)
Scores are summed as the moves come: what is certified is counted anew.
"""

from __future__ import annotations

import numpy as np

from empirisk.bounds.tails.binomial import binomial_end
from empirisk.compiled import kernel

NEAR = 32  # values of the intercept to either side that are tried at once


@kernel
def count_errors(y, z):
    """Rows that are predicted wrong: +1 where z >= 0."""
    errors = 0
    for i in range(y.size):
        errors += (z[i] >= 0.0) != (y[i] > 0.0)
    return errors


@kernel
def add_column(columns, j, step, z):
    """Add step times column j to the scores."""
    for m in range(columns.row_size(j)):
        z[columns.column_at(j, m)] += step * columns.entry_at(j, m)


@kernel
def errors_by_value(columns, j, factor, value, limit, y, z, errors):
    """Write to errors[u + limit] how many of the rows with an entry in column j are wrong where its weight is u."""
    errors[: 2 * limit + 2] = 0
    first = np.int64(0)  # wrong where the weight is very negative
    top = limit + 1.0
    for m in range(columns.row_size(j)):
        i = columns.column_at(j, m)
        x = columns.entry_at(j, m) * factor
        is_up = y[i] > 0.0
        a = z[i] - value * x
        if x > 0.0:
            t = np.ceil(-a / x)
            was_wrong = is_up
        elif x < 0.0:
            t = np.floor(-a / x) + 1.0
            was_wrong = not is_up
        else:
            t = top
            was_wrong = (a >= 0.0) != is_up
        t = min(max(t, -limit), top)
        first += was_wrong
        errors[np.int64(t) + limit] += 1 - 2 * was_wrong
    for u in range(2 * limit + 1):
        first += errors[u]
        errors[u] = first


@kernel
def best_value(columns, j, factor, value, limit, y, z, k, errors):
    """The value of weight j, not zero, with the fewest errors, its errors, and those of zero."""
    errors_by_value(columns, j, factor, value, limit, y, z, errors)
    rest = k - errors[value + limit]
    best = 1 if value == 0 else value
    for size in range(1, limit + 1):
        for u in (-size, size):
            if errors[u + limit] < errors[best + limit]:
                best = u
    return best, rest + errors[best + limit], rest + errors[limit]


@kernel
def move_intercept(y, z, c, k, by_bits, length, log_delta, risk, errors):
    """The best intercept within NEAR of c, with the errors, the length and the guaranteed risk there; z follows."""
    n = y.size
    errors[: 2 * NEAR + 2] = 0
    first = np.int64(0)
    for i in range(n):
        is_up = y[i] > 0.0
        t = min(max(np.ceil(-z[i]), -NEAR), NEAR + 1.0)
        first += is_up
        errors[np.int64(t) + NEAR] += 1 - 2 * is_up
    best, best_k, best_length = 0, k, length
    for u in range(-NEAR, NEAR + 1):
        first += errors[u + NEAR]
        with_u = length + by_bits[bits_of(c + u)] - by_bits[bits_of(c)]
        if first < best_k or with_u < best_length:
            found = binomial_end(first, n, log_delta - with_u, 1)
            if found < risk:
                best, best_k, best_length, risk = u, first, with_u, found
    if best != 0:
        for i in range(n):
            z[i] += best
    return c + best, best_k, best_length, risk


@kernel
def bits_of(c):
    """The number of bits of |c|."""
    bits = 0
    c = abs(c)
    while c > 0:
        bits += 1
        c >>= 1
    return bits


@kernel
def descend(columns, y, order, factors, limit, by_count, by_bits, log_delta, v, c, is_free, z, budget):
    """Move the weights in this order, and the intercept, until none moves or `budget` entries were read.

    `by_count[s]` is the length of the words of s weights, `by_bits[k]` that of an intercept of k bits; the limit and
    the scales cost the same all along and are in `log_delta`. v and z change. The intercept, which moves where it is
    free, the guaranteed risk, the errors, and the entries read.
    """
    n, s = y.size, np.count_nonzero(v)
    errors = np.zeros(2 * max(limit, NEAR) + 2, np.int64)
    k = count_errors(y, z)
    length = by_count[s] + by_bits[bits_of(c)]
    risk = binomial_end(k, n, log_delta - length, 1)
    read, still = 0, 0
    while still <= order.size and read < budget:
        for place in range(order.size + 1):
            before = risk
            if place == order.size:
                if is_free:
                    c, k, length, risk = move_intercept(y, z, c, k, by_bits, length, log_delta, risk, errors)
                    read += n
            else:
                j = order[place]
                read += columns.row_size(j)
                u, with_u, without = best_value(columns, j, factors[j], v[j], limit, y, z, k, errors)
                was_there = v[j] != 0
                to, to_k, to_s = v[j], k, s
                if with_u < k:
                    with_length = length + by_count[s + (not was_there)] - by_count[s]
                    found = binomial_end(with_u, n, log_delta - with_length, 1)
                    if found < risk:
                        to, to_k, to_s, risk = u, with_u, s + (not was_there), found
                if was_there:
                    found = binomial_end(without, n, log_delta - (length + by_count[s - 1] - by_count[s]), 1)
                    if found < risk:
                        to, to_k, to_s, risk = 0, without, s - 1, found
                if to != v[j]:
                    add_column(columns, j, (to - v[j]) * factors[j], z)
                    length += by_count[to_s] - by_count[s]
                    v[j], k, s = to, to_k, to_s
            still = 0 if risk < before else still + 1
            if still > order.size or read >= budget:
                break
    return c, risk, k, read
