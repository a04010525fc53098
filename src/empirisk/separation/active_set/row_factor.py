"""The rows at hand of the active-set method, A = L Q: rows that come and go, and equations solved.

L is triangular, Q has orthonormal lines. Where Q would have too many entries it is not kept: L alone follows from
A A^T = L L^T, made and used with residuals that are taken from the rows themselves (corrected semi-normal equations).
References: Daniel, Gragg, Kaufman and Stewart (1976); Bjoerck (1996), sections 3.2 and 6.6.
"""

from __future__ import annotations

import math

from empirisk.compiled import kernel

DEPENDENT = 2.0**-42  # of the size of the terms: what is left of a row that depends on others
NOTHING = 2.0**-36  # of the same: a coefficient of a dependence that counts as zero


@kernel
def append(X, e, lift, rows, k, L, Q, i, work, line, fix):
    """Write line k of L (and Q) for row i; whether it is independent of the others, else its coefficients to `line`."""
    clear(work, work.size)
    X.add_row(i, e[i], work)
    last = lift * e[i]
    size = math.sqrt(square(work, work.size) + last * last)
    clear(line, k)
    clear(L[k], k)
    for _ in range(2):
        if Q.size:
            for j in range(k):
                fix[j] = _dot(Q[j], work, work.size) + Q[j, work.size] * last
            for j in range(k):
                _add(work, -fix[j], Q[j])
                last -= fix[j] * Q[j, work.size]
            for j in range(k):
                L[k, j] += fix[j]
            continue
        for j in range(k):
            fix[j] = e[rows[j]] * (X.dot_row(rows[j], work) + lift * last)
        _forward(L, fix, k)
        for j in range(k):
            L[k, j] += fix[j]
        _backward(L, fix, k)
        for j in range(k):
            line[j] += fix[j]
            X.add_row(rows[j], -fix[j] * e[rows[j]], work)
            last -= fix[j] * e[rows[j]] * lift
    rest = math.sqrt(square(work, work.size) + last * last)
    L[k, k] = rest
    if Q.size:
        for j in range(k):
            line[j] = L[k, j]
        _backward(L, line, k)
    terms = size  # the rows at hand are known to rounding, and a sum of them no better
    for j in range(k):
        fix[j] = abs(line[j]) * math.sqrt(square(L[j], j + 1))
        terms += fix[j]
    if rest > DEPENDENT * terms:
        if Q.size:
            for j in range(work.size):
                Q[k, j] = work[j] / rest
            Q[k, work.size] = last / rest
        return True
    for j in range(k):
        if fix[j] <= NOTHING * terms:
            line[j] = 0.0
    return False


@kernel
def remove(rows, place, a, L, Q, numbers, p):
    """Take row p out of those at hand; rotations make L triangular again."""
    k = numbers[0]
    numbers[0] = k - 1
    place[rows[p]] = -1
    for i in range(p, k - 1):
        rows[i] = rows[i + 1]
        place[rows[i]] = i
        a[i] = a[i + 1]
        for j in range(i + 2):
            L[i, j] = L[i + 1, j]
    for j in range(p, k - 1):
        x, y = L[j, j], L[j, j + 1]
        r = math.hypot(x, y)
        cos, sin = x / r, y / r
        L[j, j] = r
        L[j, j + 1] = 0.0
        for i in range(j + 1, k - 1):
            u, v = L[i, j], L[i, j + 1]
            L[i, j] = cos * u + sin * v
            L[i, j + 1] = cos * v - sin * u
        if Q.size:
            for m in range(Q.shape[1]):
                u, v = Q[j, m], Q[j + 1, m]
                Q[j, m] = cos * u + sin * v
                Q[j + 1, m] = cos * v - sin * u


@kernel
def solve(X, e, q, lift, is_fixed, total, rows, k, L, Q, out, w, line, fix):
    """a (to out), w = sum a_i r_i and b with e_i (<w, x_i> + b) = q_i on the rows at hand, refined once."""
    clear(fix, k)
    if is_fixed:
        for j in range(k):
            fix[j] = e[rows[j]]
        _forward(L, fix, k)
    share = square(fix, k)
    clear(w, w.size)
    clear(out, k)
    b, reached = 0.0, 0.0
    for turn in range(2):
        for j in range(k):
            line[j] = q[rows[j]] - (e[rows[j]] * (X.dot_row(rows[j], w) + b) if turn > 0 else 0.0)
        _forward(L, line, k)
        beta = (_dot(fix, line, k) - (total - reached)) / share if is_fixed else 0.0
        for j in range(k):
            line[j] -= beta * fix[j]
            if Q.size:
                _add(w, line[j], Q[j])
        _backward(L, line, k)
        moved = 0.0
        for j in range(k):
            out[j] += line[j]
            moved += e[rows[j]] * line[j]
            if not Q.size:
                X.add_row(rows[j], line[j] * e[rows[j]], w)
        reached += moved
        b += beta + lift * lift * moved
    return b


@kernel
def _forward(L, x, k):
    for j in range(k):
        x[j] = (x[j] - _dot(L[j], x, j)) / L[j, j]


@kernel
def _backward(L, x, k):
    for j in range(k - 1, -1, -1):
        line = L[j]
        value = x[j] / L[j, j]
        x[j] = value
        for m in range(j):
            x[m] -= value * line[m]


@kernel
def square(x, size):
    """The sum of the first squares."""
    total = 0.0
    for j in range(size):
        total += x[j] * x[j]
    return total


@kernel
def _dot(x, y, size):
    total = 0.0
    for j in range(size):
        total += x[j] * y[j]
    return total


@kernel
def clear(x, size):
    """Set the first entries to zero."""
    for j in range(size):
        x[j] = 0.0


@kernel
def _add(out, a, x):
    """Add a x to out, over the entries of out."""
    for j in range(out.size):
        out[j] += a * x[j]
