"""What is true of few points in few columns, in rational numbers: every set of points that decides is looked at.

With z_i = y_i (x_i, 1), or y_i x_i through the origin: a conflict is a set of z_i of which positive multiples sum to
zero (Gordan 1873); one that contains no other has a rank one below its size, so that its multiples are those of one
vector. A set of points can be separated where it contains no conflict. The plane of least norm and the smallest ball
rest on points that are independent: the set that meets the conditions of optimality is the truth.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from numpy.typing import ArrayLike, NDArray

Rational = Any  # flint's fmpq: python-flint has no types
Rationals = list[Rational]
ZERO, ONE = fmpq(0), fmpq(1)


class PlaneTruth:
    """Points of two classes, exactly."""

    def __init__(self, X: NDArray[np.float64], y: NDArray[np.float64], fit_intercept: bool) -> None:
        self.points, self.signs = [rationals(row) for row in X], [int(sign) for sign in y]
        self.fit_intercept, self.d = fit_intercept, X.shape[1]
        self.z = [
            [sign * x for x in row] + ([fmpq(sign)] if fit_intercept else [])
            for row, sign in zip(self.points, self.signs, strict=True)
        ]
        self.conflicts = list(self._minimal_conflicts())

    @property
    def is_separable(self) -> bool:
        """Whether some plane has every point on its side."""
        return not self.conflicts

    def margins(self, w: ArrayLike, b: Rational) -> Rationals:
        """y_i (<w, x_i> + b), of floats or rationals."""
        weights = rationals(w)
        return [sign * (dot(weights, row) + rational(b)) for row, sign in zip(self.points, self.signs, strict=True)]

    def least_error(self, weights: Rationals) -> Rational:
        """The least weight of rows without which the others can be separated."""
        n, best = len(self.z), sum(weights, ZERO)
        for kept in range(1 << n):
            lost = sum((weights[i] for i in range(n) if not kept >> i & 1), ZERO)
            if lost < best and not any(conflict & kept == conflict for conflict in self.conflicts):
                best = lost
        return best

    def least_square(self, is_augmented: bool) -> Rational:
        """Of points that can be separated: the least ||w||^2 with all margins >= 1, b free; augmented ||(w, b)||^2."""
        is_free = self.fit_intercept and not is_augmented
        z = [row[: self.d] for row in self.z] if is_free else self.z
        for chosen in _subsets(len(z), len(self.z[0])):
            border = [fmpq(self.signs[i]) for i in chosen] if is_free else None
            found = _held(z, chosen, border)
            if found is None:
                continue
            shares, b = found
            u = [sum((a * z[i][j] for a, i in zip(shares, chosen, strict=True)), ZERO) for j in range(len(z[0]))]
            margins = (dot(u, row) + sign * b for row, sign in zip(z, self.signs, strict=True))
            if all(a >= 0 for a in shares) and all(margin >= 1 for margin in margins):
                return dot(u, u)
        raise ArithmeticError("no plane is the one of least norm")

    def largest_square(self) -> Rational:
        """R^2, the largest ||z_i||^2."""
        return max(dot(row, row) for row in self.z)

    def is_conflict(self, rows: ArrayLike) -> bool:
        """Whether positive multiples of these points, and of none fewer, sum to zero."""
        return sum(1 << int(i) for i in np.ravel(rows)) in self.conflicts

    def _minimal_conflicts(self) -> Iterator[int]:
        found: list[int] = []
        for chosen in _subsets(len(self.z), len(self.z[0]) + 1):
            mask = sum(1 << i for i in chosen)
            if not any(conflict & mask == conflict for conflict in found) and _sum_to_zero(self.z, chosen):
                found.append(mask)
                yield mask


def smallest_ball(X: NDArray[np.float64]) -> Rational:
    """r^2 of the smallest ball around the rows."""
    points = [rationals(row) for row in X]
    for chosen in _subsets(len(points), X.shape[1] + 1):
        first = points[chosen[0]]
        edges = [[x - o for x, o in zip(points[i], first, strict=True)] for i in chosen[1:]]
        shares = _solved([[2 * dot(a, c) for c in edges] for a in edges], [dot(a, a) for a in edges])
        if shares is None or any(share < 0 for share in shares) or sum(shares, ZERO) > 1:
            continue
        offset = [sum((s * e[j] for s, e in zip(shares, edges, strict=True)), ZERO) for j in range(X.shape[1])]
        center = [o + x for o, x in zip(first, offset, strict=True)]
        square = dot(offset, offset)
        if all(distance(row, center) <= square for row in points):
            return square
    raise ArithmeticError("no ball is the smallest")


def rational(x: Any) -> Rational:
    """A float, exactly."""
    return x if isinstance(x, fmpq) else fmpq(*float(x).as_integer_ratio())


def rationals(x: Any) -> Rationals:
    """Floats, exactly."""
    return [rational(v) for v in (x if isinstance(x, list) else np.ravel(x).tolist())]


def dot(a: Rationals, b: Rationals) -> Rational:
    """<a, b>."""
    return sum((v * u for v, u in zip(a, b, strict=True)), ZERO)


def distance(a: Rationals, b: Rationals) -> Rational:
    """||a - b||^2."""
    return sum(((v - u) ** 2 for v, u in zip(a, b, strict=True)), ZERO)


def _subsets(n: int, largest: int) -> Iterator[tuple[int, ...]]:
    """Of the numbers below n, small ones first."""
    for size in range(1, min(n, largest) + 1):
        yield from itertools.combinations(range(n), size)


def _sum_to_zero(z: list[Rationals], chosen: tuple[int, ...]) -> bool:
    """Whether the multiples of these that sum to zero are those of one vector, which is positive."""
    reduced, rank = fmpq_mat([[z[i][j] for i in chosen] for j in range(len(z[0]))]).rref()
    if rank != len(chosen) - 1:
        return False
    pivots = [next(k for k in range(len(chosen)) if reduced[line, k] != 0) for line in range(rank)]
    free = next(k for k in range(len(chosen)) if k not in pivots)
    return all(reduced[line, free] < 0 for line in range(rank))


def _held(z: list[Rationals], chosen: tuple[int, ...], border: Rationals | None) -> tuple[Rationals, Rational] | None:
    """Multiples a and an intercept b with <u, z_i> + y_i b = 1 for these rows, u = sum_i a_i z_i, sum_i a_i y_i = 0."""
    matrix = [[dot(z[i], z[k]) for k in chosen] for i in chosen]
    right = [ONE] * len(chosen)
    if border is not None:
        matrix = [[*line, sign] for line, sign in zip(matrix, border, strict=True)] + [[*border, ZERO]]
        right = [*right, ZERO]
    found = _solved(matrix, right)
    if found is None:
        return None
    return (found, ZERO) if border is None else (found[:-1], found[-1])


def _solved(matrix: list[Rationals], right: Rationals) -> Rationals | None:
    """The solution of a square system; None where there is not exactly one."""
    if not right:
        return []
    try:
        found = fmpq_mat(matrix).solve(fmpq_mat([[x] for x in right]))
    except ZeroDivisionError:
        return None
    return [found[i, 0] for i in range(len(right))]
