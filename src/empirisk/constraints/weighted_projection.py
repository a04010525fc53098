"""Projections in a weighted norm: the minimiser over the set of sum_j h_j (x_j - w_j)^2 / 2, for h > 0.

Each is a search in one multiplier, by Newton's method on a function that is convex or concave: from one side it
rises to the root and never passes it. `out` may be `w`. Reference: Duchi, Hazan and Singer (2011), section 5.
"""

from __future__ import annotations

import math

from empirisk.arithmetic import add_compensated
from empirisk.compiled import kernel

STEPS = 100  # Newton's, of which about ten are taken
ROUNDS = 32  # each gains fifteen digits: enough for any point


@kernel(exact=True)
def onto_l2_ball(ball, w, h, out):
    """x_j = h_j w_j / (h_j + t), with the t >= 0 that makes the norm right: 1 / ||x|| is concave in t."""
    length = ball.length(w)
    if length <= ball.radius:
        for j in range(w.size):
            out[j] = w[j]
        return
    far = w.copy()
    t = 0.0
    for _ in range(STEPS):
        for j in range(w.size):
            out[j] = far[j] / (1.0 + t / h[j])
        length = ball.length(out)
        slope = 0.0
        for j in range(w.size):
            share = out[j] / length
            slope += share * share / (h[j] + t)
        new = t + (length / ball.radius - 1.0) / slope
        if not new > t:
            break
        t = new
    # What rounding leaves.
    for j in range(w.size):
        out[j] = out[j] / length * ball.radius


@kernel(exact=True)
def onto_simplex(radius, w, h, out):
    """x_j = max(0, w_j - t / h_j), with the t that makes the sum right: the sum is convex in t.

    t is counted from the largest h_j (w_j - radius), where one x_j alone is the radius: nothing large cancels.
    """
    top = -math.inf
    for j in range(w.size):
        top = max(top, h[j] * (w[j] - radius))
    for j in range(w.size):
        out[j] = radius + (h[j] * (w[j] - radius) - top) / h[j]
    t = 0.0
    while True:
        total, rest, slope = -radius, 0.0, 0.0
        for j in range(w.size):
            if out[j] - t / h[j] > 0.0:
                total, rest = add_compensated(total, rest, out[j])
                slope += 1.0 / h[j]
        new = (total + rest) / slope if slope > 0.0 else math.nan
        if not new > t:
            break
        t = new
    total, rest = 0.0, 0.0
    for j in range(w.size):
        out[j] = 0.0 if out[j] <= t / h[j] else out[j] - t / h[j]  # max() could skip NaN
        total, rest = add_compensated(total, rest, out[j])
    # What rounding leaves.
    factor = radius / (total + rest) if total + rest > 0.0 else math.nan
    for j in range(w.size):
        out[j] *= factor


@kernel(exact=True)
def onto_l1_ball(ball, w, h, out):
    """That of |w| onto the simplex, with the signs of w, where w lies outside."""
    outside = ball.length(w) > ball.radius
    signed = w.copy()
    for j in range(w.size):
        out[j] = abs(w[j]) if outside else w[j]
    if outside:
        onto_simplex(ball.radius, out, h, out)
        for j in range(w.size):
            out[j] = math.copysign(out[j], signed[j])


@kernel(exact=True)
def onto_half_space(half_space, w, h, out):
    """x_j = w_j - t normal_j / h_j with t = (<normal, w> - offset) / sum_j normal_j^2 / h_j where w lies outside."""
    normal = half_space.normal
    squared = 0.0
    for j in range(w.size):
        squared += normal[j] * normal[j] / h[j]
        out[j] = w[j]
    excess = half_space.along(out) - half_space.offset
    for _ in range(ROUNDS if excess > 0.0 else 0):
        t = excess / squared
        for j in range(w.size):
            out[j] -= normal[j] / h[j] * t
        # The rounding of a far point is more than the slack: project what is left of it.
        excess = half_space.along(out) - half_space.offset
        if abs(excess) <= half_space.slack(out):
            break
