"""The best of the planes u + t v by one sweep over all t, and searches made of that: along lines, and through points.

The planes u + t v, and their opposites, change their errors where a point lies on them: t_i = -<a_i, u> / <a_i, v>.
Sorted, these give the errors of all of them in one sweep. An optimal plane of points in general position can be moved
until it touches k - 1 of them without a change: the sweeps through every k - 2 points meet it. The points that a
sweep goes through are then put on their right sides by a sweep along a direction that has all of them right.
"""

from __future__ import annotations

import numpy as np

from empirisk.arithmetic.copying import copy_to, fill
from empirisk.compiled import kernel
from empirisk.zero_one.orthogonal_rows import make_orthogonal

ON_IT = 1e-12  # of the size of a point: a value that is zero but for rounding
NOTHING_LEFT = 1e-20  # of the square of a vector: it depends on those before
MOST_THROUGH = 50  # coordinates up to which sweeps go through points at all
NEAR = 4  # sweeps go through some of the NEAR * k points closest to the plane


@kernel
def best_of_sweep(a, weights, u, v, t, gains, out):
    """Write the direction of the planes u + t v with the least weight on or behind it to `out`; that weight.

    Points on all of these planes do not count. `t` and `gains` are work space of a number for each point.
    """
    n, k = a.shape
    wrong, total = np.int64(0), np.int64(0)  # wrong for t below all crossings
    crossing = 0
    for i in range(n):
        p, q, size = 0.0, 0.0, 0.0
        for j in range(k):
            p += a[i, j] * u[j]
            q += a[i, j] * v[j]
            size += abs(a[i, j])
        t[i] = np.inf
        gains[i] = 0
        if max(abs(p), abs(q)) <= ON_IT * size:
            continue
        total += weights[i]
        if abs(q) > 1e-13 * abs(p):
            t[i] = -p / q
            gains[i] = weights[i] if q > 0.0 else -weights[i]  # right above t_i, or below it
            crossing += 1
        if q > 0.0 if t[i] < np.inf else p < 0.0:
            wrong += weights[i]
    order = np.argsort(t)
    best, best_t, best_sign, best_width = wrong, 0.0, 1.0, -1.0
    is_first = True
    for place in range(crossing + 1):
        low = t[order[place - 1]] if place > 0 else -np.inf
        high = t[order[place]] if place < crossing else np.inf
        if place > 0:
            wrong -= gains[order[place - 1]]
        if not high > low:
            continue
        if place == 0:
            middle = high - 1.0 - abs(high) if crossing > 0 else 0.0
        elif place == crossing:
            middle = low + 1.0 + abs(low)
        else:
            middle = 0.5 * (low + high)
        width = min(np.arctan(high) - np.arctan(low), 1.0)
        for flip in range(2):
            count = wrong if flip == 0 else total - wrong
            if is_first or count < best or (count == best and width > best_width):
                best, best_t, best_width = count, middle, width
                best_sign = 1.0 - 2.0 * flip
                is_first = False
    for j in range(k):
        out[j] = best_sign * (u[j] + best_t * v[j])
    return best


@kernel
def sweep_through(a, chosen, basis, u, v, tilt):
    """Two directions that span the planes through the chosen points (k - 2 of them), one that has all of them right."""
    k = a.shape[1]
    size = np.int64(0)
    fill(tilt, 0.0)
    for q in range(chosen.size):
        square = 0.0
        for j in range(k):
            basis[size, j] = a[chosen[q], j]
            square += basis[size, j] ** 2
        if make_orthogonal(basis, size, NOTHING_LEFT * square):
            along, before = 0.0, 0.0
            for j in range(k):
                along += basis[size, j] * a[chosen[q], j]
                before += tilt[j] * a[chosen[q], j]
            for j in range(k):  # <a, tilt> = 1 for this one too; the step is orthogonal to those before
                tilt[j] += (1.0 - before) / along * basis[size, j]
            size += 1
    for q in range(2):
        best, most = 0, -1.0
        for e in range(k):  # the unit vector with most left of it
            left = 1.0
            for p in range(size):
                left -= basis[p, e] * basis[p, e]
            if left > most:
                best, most = e, left
        for j in range(k):
            basis[size, j] = 1.0 if j == best else 0.0
        make_orthogonal(basis, size, NOTHING_LEFT)
        for j in range(k):
            if q == 0:
                u[j] = basis[size, j]
            else:
                v[j] = basis[size, j]
        size += 1


@kernel
def through_every_point(a, weights, best_u):
    """The best plane of the sweeps through each point (k = 3), or of the only sweep (k = 2)."""
    n, k = a.shape
    u, v, tilt, through, out = np.empty(k), np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    t, gains, basis = np.empty(n), np.empty(n, np.int64), np.zeros((k + 2, k))
    best = np.int64(2**62)
    chosen = np.zeros(k - 2, np.int64)
    for i in range(n if k == 3 else 1):
        fill(chosen, i)
        sweep_through(a, chosen, basis, u, v, tilt)
        count = best_of_sweep(a, weights, u, v, t, gains, through)
        if count < best:
            count = best_of_sweep(a, weights, through, tilt, t, gains, out)
        if count < best:
            best = count
            copy_to(out, best_u)
    return best


@kernel
def local_search(a, weights, norms, u, seed, rounds):
    """Improve u by sweeps in random directions and sweeps through close points; its errors. Changes u."""
    np.random.seed(seed)
    n, k = a.shape
    v, first, tilt, through, out = np.empty(k), np.empty(k), np.empty(k), np.empty(k), np.empty(k)
    t, gains, distance = np.empty(n), np.empty(n, np.int64), np.empty(n)
    chosen = np.empty(max(0, min(k - 2, n)) if k <= MOST_THROUGH else 0, np.int64)
    basis = np.zeros((chosen.size + 2, k))
    best = np.int64(2**62)
    for turn in range(rounds):
        if turn % 2 == 0 or chosen.size == 0:
            for j in range(k):
                v[j] = np.random.standard_normal()
            count = best_of_sweep(a, weights, u, v, t, gains, out)
        else:
            for i in range(n):
                value = 0.0
                for j in range(k):
                    value += a[i, j] * u[j]
                distance[i] = abs(value) / norms[i]
            order = np.argsort(distance)
            for q in range(chosen.size):
                chosen[q] = order[np.random.randint(0, min(n, NEAR * k))]
            sweep_through(a, chosen, basis, first, v, tilt)
            count = best_of_sweep(a, weights, first, v, t, gains, through)
            if count <= best:
                count = best_of_sweep(a, weights, through, tilt, t, gains, out)
        if count <= best:
            best = count
            size = 0.0
            for j in range(k):
                size += out[j] * out[j]
            for j in range(k):
                u[j] = out[j] / np.sqrt(size)
    return best
