"""The question of separability decided exactly, for few points: a rational plane or a conflict, by pivots on integers.

With s_i = <u, z_i>, a basis I of the points expresses the others: s_g = sum_{i in I} c_gi s_i. Ask for s >= 1. Where
all s_i = 1, i in I, gives s_g >= 1 for every g, there is the plane. Else the first g with s_g < 1 is exchanged for the
first i in I with c_gi > 0. Where there is no such i, z_g = sum_i c_gi z_i with all c_gi <= 0: g and the i with c_gi < 0
are a conflict, and no point of it can be left out, as those of I are independent. First means of least number, in both
choices: this is the criss-cross method (Terlaky 1985) on a program without costs, and ends after finitely many pivots.
Pivots keep integers over one common denominator (Edmonds 1967).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from empirisk.arithmetic.integer_null_space import dependence
from empirisk.arithmetic.integer_points import IntegerPoints, weighted_sum

MOST_WORK = 400_000  # entries computed, each counted once more for every WORD bits: about half a second
WORD = 256


class ExactPlane(NamedTuple):
    """<u, z_i> >= 1 for all of the points, u in their integer coordinates."""

    plane: tuple[Fraction, ...]


class ExactConflict(NamedTuple):
    """sum_k weights_k z_{members_k} = 0, all weights > 0; no point of it can be left out."""

    members: tuple[int, ...]
    weights: tuple[int, ...]


def decide(points: IntegerPoints, most_work: int = MOST_WORK) -> ExactPlane | ExactConflict | None:
    """A plane or a conflict; None where it is more work than asked for. Points that come first are the first basis."""
    chosen = dependence(points).coordinates.tolist()  # the others depend on these
    place = {c: k for k, c in enumerate(chosen)}
    rows = [[0] * len(chosen) for _ in points.values]
    for row, coordinates, values in zip(rows, points.coordinates, points.values, strict=True):
        for c, value in zip(coordinates, values, strict=True):
            if c in place:
                row[place[c]] = value
    tableau = _Tableau(rows)
    n = len(rows)
    for i in range(n):  # exchange the coordinates of the plane for points
        free = next((c for c, name in enumerate(tableau.columns) if name >= n and tableau.rows[i][c]), None)
        if free is not None and tableau.work <= most_work:
            tableau.exchange(i, free)
    while tableau.work <= most_work:
        short = tableau.first_short()
        if short is None:
            plane = tableau.plane()
            spread = [Fraction(0)] * points.n_coordinates
            for c, u in zip(chosen, plane, strict=True):
                spread[c] = u
            return ExactPlane(tuple(spread))
        entering = tableau.first_positive(short)
        if entering is None:
            conflict = tableau.conflict(short)
            weights = [0] * n
            for i, weight in zip(*conflict, strict=True):
                weights[i] = weight
            return None if any(weighted_sum(points, weights)) else conflict  # where PRIME was an unlucky one
        tableau.exchange(short, entering)
    return None


class _Tableau:
    """Rows as combinations of columns, over one denominator; names below n are points, from n on coordinates."""

    def __init__(self, rows: list[list[int]]) -> None:
        self.rows = rows
        self.n = len(rows)
        self.names = list(range(self.n))  # of the rows
        self.columns = list(range(self.n, self.n + len(rows[0])))
        self.denominator = 1
        self.work = 0

    def exchange(self, r: int, c: int) -> None:
        """Make the variable of column c that of row r, and the other way round."""
        line, pivot, before = self.rows[r], self.rows[r][c], self.denominator
        sign = 1 if pivot > 0 else -1
        for i, row in enumerate(self.rows):
            if i != r:
                factor = sign * row[c]
                size = sign * pivot
                if factor:
                    new = [(a * size - factor * x) // before for a, x in zip(row, line, strict=True)]
                else:
                    new = [a * size // before for a in row]
                new[c] = factor
                self.rows[i] = new
        new = [-sign * x for x in line]
        new[c] = sign * before
        self.rows[r] = new
        self.denominator = sign * pivot
        self.work += self.n * len(self.columns) * (1 + self.denominator.bit_length() // WORD)
        self.names[r], self.columns[c] = self.columns[c], self.names[r]

    def first_short(self) -> int | None:
        """The row of the first point that is below 1 where all points among the columns are 1."""
        short = [r for r, name in enumerate(self.names) if name < self.n and sum(self.rows[r]) < self.denominator]
        return min(short, key=lambda r: self.names[r], default=None)

    def first_positive(self, r: int) -> int | None:
        """The column of the first point with a positive factor in row r."""
        positive = [c for c, a in enumerate(self.rows[r]) if a > 0]
        return min(positive, key=lambda c: self.columns[c], default=None)

    def plane(self) -> list[Fraction]:
        """The coordinates of the plane where all points among the columns are 1."""
        found = {name: sum(row) for name, row in zip(self.names, self.rows, strict=True) if name >= self.n}
        return [Fraction(found.get(name, 0), self.denominator) for name in range(self.n, self.n + len(self.columns))]

    def conflict(self, r: int) -> ExactConflict:
        """The point of row r and those of the columns with a negative factor, where none has a positive one."""
        weights = {self.columns[c]: -a for c, a in enumerate(self.rows[r]) if a}
        weights[self.names[r]] = self.denominator
        common = math.gcd(*weights.values())
        members = tuple(sorted(weights))
        return ExactConflict(members, tuple(weights[i] // common for i in members))
