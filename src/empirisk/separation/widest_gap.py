"""The widest gap between two classes: the plane of the hard margin, and the proof that none is wider.

    least ||w||          where  y_i (<w, x_i> + b) >= 1 for all i       (the distance of the nearest point is 1 / ||w||)
    least ||(w, b)||     the same for the augmented points (x_i, 1): B, of the perceptron's mistake bound

Any plane that separates bounds the least norm from above. Any shares from below: for the augmented points, shares of
sum 1 show B >= 1 / ||sum_i shares_i z_i||. With b free, shares that sum to 1 in each class show
||w|| >= 2 / ||p - m||, where p and m are the points of the two hulls that they make: the gap is the distance of the
hulls. References: Vapnik (1982); Bennett and Bredensteiner (2000).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT
from empirisk.arithmetic.convex_shares import is_convex_combination, shares_of
from empirisk.capabilities import name_of
from empirisk.certificates.fields import array_of, check_names, expect, expect_numbers, fields_json, flag_of
from empirisk.certificates.gap_words import relative_shortfall
from empirisk.certificates.registry import register
from empirisk.parameters import check_seed, check_share, check_time_limit
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Headline, Vector, Verification, Words
from empirisk.separation.active_set.active_rows import UNBOUNDED
from empirisk.separation.data_claim import are_rows, out_of, within
from empirisk.separation.enclosing_ball import EnclosingBall
from empirisk.separation.fine_plane import FineSeparation
from empirisk.separation.found_plane import Endings, FoundPlane
from empirisk.separation.inseparability import Inseparability, inseparability_from
from empirisk.separation.least_norm import norm_from_plane, norm_from_shares, parts_of_one
from empirisk.separation.perceptron_runs.answer import Answer
from empirisk.separation.plane import Separation, separation_from
from empirisk.separation.points import Points, points_of
from empirisk.separation.search.margin_search import search_margin
from empirisk.separation.separate import Undecided, verdict_on
from empirisk.separation.watch import Callback, Watch
from empirisk.texts import shown

FIELDS = ("augmented", "norm_low", "norm_high")
WIDEST = "the gap is proven to be the widest, within the tolerance"  # how a search ends that lacks nothing
ROOM = 2.0  # times the rounding: a checker whose sums round otherwise still proves what is claimed
TOLERANCE = 1e-8  # by which a true claim may be weaker than what the checker finds
SLACK = 0.125  # of tol: how far the search lets a margin be below 1


@register
class WidestGap(NamedTuple):
    """A plane, and shares of points that prove how near it is to the widest one."""

    plane: Separation
    augmented: bool  # whether the norm is that of (w, b), and so B; False without an intercept
    support_rows: NDArray[np.int64]
    dual_weights: Vector  # shares of these rows: their exact sum is 1, in each class where b is free
    norm_low: float  # norm_low <= the least norm <= norm_high
    norm_high: float

    @property
    def is_separable(self) -> bool:
        """True."""
        return True

    @property
    def weights(self) -> Vector:
        """w, with y (<w, x> + b) >= 1 for every point."""
        return self.plane.weights

    @property
    def intercept(self) -> float:
        """b."""
        return self.plane.intercept

    @property
    def n_columns(self) -> int:
        """Of the data that it speaks of."""
        return self.plane.n_columns

    @property
    def b_low(self) -> float:
        """The lower end of the interval for B, that of the augmented points (or of the points, without intercept)."""
        return self.norm_low if self._is_about_b else self.plane.b_low

    @property
    def b_high(self) -> float:
        """The upper end of that interval."""
        return self.norm_high if self._is_about_b else self.plane.b_high

    @property
    def margin_low(self) -> float:
        """The margin of this plane: the widest one is no smaller."""
        return 1.0 / self.norm_high * (1.0 - 2.0 * UNIT)

    @property
    def margin_high(self) -> float:
        """No plane has a larger margin."""
        return 1.0 / self.norm_low * (1.0 + 2.0 * UNIT) if self.norm_low > 0.0 else math.inf

    @property
    def relative_gap(self) -> float:
        """Of ||w||^2 / 2: (P - D) / P."""
        return 1.0 - (self.norm_low / self.norm_high) ** 2

    @property
    def _is_about_b(self) -> bool:
        return self.augmented or not self.plane.fit_intercept

    def plane_endings(self, tol: float) -> Endings:
        """How the search ended, which is what it proves."""
        return Endings("widest_gap", (self.words(tol).shortfall or WIDEST,))

    def found_plane(self, tol: float) -> FoundPlane:
        """For the model; `tol` was asked."""
        method, (status,), _ = self.plane_endings(tol)
        return FoundPlane(method, Answer(self.weights, self.intercept), self, status)

    def is_within(self, tol: float) -> bool:
        """Whether the relative gap is at most tol."""
        return self.relative_gap <= tol

    def relative_to(self, ball: EnclosingBall) -> tuple[float, float]:
        """An interval for the margin divided by the radius of a ball: 1 / ratio^2 enters bounds on future errors."""
        if not ball.radius_high > 0.0:
            return math.inf, math.inf
        high = self.margin_high / ball.radius_low * (1.0 + 2.0 * UNIT) if ball.radius_low > 0.0 else math.inf
        return self.margin_low / ball.radius_high * (1.0 - 2.0 * UNIT), high

    def sentence(self) -> str:
        """The claim in words."""
        points = "augmented points" if self.augmented else "points"
        return (
            f"The margin of the {points} is {self.margin_low:.10g}, and no plane has more than {self.margin_high:.10g} "
            f"(relative gap {self.relative_gap:.2g}); {self.support_rows.size} support points prove it."
        )

    def words(self, tol: float) -> Words:
        """What the widest gap is."""
        return Words(
            meaning="Of all planes between the two classes this one keeps the nearest points farthest away, up to the "
            "gap stated here. A few support points prove that no plane can do better: a mixture of those of the one "
            "class lies so close to a mixture of those of the other that no wider street fits between them.",
            headline=(
                Headline("Margin", self.margin_low, f"none is wider than {shown(self.margin_high)}"),
                Headline("Relative gap", self.relative_gap, f"asked: at most {tol:.3g}"),
            ),
            checked="the margins of the plane and the distance of the two mixtures",
            shortfall=relative_shortfall(self, tol),
            notes=() if self.is_within(tol) else ("More time, or columns of like size, can help.",),
        )

    def problem_of(self, X: Any, y: Any, sample_weight: Any = None) -> Points:
        """The question that it answers, on these data; weights do not matter for it."""
        return points_of(X, y, self.plane.fit_intercept)

    def verify(self, problem: Points, point: LinearPoint | None = None) -> Verification:
        """Recompute the plane's margins, in exact arithmetic, and both ends of the interval from the data."""
        verdict = self.plane.verify(problem, point)
        if not verdict.holds:
            return verdict
        if self.augmented and not problem.fit_intercept:
            return Verification(False, "Without an intercept there are no augmented points.")
        rows = self.support_rows
        if not are_rows(rows, problem.n_rows) or rows.shape != self.dual_weights.shape:
            return Verification(False, "The dual weights are not weights of rows of these data.")
        if not all(
            is_convex_combination(self.dual_weights[part]) for part in parts_of_one(problem, rows, self.augmented)
        ):
            return Verification(False, "The dual weights are not >= 0 with the sum 1.")
        low = norm_from_shares(problem, rows, self.dual_weights, self.augmented, 1.0)
        high = norm_from_plane(self.plane, self.augmented)
        for name, value, is_proven in (
            ("norm_low", low, self.norm_low <= low),
            ("norm_high", high, self.norm_high >= high),
        ):
            if not (is_proven and abs(getattr(self, name) - value) <= TOLERANCE * value):
                said = f"The recomputed {name} is {value:.12g}, not {getattr(self, name):.12g}."
                return Verification(False, said)
        gap = 1.0 - (low / high) ** 2
        said = f"Recomputed from the data: the relative gap is at most {gap:.3g}."
        return Verification(True, said, {"relative_gap": gap, "norm_low": low, "norm_high": high})

    def to_json(self) -> dict[str, Any]:
        """The numbers, and the plane."""
        return {"kind": name_of(self), **fields_json(self, FIELDS), "plane": self.plane.to_json()}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The shares, and those of the plane."""
        own = {"support_rows": self.support_rows, "dual_weights": self.dual_weights}
        return {**own, **within("plane", self.plane.arrays())}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> WidestGap:
        """What `to_json` and `arrays` gave; ValueError for anything else."""
        of_plane = out_of("plane", arrays)
        known = ("support_rows", "dual_weights", *within("plane", of_plane))
        check_names(cls, data, (*FIELDS, "plane"), arrays, known)
        expect_numbers(data, ("norm_low", "norm_high"))
        expect(data["norm_high"] > 0.0, "norm_high")
        expect(0.0 <= data["norm_low"] <= data["norm_high"], "norm_low")
        return cls(
            Separation.from_json(data["plane"], of_plane),
            flag_of(data, "augmented"),
            array_of(arrays, "support_rows", np.int64, least=1),
            array_of(arrays, "dual_weights", least=1),
            data["norm_low"],
            data["norm_high"],
        )


def widest_gap(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    tol: float = 1e-6,
    augmented: bool = False,
    time_limit: float | None = None,
    seed: int = 0,
    callback: Callback | None = None,
) -> WidestGap | FineSeparation | Inseparability | Undecided:
    """The plane of the widest gap, to a relative gap of `tol` in ||w||^2 / 2 where floating point allows it.

    b is free, or with `augmented` a weight like the others, of a column of ones. Data that no plane separates give the
    verdict of `separate` (`seed` is for that). With a `time_limit` in seconds the interval may be wider:
    `is_within(tol)` tells. So it may where the callback, which is called about fifty times a second with the progress,
    returned True, which ends the search.
    """
    points = points_of(X, y, fit_intercept)
    return widest_gap_of_points(
        points, tol=tol, augmented=augmented, time_limit=time_limit, seed=seed, callback=callback
    )


@np.errstate(all="ignore")  # what overflows is not decided
def widest_gap_of_points(
    points: Points,
    *,
    tol: float = 1e-6,
    augmented: bool = False,
    time_limit: float | None = None,
    seed: int = 0,
    callback: Callback | None = None,
) -> WidestGap | FineSeparation | Inseparability | Undecided:
    """`widest_gap` for points that are already checked."""
    tol, limit = check_share("tol", tol), check_time_limit(time_limit)
    watch = Watch("widest_gap", limit, callback)
    found = search_margin(points, SLACK * tol, augmented=augmented, watch=watch)
    rows, weights = found.rows, found.weights
    if found.status == UNBOUNDED:
        verdict = inseparability_from(points, rows, weights, by_pivots=False)
        if verdict is not None and verdict.is_separable is False:
            return verdict
        rows, weights = rows[:0], weights[:0]
    plane = separation_from(points, found.w, found.b, *((rows, weights) if augmented else ()))
    if plane is None:
        separated = verdict_on(points, watch, check_seed(seed))
        if not isinstance(separated, Separation):
            return separated
        plane = separated
    return _certified(points, plane, rows, weights, augmented)


def _certified(
    points: Points, plane: Separation, rows: NDArray[np.int64], weights: Vector, augmented: bool
) -> WidestGap:
    parts = parts_of_one(points, rows, augmented)
    is_sound = bool(np.all(np.isfinite(weights))) and all(np.any(weights[part] > 0.0) for part in parts)
    if not is_sound:  # nothing to rest on: some point, or pair, shows a little
        rows = np.array([np.argmax(points.y == sign) for sign in (-1.0, 1.0)], np.int64)
        weights, parts = np.ones(2), parts_of_one(points, rows, augmented)
    shares = np.empty(rows.size)
    for part in parts:
        shares[part] = shares_of(weights[part])
    rows, shares = rows[shares > 0.0], shares[shares > 0.0]
    order = np.argsort(rows, kind="stable")
    rows, shares = rows[order], shares[order]
    low = norm_from_shares(points, rows, shares, augmented, ROOM)
    return WidestGap(plane, augmented and points.fit_intercept, rows, shares, low, norm_from_plane(plane, augmented))
