"""Many proximal steps of one coordinate at once, for the steps that no row asked it to make."""

from __future__ import annotations

import math

from empirisk.compiled import kernel

SHORT = 0.005  # r m below which sums of falls are taken from their series: beyond, closed forms keep eleven digits
LONGEST = 1e100  # a step where there is no slope yet: the penalty alone decides


@kernel
def proximal_steps(x, k, step, l1, l2, low, high, squared):
    """x after k proximal steps of l1 and l2 on a box; the sum of the points after each, and that of their squares.

    The last is left out, and zero, unless `squared`.

    One step shrinks x by step l1, divides by 1 + step l2 and clips. From then on |x| falls to that of the point closest
    to zero and keeps its sign: with q = 1 / (1 + step l2) and c = l1 / l2, to |x| - (1 - q^i) (|x| + c) after i steps.
    """
    shrunk = x - min(max(x, -step * l1), step * l1)
    if low >= 0.0:
        shrunk = x - step * l1
    elif high <= 0.0:
        shrunk = x + step * l1
    x = min(max(shrunk / (1.0 + step * l2), low), high)
    total = x
    squares = x * x if squared else 0.0
    k -= 1.0
    size = abs(x)
    least = abs(min(max(0.0, low), high))
    if k == 0.0 or size <= least or l1 + l2 == 0.0:
        return x, total + k * x, squares + k * squares
    if l2 == 0.0:
        fall = step * l1
        moving = min(k, math.floor((size - least) / fall))
        new = size - moving * fall
        sizes = moving * (size - 0.5 * (moving + 1.0) * fall)
        if squared:
            bend = fall * (2.0 * moving + 1.0) / 6.0
            squares += moving * (size * size - (moving + 1.0) * fall * (size - bend))
    else:
        c = l1 / l2
        rate = math.log1p(step * l2)
        moving = k
        if least + c > 0.0:
            moving = min(k, math.floor(math.log((size + c) / (least + c)) / rate))
        fallen = -math.expm1(-rate * moving)
        falls = moving - fallen / (step * l2)
        if squared and rate * moving < SHORT:
            falls = sum_of_short_falls(rate, moving)
        new = size - fallen * (size + c)
        sizes = moving * size - falls * (size + c)
        if squared:
            bend = (size + c) * sum_of_squared_falls(rate, moving, falls)
            squares += moving * size * size - (size + c) * (2.0 * size * falls - bend)
    left = k - moving
    if left > 0.0:
        new = least
    total += math.copysign(sizes + left * least, x)
    return math.copysign(new, x), total, squares + left * least * least if squared else 0.0


@kernel
def sum_of_short_falls(r, m):
    """The sum over i = 1, ..., m of 1 - exp(-r i), by its series: in closed form it would be a small difference."""
    s1 = 0.5 * m * (m + 1.0)
    s2 = s1 * (2.0 * m + 1.0) / 3.0
    s3 = s1 * s1
    s4 = s2 * (3.0 * m * m + 3.0 * m - 1.0) / 5.0
    s5 = s3 * (2.0 * m * m + 2.0 * m - 1.0) / 3.0
    return r * (s1 - r * (s2 / 2.0 - r * (s3 / 6.0 - r * (s4 / 24.0 - r * s5 / 120.0))))


@kernel
def sum_of_squared_falls(r, m, falls):
    """The same of squares, where `falls` is that sum."""
    if r * m >= SHORT:
        return 2.0 * falls - m - math.expm1(-2.0 * r * m) / math.expm1(2.0 * r)
    s2 = m * (m + 1.0) * (2.0 * m + 1.0) / 6.0
    s3 = 0.25 * (m * (m + 1.0)) * (m * (m + 1.0))
    s4 = s2 * (3.0 * m * m + 3.0 * m - 1.0) / 5.0
    s5 = s3 * (2.0 * m * m + 2.0 * m - 1.0) / 3.0
    return r * r * (s2 - r * (s3 - r * (7.0 * s4 / 12.0 - r * s5 / 4.0)))
