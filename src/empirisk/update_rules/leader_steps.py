"""A coordinate of a leader whose penalty grows with the rounds, and its sums over rounds that nothing asked for."""

from __future__ import annotations

import math

import numpy as np

from empirisk.compiled import kernel

SHORT = 16.0  # rounds that are added one by one
STIFF = 32.0  # H / l2 from which the sum is the integral with its corrections, to thirteen digits
# Ten points of Gauss and Legendre on [-1, 1]; over a stretch on which H + l2 i doubles they are exact to rounding.
NODES, SHARES = np.polynomial.legendre.leggauss(10)


@kernel
def size_range(v, low, high):
    """Which sizes a weight of the sign of v can have on a box, the least and the largest; equal where v has no say."""
    if low >= 0.0:
        return (low, high) if v > 0.0 else (low, low)
    if high <= 0.0:
        return (-high, -low) if v < 0.0 else (-high, -high)
    return (0.0, high) if v >= 0.0 else (0.0, -low)


@kernel
def leader_weight(v, h, k, l1, l2, low, high):
    """The minimiser of -v w + h w^2 / 2 + k (l1 |w| + l2 w^2 / 2) on a box; the one closest to zero of many."""
    least, most = size_range(v, low, high)
    stiff = h + k * l2
    size = max(0.0, abs(v) - k * l1) / stiff if stiff > 0.0 else 0.0
    size = min(max(size, least), most)
    sign = v if low < 0.0 < high else low + high
    return math.copysign(size, sign) if size > 0.0 else 0.0


@kernel
def leader_sums(v, h, start, count, l1, l2, low, high, squared):
    """The sums of |w| and of w^2 over the rounds k = start + 1, ..., start + count of `leader_weight`.

    The second is left out, and zero, unless `squared`. The size is the largest that it may be for a while, then
    (|v| - k l1) / (h + k l2), then the least.
    """
    least, most = size_range(v, low, high)
    if l1 + l2 == 0.0 or h + (start + 1.0) * l2 <= 0.0 or most <= least:
        size = abs(leader_weight(v, h, start + 1.0, l1, l2, low, high))
        return count * size, count * size * size if squared else 0.0
    full = 0.0
    if most < math.inf:
        full = min(max(math.floor((abs(v) - most * h) / (l1 + most * l2)) - start, 0.0), count)
    end = count
    if l1 + least * l2 > 0.0:
        end = min(max(math.floor((abs(v) - least * h) / (l1 + least * l2)) - start, full), count)
    k = start + full
    sizes, squares = falling_sums(abs(v) - k * l1, l1, h + k * l2, l2, end - full, squared)
    sizes += (count - end) * least
    squares += (count - end) * least * least
    if full > 0.0:
        sizes += full * most
        squares += full * most * most
    return sizes, squares if squared else 0.0


@kernel
def falling_sums(top, l1, base, l2, count, squared):
    """The sums of f(i) = (top - i l1) / (base + i l2), and of its squares, over i = 1, ..., count.

    For l2 > 0 by the formula of Euler and Maclaurin, once base is so much larger than l2 that three of its corrections
    are enough.
    """
    if count <= 0.0:
        return 0.0, 0.0
    if l2 == 0.0:
        bend = l1 * (2.0 * count + 1.0) / 6.0
        sizes = count * (top - 0.5 * (count + 1.0) * l1) / base
        return sizes, count * (top * top - (count + 1.0) * l1 * (top - bend)) / (base * base) if squared else 0.0
    sizes, squares, i = 0.0, 0.0, 0.0
    while i < count and (count <= SHORT or base + i * l2 < STIFF * l2):
        i += 1.0
        f = (top - i * l1) / (base + i * l2)
        sizes += f
        squares += f * f
    if i == count:
        return sizes, squares
    edges, square_edges = corrections(top, l1, base, l2, count)
    first, square_first = corrections(top, l1, base, l2, i)
    sizes += edges - first
    squares += square_edges - square_first
    while i < count:  # stretches on which the divisor doubles
        half = 0.5 * min(base / l2 + i, count - i)
        for p in range(NODES.size):
            t = i + half * (1.0 + NODES[p])
            f = (top - t * l1) / (base + t * l2)
            sizes += half * SHARES[p] * f
            squares += half * SHARES[p] * f * f
        i = count if 2.0 * half >= count - i else i + 2.0 * half
    return sizes, squares


@kernel
def corrections(top, l1, base, l2, t):
    """f / 2 + f' / 12 - f''' / 720 + f''''' / 30240 at t, and the same of f^2."""
    f = (top - t * l1) / (base + t * l2)
    q = l2 / (base + t * l2)
    d1 = -(l1 + l2 * f) / (base + t * l2)
    d2, d3, d4, d5 = -2.0 * d1 * q, 6.0 * d1 * q * q, -24.0 * d1 * q * q * q, 120.0 * d1 * q * q * q * q
    plain = f / 2.0 + d1 / 12.0 - d3 / 720.0 + d5 / 30240.0
    s1, s3, s5 = 2.0 * f * d1, 2.0 * f * d3 + 6.0 * d1 * d2, 2.0 * f * d5 + 10.0 * d1 * d4 + 20.0 * d2 * d3
    return plain, f * f / 2.0 + s1 / 12.0 - s3 / 720.0 + s5 / 30240.0
