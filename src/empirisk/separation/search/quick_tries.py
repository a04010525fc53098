"""What settles easy data in a few passes: opposite points, found by hashing, and dual coordinate steps.

Two points with z_i = -z_k (the same x with both labels; without an intercept also x and -x with one label) are a
conflict with weights 1, 1; a point z_i = 0 is one by itself. Else dual coordinate ascent on the hard margin,

    maximise  sum_i a_i - ||sum_i a_i z_i||^2 / 2  over  a >= 0,

one row at a time, a_i <- max(0, a_i + (1 - <u, z_i>) / ||z_i||^2) with u = sum_i a_i z_i: like the perceptron it starts
at zero and corrects, but each correction puts its point at <u, z_i> = 1. On data with a wide gap u is right after a few
passes. References: Carter and Wegman (1979); Hsieh, Chang, Lin, Keerthi and Sundararajan (2008).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.protocols import Vector
from empirisk.separation.points import Points

LEAST_SLOTS = 16
FULLEST = 2  # slots of the table for each row
SEED_OF_KEYS = 20
PASSES_IN_ANY_CASE = 3
GAIN = 0.7  # the share of mistakes that a further pass may leave, or else the passes end


def opposite_points(points: Points) -> NDArray[np.int64]:
    """The rows of two points that are each other's negative, or of one that is zero; empty where there are none."""
    n = points.n_rows
    # A key a column: with random ones two unequal rows share a hash with probability near 2^-64.
    keys = np.random.default_rng(SEED_OF_KEYS).integers(1, 2**63, points.n_columns, dtype=np.uint64) * np.uint64(2)
    keys += np.uint64(1)
    hashes, sides = np.empty(n, np.uint64), np.empty(n, np.int8)
    with np.errstate(over="ignore"):  # words wrap around; only the interpreter would warn
        _hash_rows(points.design, points.y, points.fit_intercept, keys, hashes, sides)
        bits = max(LEAST_SLOTS, FULLEST * n).bit_length()
        slots = np.full(1 << bits, -1, np.int32 if n < 2**31 else np.int64)
        first, second = _find_opposite(points.design, points.y, hashes, sides, slots, np.uint64(64 - bits))
    return np.array([row for row in (first, second) if row >= 0], np.int64)


@kernel
def _hash_rows(X, y, has_intercept, keys, hashes, sides):
    """Hash each row up to its sign; `sides` says which sign z_i has, 0 where it is zero."""
    for i in range(y.size):
        turn = np.int8(1) if has_intercept else np.int8(0)
        total = np.uint64(0)
        for k in range(X.row_size(i)):
            x = np.float64(X.entry_at(i, k))
            if x != 0.0:
                if turn == 0:
                    turn = np.int8(1) if x > 0.0 else np.int8(-1)
                bits = np.float64(x * turn).view(np.uint64)
                # The last bits of short numbers are zero: without folding most of a product would be.
                total += (bits ^ (bits >> np.uint64(32))) * keys[X.column_at(i, k)]
        hashes[i] = total
        sides[i] = turn if y[i] > 0.0 else -turn


@kernel
def _find_opposite(X, y, hashes, sides, slots, shift):
    """The first two rows of one hash that are opposite; (row, -1) for a zero row, (-1, -1) for none."""
    last = slots.size - 1
    for i in range(hashes.size):
        if sides[i] == 0:
            return i, -1
        mixed = hashes[i] * np.uint64(0x9E3779B97F4A7C15)
        at = np.int64(mixed >> shift)
        while slots[at] >= 0:
            k = np.int64(slots[at])
            if hashes[k] == hashes[i]:
                if sides[k] == sides[i]:
                    break  # a copy, most likely: the first of them stands for both
                if _is_equal(X, i, k, -y[i] * y[k]):
                    return k, i
            at = (at + 1) & last
        if slots[at] < 0:
            slots[at] = i
    return -1, -1


@kernel
def _is_equal(X, i, k, turn):
    """Whether x_i = turn x_k; zeros that are stored do not count."""
    a = b = 0
    while True:
        while a < X.row_size(i) and X.entry_at(i, a) == 0.0:
            a += 1
        while b < X.row_size(k) and X.entry_at(k, b) == 0.0:
            b += 1
        if a == X.row_size(i) or b == X.row_size(k):
            return a == X.row_size(i) and b == X.row_size(k)
        if X.column_at(i, a) != X.column_at(k, b) or X.entry_at(i, a) != turn * X.entry_at(k, b):
            return False
        a += 1
        b += 1


class Corrected(NamedTuple):
    """Where the passes ended: the plane, the dual weights a, and whether the last pass met no wrong point."""

    w: Vector
    b: float
    a: Vector
    is_right: bool


def correct(X: Any, y: Vector, lift: float, order: NDArray[np.int64], most_passes: int, is_over: Any) -> Corrected:
    """Passes from zero over the points y_i (x_i, lift), while they bring down the number of mistakes."""
    w, b, a = np.zeros(X.n_columns()), np.zeros(1), np.zeros(y.size)
    squares = np.zeros(y.size)
    least = float(y.size)
    for k in range(most_passes):
        mistakes = _correct(X, y, lift, order, squares, a, w, b)
        if mistakes == 0 or is_over() or (k + 1 >= PASSES_IN_ANY_CASE and mistakes > GAIN * least):
            break
        least = min(least, mistakes)
    return Corrected(w, float(b[0]), a, mistakes == 0)


@kernel
def _correct(X, y, lift, order, squares, a, w, b):
    """One pass of dual steps; how many points it found on the wrong side or on the plane."""
    mistakes = 0
    for i in order:
        if squares[i] == 0.0:
            squares[i] = X.squared_row_norm(i) + lift * lift
        value = y[i] * (X.dot_row(i, w) + b[0])
        mistakes += value <= 0.0
        new = max(0.0, a[i] + (1.0 - value) / squares[i]) if squares[i] > 0.0 else 0.0
        if new != a[i]:
            step = y[i] * (new - a[i])
            X.add_row(i, step, w)
            b[0] += step * lift * lift
            a[i] = new
    return mistakes
