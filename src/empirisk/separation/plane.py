"""The certificate of separable data: a plane with every point on its side, in exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import norm_bounds
from empirisk.capabilities import name_of
from empirisk.certificates.fields import (
    array_of,
    check_names,
    expect,
    expect_numbers,
    fields_json,
    is_integer,
    is_number,
)
from empirisk.certificates.registry import register
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Headline, Vector, Verification, Words
from empirisk.separation.data_claim import DATA, data_fields, data_from_json, data_to_json, refused
from empirisk.separation.margins_with_rounding import SHARP, combination_norm, largest_and_nearest, least_margin
from empirisk.separation.points import Points, points_of

ABOVE = 2.0**-20  # the least margin may exceed 1 by so much before the plane is scaled
AIM = 1.0 + 2.0**-26  # the least margin after scaling: no point is so near to 1 that rounding hides its side
ROOM = 3.0  # times the rounding: a checker whose sums round otherwise still proves what is claimed
TOLERANCE = 1e-8  # by which a true claim may be weaker than what the checker finds
NUMBERS = ("intercept", "margin", "affine_margin", "radius", "b_low", "b_high")


@register
class Separation(NamedTuple):
    """y_i (<w, x_i> + b) >= 1 for every point, for the exact numbers.

    B is the least ||u|| with <u, z_i> >= 1 for all i, u = (w, b) and z_i = y_i (x_i, 1), or u = w and z_i = y_i x_i in
    the homogeneous case. This plane shows B <= ||u|| / min_i <u, z_i>. Any weights lambda >= 0 show
    B >= sum_i lambda_i / ||v||, v = sum_i lambda_i z_i, as sum_i lambda_i <= sum_i lambda_i <u, z_i> = <u, v>.
    """

    weights: Vector
    intercept: float  # 0.0 in the homogeneous case
    margin: float  # at most min_i <u, z_i> / ||u||, the margin of the augmented points
    affine_margin: float  # at most min_i y_i (<w, x_i> + b) / ||w||, the distance of the nearest x_i from the plane
    radius: float  # at least R = max_i ||z_i||
    b_low: float  # b_low <= B <= b_high
    b_high: float
    support_rows: tuple[int, ...]  # the lambda that shows b_low
    support_weights: tuple[float, ...]
    n_rows: int
    n_columns: int
    fit_intercept: bool
    classes: tuple[Any, Any]
    fingerprint: str

    @property
    def is_separable(self) -> bool:
        """True."""
        return True

    @property
    def most_mistakes(self) -> float:
        """(R B)^2, the most mistakes of a perceptron; infinite where that is too large a number."""
        product = self.radius * self.b_high
        return product * product

    def sentence(self) -> str:
        """The claim in words."""
        plane = "a plane" if self.fit_intercept else "a plane through the origin"
        return (
            f"Separable: {plane} has all {self.n_rows} points strictly on their sides, the nearest at the distance "
            f"{self.affine_margin:.6g}; R = {self.radius:.6g}, and B is between {self.b_low:.6g} and {self.b_high:.6g}."
        )

    def words(self, tol: float) -> Words:
        """What a separating plane is."""
        return Words(
            meaning="A plane splits the space in two. Here one was found with every point of one class on its one side "
            "and every point of the other class on its other side, none on it: the classes can be told apart without "
            "a single error on these rows. Whoever has the data can see that for every row.",
            headline=(
                Headline("Margin", self.affine_margin, "the distance of the nearest point from the plane"),
                Headline("Bound", self.most_mistakes, "(R B)^2, the most mistakes of a perceptron"),
            ),
            checked="the side of every point, in exact arithmetic where rounding could hide it",
        )

    def is_within(self, tol: float) -> bool:
        """A plane that separates is all that was asked."""
        return True

    def problem_of(self, X: Any, y: Any, sample_weight: Any = None) -> Points:
        """The question that it answers, on these data; weights do not matter for it."""
        return points_of(X, y, self.fit_intercept)

    def verify(self, problem: Points, point: LinearPoint | None = None) -> Verification:
        """Recompute every margin from the data, those near 1 in exact arithmetic, and the numbers beside."""
        verdict = refused(self, problem, point)
        if verdict is not None:
            return verdict
        is_plane = isinstance(self.weights, np.ndarray) and self.weights.shape == (self.n_columns,)
        if not is_plane or (not self.fit_intercept and self.intercept != 0.0):
            return Verification(False, "The plane does not have the columns of these data.")
        is_finite = self.weights.dtype == np.float64 and bool(np.all(np.isfinite(self.weights)))
        if not is_finite or not all(is_number(getattr(self, name)) for name in NUMBERS):
            return Verification(False, "The certificate holds numbers that are not finite.")
        if not _is_combination(self.support_rows, self.support_weights, self.n_rows):
            return Verification(False, "The weights that show b_low are not weights of these rows.")
        low = least_margin(problem, self.weights, self.intercept, least=1.0)
        if low is None:
            return Verification(False, "Some point does not have y (<w, x> + b) >= 1.")
        found = _numbers(problem, self.weights, self.intercept, low, self.support_rows, self.support_weights, 1.0)
        numbers = {name: value for name, (value, _) in found.items()}
        for name, (value, is_upper) in found.items():
            claim = getattr(self, name)
            is_proven = claim >= value if is_upper else claim <= value
            if not is_proven or abs(claim - value) > TOLERANCE * value:
                return Verification(False, f"The recomputed {name} is {value:.12g}, not {claim:.12g}.", numbers)
        said = f"Recomputed from the data: all {self.n_rows} points have y (<w, x> + b) >= 1, in exact arithmetic."
        return Verification(True, said, numbers)

    def to_json(self) -> dict[str, Any]:
        """The numbers and the data that it speaks of."""
        return {"kind": name_of(self), **fields_json(self, NUMBERS), **data_to_json(self)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The plane, and the weights that show b_low."""
        return {
            "weights": self.weights,
            "support_rows": np.array(self.support_rows, dtype=np.int64),
            "support_weights": np.array(self.support_weights, dtype=np.float64),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Separation:
        """What `to_json` and `arrays` gave; ValueError for anything else."""
        check_names(cls, data, (*NUMBERS, *DATA), arrays, ("weights", "support_rows", "support_weights"))
        expect_numbers(data, NUMBERS)
        for name in ("margin", "affine_margin", "radius", "b_high"):
            expect(data[name] > 0.0, name)
        expect(0.0 <= data["b_low"] <= data["b_high"], "b_low")
        about, weights = data_from_json(data), array_of(arrays, "weights", least=1)
        expect(weights.size == about["n_columns"], "weights")
        return cls(
            weights=weights,
            **{name: data[name] for name in NUMBERS},
            support_rows=tuple(array_of(arrays, "support_rows", np.int64, least=1).tolist()),
            support_weights=tuple(array_of(arrays, "support_weights", least=1).tolist()),
            **about,
        )


def separation_from(points: Points, w: Any, b: float, rows: Any = (), multipliers: Any = ()) -> Separation | None:
    """The certificate of the plane (w, b), scaled so that y (<w, x> + b) >= 1; None where a point is not on its side.

    Weights lambda >= 0 of some rows (multipliers of a program, say) show the lower end of the interval for B; without
    them the point of least norm does.
    """
    plane = np.append(np.asarray(w, dtype=np.float64), float(b))
    if plane.shape != (points.n_columns + 1,):
        raise ValueError(f"the plane has {plane.size - 1} weights, X has {points.n_columns} columns")
    if not points.fit_intercept and b != 0.0:
        raise ValueError(f"the intercept is {b}, but the plane must go through the origin: fit_intercept is False")
    scaled = _scaled(points, plane) if np.all(np.isfinite(plane)) else None
    if scaled is None:
        return None
    plane, low = scaled[0], scaled[1] * (1.0 - ROOM * SHARP)
    weights, intercept = plane[:-1], float(plane[-1])
    support = _support(points, np.asarray(rows, dtype=np.int64), np.asarray(multipliers, dtype=np.float64))
    numbers: dict[str, Any] = {
        name: value for name, (value, _) in _numbers(points, weights, intercept, low, *support, ROOM).items()
    }
    if not all(map(math.isfinite, numbers.values())):
        return None
    return Separation(
        weights=weights,
        intercept=intercept,
        support_rows=support[0],
        support_weights=support[1],
        **numbers,
        **data_fields(points),
    )


def _scaled(points: Points, plane: Vector) -> tuple[Vector, float] | None:
    """The plane times a number, and a lower bound of its least margin, at least 1."""
    low = least_margin(points, plane[:-1], plane[-1])
    if low is None:
        return None
    if 1.0 <= low <= 1.0 + ABOVE:
        return plane, low
    with np.errstate(all="ignore"):
        trial = plane * (AIM / low)
    if np.all(np.isfinite(trial)):
        trial_low = least_margin(points, trial[:-1], trial[-1])
        if trial_low is not None and trial_low >= 1.0:
            return trial, trial_low
    # Powers of two change no bit of any margin, but that entries may overflow or vanish.
    power = 1 - math.frexp(low)[1]
    with np.errstate(all="ignore"):
        trial = np.ldexp(plane, power)
        is_same = np.array_equal(np.ldexp(trial, -power), plane)
    if is_same:
        return trial, math.ldexp(low, power)
    return (plane, low) if low >= 1.0 else None


def _support(points: Points, rows: Any, multipliers: Vector) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Weights that sum to about 1: of the rows with positive multipliers, or of the point of least norm alone."""
    nearest = (largest_and_nearest(points, 1.0)[1],), (1.0,)
    is_used = np.isfinite(multipliers) & (multipliers > 0.0)
    if not np.any(is_used):
        return nearest
    with np.errstate(over="ignore"):
        shares = multipliers[is_used] / multipliers[is_used].max()
    shares /= shares.sum()
    given = tuple(rows[is_used].tolist()), tuple(shares.tolist())
    return min(given, nearest, key=lambda one: combination_norm(points, one[0], one[1], 1.0) / math.fsum(one[1]))


def _is_combination(rows: tuple[int, ...], weights: tuple[float, ...], n: int) -> bool:
    return (
        isinstance(rows, tuple)
        and isinstance(weights, tuple)
        and len(rows) == len(weights) > 0
        and all(is_integer(i) and 0 <= i < n for i in rows)
        and all(is_number(x) and x >= 0.0 for x in weights)
        and abs(math.fsum(weights) - 1.0) <= TOLERANCE  # only their ratios matter: so that they are stated in one way
    )


def _numbers(
    points: Points, w: Vector, b: float, low: float, rows: Any, shares: Any, room: float
) -> dict[str, tuple[float, bool]]:
    """Bounds by name, and whether they are upper ones; `low` is a lower bound of the least margin."""
    slack = room * 4.0 * 2.0**-53  # of quotients of numbers that are themselves rounded
    whole = norm_bounds(np.append(w, b), room)
    normal = norm_bounds(w, room)
    far = largest_and_nearest(points, room)[0]
    return {
        "margin": (low / whole[1] * (1.0 - slack), False),
        "affine_margin": (low / normal[1] * (1.0 - slack), False),
        "radius": (far, True),
        "b_low": (math.fsum(shares) / combination_norm(points, rows, shares, room) * (1.0 - slack), False),
        "b_high": (whole[1] / low * (1.0 + slack), True),
    }
