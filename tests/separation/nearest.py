"""Exact answers by trying every subset of the points, in fractions: nearest point of a hull, smallest ball."""

from __future__ import annotations

import itertools
from fractions import Fraction


def dot(x, y):
    return sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))


def minus(x, y):
    return [a - b for a, b in zip(x, y, strict=True)]


def solve(matrix, right):
    """The solution of a square system; None where it is singular."""
    rows = [[*line, value] for line, value in zip(matrix, right, strict=True)]
    for j in range(len(rows)):
        at = next((i for i in range(j, len(rows)) if rows[i][j]), None)
        if at is None:
            return None
        rows[j], rows[at] = rows[at], rows[j]
        rows[j] = [a / rows[j][j] for a in rows[j]]
        for i in range(len(rows)):
            if i != j and rows[i][j]:
                rows[i] = [a - rows[i][j] * c for a, c in zip(rows[i], rows[j], strict=True)]
    return [row[-1] for row in rows]


def subsets(points):
    for size in range(1, min(len(points), len(points[0]) + 1) + 1):
        yield from itertools.combinations(points, size)


def squared_distance_of_hull(points):
    """min ||sum_i lambda_i p_i||^2 over shares: the p of a subset where all <p, p_i> >= <p, p>."""
    for chosen in subsets(points):
        k = len(chosen)
        border = [[dot(p, q) for q in chosen] + [Fraction(-1)] for p in chosen] + [[Fraction(1)] * k + [Fraction(0)]]
        found = solve(border, [Fraction(0)] * k + [Fraction(1)])
        if found is None or min(found[:k]) < 0:
            continue
        nearest = [dot(found[:k], column) for column in zip(*chosen, strict=True)]
        square = dot(nearest, nearest)
        if all(dot(nearest, p) >= square for p in points):
            return square
    raise AssertionError("every polytope has a nearest point")


def squared_radius(points):
    """The least r^2 of a ball: that of a subset whose own ball holds all."""
    for chosen in subsets(points):
        first, others = chosen[0], [minus(p, chosen[0]) for p in chosen[1:]]
        shares = solve([[2 * dot(p, q) for q in others] for p in others], [dot(p, p) for p in others])
        if shares is None:
            continue
        away = [dot(shares, column) for column in zip(*others, strict=True)] if others else [Fraction(0)] * len(first)
        square, center = dot(away, away), [a + c for a, c in zip(first, away, strict=True)]
        inside = min([*shares, 1 - sum(shares)]) >= 0
        if inside and all(dot(minus(p, center), minus(p, center)) <= square for p in points):
            return square
    raise AssertionError("every set has a smallest ball")
