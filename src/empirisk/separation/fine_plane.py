"""The certificate of data that a plane separates whose weights are finer than floats, or larger.

Columns that are combinations of others but for their rounding can be told apart by that rounding alone: then there is a
plane with every point on its side, but its weights have to cancel each other in more than 53 bits. At the ends of what
floats hold a plane has every point on its side, but no multiple of it has y (<w, x> + b) >= 1 for all, or the other
numbers of a `Separation` overflow: one double a weight is then enough.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import norm_bounds, rounded_down
from empirisk.arithmetic.long_products import LongVector, long_scores
from empirisk.capabilities import name_of
from empirisk.certificates.fields import array_of, check_names, expect, expect_numbers, fields_json, is_number
from empirisk.certificates.registry import register
from empirisk.certificates.verification import OTHER_POINT
from empirisk.designs import matrix_of
from empirisk.designs.transposed import scaled_rows
from empirisk.protocols import Headline, Matrix, Vector, Verification, Words
from empirisk.separation.data_claim import DATA, data_fields, data_from_json, data_to_json, refused
from empirisk.separation.points import Points, points_of
from empirisk.separation.points_as_integers import exact_margins

MOST_PARTS = 16
NEAR = 1e-8  # by which a true claim may be weaker than what the checker finds
ROWS_AT_A_TIME = 4096


@register
class FineSeparation(NamedTuple):
    """y_i (<w, x_i> + b) > 0 for every point, for the exact numbers, (w, b) the exact sum of the `parts`."""

    parts: Matrix  # one plane a line, the intercept last (0 in the homogeneous case)
    margin: float  # at most min_i <u, z_i> / ||u|| of the augmented points, u the sum of the parts; 0 where floats end
    n_rows: int
    n_columns: int
    fit_intercept: bool
    classes: tuple[Any, Any]
    fingerprint: str

    @property
    def is_separable(self) -> bool:
        """True."""
        return True

    def sentence(self) -> str:
        """The claim in words."""
        plane = "a plane" if self.fit_intercept else "a plane through the origin"
        margin = f"{self.margin:.3g}" if self.margin > 0.0 else "below the smallest double"
        if len(self.parts) == 1:
            said = f"Separable: {plane} has all {self.n_rows} points strictly on their sides; the margin is {margin}."
            return f"{said} Numbers so near to the ends of double precision have no more to tell."
        return (
            f"Separable by a hair: {plane} has all {self.n_rows} points strictly on their sides, each weight the exact "
            f"sum of {len(self.parts)} doubles; the margin is {margin}. Columns that are combinations of "
            "others but for their rounding do that."
        )

    def words(self, tol: float) -> Words:
        """What such a plane is."""
        ends = (
            "But the numbers are at the ends of what a computer's usual numbers hold: scale the columns, and more can "
            "be told."
        )
        rounding = (
            "But some columns are combinations of others, up to the last digits of their numbers, and it is these last "
            "digits that tell the classes apart: the plane is written with more digits than a computer's usual numbers "
            "have. Expect nothing of it on new data."
        )
        return Words(
            meaning="A plane was found with every point strictly on its side, none on it. "
            + (ends if len(self.parts) == 1 else rounding),
            headline=(
                Headline("Margin", self.margin, "the least <u, z> / ||u|| over the points z = y (x, 1)"),
                Headline("Doubles a weight", float(len(self.parts)), "that are summed exactly"),
            ),
            checked="the side of every point, in exact arithmetic",
        )

    def is_within(self, tol: float) -> bool:
        """A plane that separates is all that was asked."""
        return True

    def problem_of(self, X: Any, y: Any, sample_weight: Any = None) -> Points:
        """The question that it answers, on these data; weights do not matter for it."""
        return points_of(X, y, self.fit_intercept)

    def verify(self, problem: Points, point: Any = None) -> Verification:
        """Recompute every margin from the data in exact arithmetic."""
        if point is not None:
            return OTHER_POINT
        verdict = refused(self, problem, None)
        if verdict is not None:
            return verdict
        parts = self.parts
        is_plane = isinstance(parts, np.ndarray) and parts.dtype == np.float64 and parts.ndim == 2
        if not is_plane or not 1 <= len(parts) <= MOST_PARTS or parts.shape[1] != self.n_columns + 1:
            return Verification(False, "The plane does not have the columns of these data.")
        if not np.all(np.isfinite(parts)) or not is_number(self.margin):
            return Verification(False, "The certificate holds numbers that are not finite.")
        if not self.fit_intercept and np.any(parts[:, -1]):
            return Verification(False, "The plane has an intercept, and must go through the origin.")
        found = _margin(problem, parts)
        if found is None:
            return Verification(False, "Some point is not strictly on its side.")
        numbers = {"margin": found}
        if not (1.0 - NEAR) * found <= self.margin <= found:
            return Verification(False, f"The recomputed margin is {found:.12g}, not {self.margin:.12g}.", numbers)
        said = f"Recomputed from the data: all {self.n_rows} points are strictly on their sides, in exact arithmetic."
        return Verification(True, said, numbers)

    def to_json(self) -> dict[str, Any]:
        """The margin and the data that it speaks of."""
        return {"kind": name_of(self), **fields_json(self, ("margin",)), **data_to_json(self)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The plane."""
        return {"parts": self.parts}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> FineSeparation:
        """What `to_json` and `arrays` gave; ValueError for anything else."""
        check_names(cls, data, ("margin", *DATA), arrays, ("parts",))
        expect_numbers(data, ("margin",))
        expect(data["margin"] >= 0.0, "margin")
        about, parts = data_from_json(data), array_of(arrays, "parts", ndim=2, least=1)
        expect(parts.shape[1] == about["n_columns"] + 1 and len(parts) <= MOST_PARTS, "parts")
        return cls(parts, data["margin"], **about)


def fine_separation_from(points: Points, plane: LongVector) -> FineSeparation | None:
    """The certificate of this plane, in as few doubles a weight as do; None where a point is not on its side."""
    whole = plane.parts(points.n_columns + 1, MOST_PARTS)
    for count in range(1, len(whole) + 1):
        parts = whole[:count]
        # What overflows, or cancels beyond their precision, is left to the exact margins.
        if np.all(np.isfinite(parts)) and not np.any(fine_margins(points, parts) < 0.0):
            margin = _margin(points, parts)
            if margin is not None:
                return FineSeparation(parts, margin, **data_fields(points))
    return None


def fine_margins(points: Points, parts: Matrix) -> Vector:
    """About y_i (<w, x_i> + b), (w, b) the sum of the parts, also where most of it cancels."""
    margins = np.empty(points.n_rows)
    for first in range(0, points.n_rows, ROWS_AT_A_TIME):
        rows = np.arange(first, min(first + ROWS_AT_A_TIME, points.n_rows))
        margins[rows] = points.y[rows] * long_scores(np.ascontiguousarray(augmented_rows(points, rows).T), parts)
    return margins


def augmented_rows(points: Points, rows: NDArray[np.int64]) -> Matrix:
    """These rows of (X, 1), or (X, 0) without an intercept, dense."""
    chosen: Any = matrix_of(scaled_rows(points.design, rows, np.ones(points.n_columns)))
    dense = chosen if isinstance(chosen, np.ndarray) else chosen.toarray()
    return np.column_stack([dense, np.full(rows.size, float(points.fit_intercept))])


def _margin(points: Points, parts: Matrix) -> float | None:
    """A lower bound of the margin, the same on every machine; None where a point is not strictly on its side."""
    totals = [Fraction(0)] * points.n_rows
    for part in parts:
        margins = exact_margins(points, range(points.n_rows), part[:-1], float(part[-1]))
        totals = [total + margin for total, margin in zip(totals, margins, strict=True)]
    least = min(totals)
    if least <= 0:
        return None
    norm = sum(norm_bounds(part, 3.0)[1] for part in parts)  # of the sum, rounded up below
    if not math.isfinite(norm):
        return None
    return rounded_down(least / Fraction(norm) * (1 - Fraction(1, 2**40)))
