"""The smallest ball around points: center, radius, and the proof that no smaller one holds them.

    least r   where  ||x_i - c|| <= r for all i

Any center bounds the least radius from above, by its farthest point. Any shares lambda >= 0 of sum 1 bound it from
below, whatever c is: r^2 >= sum_i lambda_i ||x_i - c||^2 - ||sum_i lambda_i x_i - c||^2, the variance of the points
under lambda. The two meet at the optimum, where the center is sum_i lambda_i x_i. References: Welzl (1991); Fischer,
Gaertner and Kutz (2003).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import SMALLEST, UNIT, norm_bounds
from empirisk.arithmetic.convex_shares import is_convex_combination, shares_of
from empirisk.capabilities import name_of, offers
from empirisk.certificates.fields import array_of, check_names, expect, expect_numbers, fields_json, text_of
from empirisk.certificates.gap_words import relative_shortfall
from empirisk.certificates.registry import register
from empirisk.certificates.verification import OTHER_POINT
from empirisk.compiled import kernel
from empirisk.designs import CSR, Dense, as_design, check_finite, n_entries
from empirisk.parameters import check_share, check_time_limit
from empirisk.problems.passes import scores_of
from empirisk.protocols import Headline, Point, Vector, Verification, Words
from empirisk.rows.fingerprint import fingerprint
from empirisk.rows.threads import available_threads
from empirisk.separation.active_set.active_rows import Program
from empirisk.separation.active_set.row_pool import Outcome, centers, centred_rows, maximize, typical_size
from empirisk.separation.data_claim import are_rows, size_of
from empirisk.separation.margins_with_rounding import largest_coordinates
from empirisk.separation.near_one import power_to_one, times_power_of_two
from empirisk.separation.watch import Callback, Watch
from empirisk.texts import shown

FIELDS = ("radius_low", "radius_high", "n_rows", "n_columns", "fingerprint")
ROOM = 2.0  # times the rounding: a checker whose sums round otherwise still proves what is claimed
TOLERANCE = 1e-8  # by which a true claim may be weaker than what the checker finds
SLACK = 0.125  # of tol r^2: how far outside the search lets a point be
CANCELLED = 1e-3  # of the terms of a sum
TINY = 2.0**-1000  # more than what is lost of squares that underflow


@register
class EnclosingBall(NamedTuple):
    """A ball with every point in it, and shares of points that prove how near it is to the smallest."""

    center: Vector
    radius_low: (
        float  # radius_low <= the least radius <= radius_high; the ball of radius_high around `center` holds all
    )
    radius_high: float
    support_rows: NDArray[np.int64]
    dual_weights: Vector  # shares of these rows: their exact sum is 1
    n_rows: int
    n_columns: int
    fingerprint: str  # of the points alone

    @property
    def relative_gap(self) -> float:
        """Of the radius: (high - low) / high; zero for a single point."""
        return (self.radius_high - self.radius_low) / self.radius_high if self.radius_high > 0.0 else 0.0

    def is_within(self, tol: float) -> bool:
        """Whether the relative gap is at most tol."""
        return self.relative_gap <= tol

    def sentence(self) -> str:
        """The claim in words."""
        return (
            f"A ball of radius {self.radius_high:.10g} holds all {self.n_rows} points, and none of less than "
            f"{self.radius_low:.10g} does (relative gap {self.relative_gap:.2g}); "
            f"{self.support_rows.size} support points prove it."
        )

    def words(self, tol: float) -> Words:
        """What the smallest ball is for."""
        return Words(
            meaning="The smallest ball that holds all points says how far the data spread; margins are compared with "
            "its radius. The support points prove that no smaller ball holds even them.",
            headline=(
                Headline("Radius", self.radius_high, f"none is smaller than {shown(self.radius_low)}"),
                Headline("Relative gap", self.relative_gap, f"asked: at most {tol:.3g}"),
            ),
            checked="the distance of every point and the lower bound",
            shortfall=relative_shortfall(self, tol),
            notes=() if self.is_within(tol) else ("More time can help.",),
        )

    def needs_labels(self) -> bool:
        """No: it is about points alone."""
        return False

    def problem_of(self, X: Any, y: Any = None, sample_weight: Any = None) -> Dense | CSR:
        """The points; labels and weights do not matter for it."""
        design = as_design(X)
        check_finite(design)
        return design

    def verify(self, problem: Dense | CSR, point: Point | None = None) -> Verification:
        """Recompute every distance and the lower bound from the points, a design."""
        if point is not None:
            return OTHER_POINT
        if not offers(problem, "measure_row"):
            return Verification(False, "The certificate speaks of points, and these are none.")
        for name, value in zip(("n_rows", "n_columns", "fingerprint"), _data(problem), strict=True):
            if getattr(self, name) != value:
                said = f"its {name} is {getattr(self, name)}, not {value}"
                return Verification(False, f"The certificate speaks of other points than these: {said}.")
        rows = self.support_rows
        if not are_rows(rows, self.n_rows) or rows.shape != self.dual_weights.shape:
            return Verification(False, "The dual weights are not weights of rows of these points.")
        if self.center.shape != (self.n_columns,) or not np.all(np.isfinite(self.center)):
            return Verification(False, "The center does not have the columns of these points.")
        if not is_convex_combination(self.dual_weights):
            return Verification(False, "The dual weights are not >= 0 with the sum 1.")
        with np.errstate(all="ignore"):  # a center that is far off makes them infinite
            low, high = _radii(problem, self.center, rows, self.dual_weights, 1.0)
        numbers = {"radius_low": low, "radius_high": high}
        is_proven = self.radius_low <= low and high <= self.radius_high
        room = TOLERANCE * high + float(np.ldexp(math.sqrt(TINY), -power_to_one(problem))) + 4.0 * SMALLEST
        if not is_proven or max(low - self.radius_low, self.radius_high - high) > room:
            said = f"The recomputed radius is between {low:.12g} and {high:.12g}, not as claimed."
            return Verification(False, said, numbers)
        gap = (high - low) / high if high > 0.0 else 0.0
        return Verification(True, f"Recomputed from the points: the relative gap is at most {gap:.3g}.", numbers)

    def to_json(self) -> dict[str, Any]:
        """The numbers and the points that it speaks of."""
        return {"kind": name_of(self), **fields_json(self, FIELDS)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The center and the shares."""
        return {"center": self.center, "support_rows": self.support_rows, "dual_weights": self.dual_weights}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> EnclosingBall:
        """What `to_json` and `arrays` gave; ValueError for anything else."""
        check_names(cls, data, FIELDS, arrays, ("center", "support_rows", "dual_weights"))
        expect_numbers(data, ("radius_low", "radius_high"))
        expect(0.0 <= data["radius_low"] <= data["radius_high"], "radius_low")
        center = array_of(arrays, "center", least=1)
        expect(np.all(np.isfinite(center)), "center")
        return cls(
            center,
            data["radius_low"],
            data["radius_high"],
            array_of(arrays, "support_rows", np.int64, least=1),
            array_of(arrays, "dual_weights", least=1),
            size_of(data, "n_rows"),
            size_of(data, "n_columns"),
            text_of(data, "fingerprint"),
        )


@np.errstate(all="ignore")  # what overflows is not decided
def enclosing_ball(
    X: Any, *, tol: float = 1e-6, time_limit: float | None = None, callback: Callback | None = None
) -> EnclosingBall:
    """The smallest ball around the rows of X, to a relative gap of `tol` in its radius where floating point allows it.

    With a `time_limit` in seconds the interval may be wider: `is_within(tol)` tells. So it may where the callback,
    which is called about fifty times a second with the progress, returned True, which ends the search.
    """
    tol, limit = check_share("tol", tol), check_time_limit(time_limit)
    design = as_design(X)
    if design.n_rows() == 0 or design.n_columns() == 0:
        raise ValueError(f"X must have rows and columns, got the shape ({design.n_rows()}, {design.n_columns()})")
    check_finite(design)
    power = power_to_one(design)
    found, offset = _search(times_power_of_two(design, power), tol, Watch("enclosing_ball", limit, callback))
    shares = shares_of(found.weights)
    rows, shares = found.rows[shares > 0.0], shares[shares > 0.0]
    order = np.argsort(rows, kind="stable")
    rows, shares = rows[order], shares[order]
    center = np.ldexp(found.w + offset, -power) if rows.size > 1 else _point(design, int(rows[0]))
    low, high = _radii(design, center, rows, shares, ROOM)
    if not math.isfinite(high):
        raise ValueError("the radius of the ball around X is larger than float64 holds: divide its columns")
    return EnclosingBall(center, low, high, rows, shares, *_data(design))


def _search(design: Dense | CSR, tol: float, watch: Watch) -> tuple[Outcome, Vector]:
    """The program in the shares: a_i of sum 1, levels ||x_i||^2 / 2, of points less an offset that is given too."""
    n, d, n_threads = design.n_rows(), design.n_columns(), available_threads()
    offset = centers(design)
    levels = _half_squares(design, offset)
    first = int(np.argmax(levels))
    # The farthest point from a point of the set is between r and 2 r away.
    distance = math.sqrt(2.0 * float(np.max(_half_squares(design, _point(design, first)))))
    found = maximize(
        Program(np.ones(n), levels, typical_size(design, offset), True, 1.0),
        lambda rows: centred_rows(design, rows, offset),
        lambda w, b: levels - scores_of(design, w, b - float(w @ offset), n_threads),
        np.array([first]),
        np.ones(1),
        SLACK * tol * (0.5 * distance) ** 2,
        n_columns=d,
        n_entries=n_entries(design),
        watch=watch,
    )
    return found, offset


def _radii(
    design: Dense | CSR, center: Vector, rows: NDArray[np.int64], shares: Vector, room: float
) -> tuple[float, float]:
    """A lower and an upper bound of the least radius, computed near one."""
    power, given = power_to_one(design), (design.values, center)
    design, center = times_power_of_two(design, power), np.ldexp(center, power)
    # Entries may vanish beside the largest: each coordinate of a distance is then off by the smallest float or two.
    is_same = all(
        np.array_equal(np.ldexp(near, -power), x) for near, x in zip((design.values, center), given, strict=True)
    )
    vanished = 0.0 if is_same else 4.0 * center.size * SMALLEST
    square = math.fsum((center * center).tolist())
    lows, highs = np.empty(rows.size), np.empty(rows.size)
    high = _square_distances(design, center, square, np.arange(design.n_rows()), room, lows, highs)
    _square_distances(design, center, square, rows, room, lows, highs)
    spread = math.fsum((shares * lows).tolist()) * (1.0 - room * 4.0 * UNIT)
    aside = norm_bounds(largest_coordinates(design, rows, shares, center), room)[1]
    low = spread - aside * aside * (1.0 + 4.0 * UNIT)
    root = math.sqrt(low * (1.0 - room * 4.0 * UNIT)) if low > 0.0 else 0.0
    outer = math.sqrt(high * (1.0 + room * 4.0 * UNIT)) + room * vanished
    ends = np.ldexp([root, outer], -power)
    if power == 0 or outer == 0.0:
        return float(ends[0]), float(ends[1])
    return max(0.0, math.nextafter(ends[0], 0.0)), math.nextafter(ends[1], math.inf)  # where ends are subnormal


def _half_squares(design: Dense | CSR, center: Vector) -> Vector:
    """||x_i - center||^2 / 2 for each row."""
    n = design.n_rows()
    lows, highs = np.empty(n), np.empty(n)
    _square_distances(design, center, math.fsum((center * center).tolist()), np.arange(n), 0.0, lows, highs)
    return 0.5 * highs


def _data(design: Dense | CSR) -> tuple[int, int, str]:
    n = design.n_rows()
    return n, design.n_columns(), fingerprint(design, np.zeros(n), None)


def _point(design: Dense | CSR, i: int) -> Vector:
    point = np.zeros(design.n_columns())
    _add_row(design, i, point)
    return point


@kernel
def _add_row(X, i, out):
    X.add_row(i, 1.0, out)


@kernel(exact=True)
def _square_distances(X, c, square, rows, room, lows, highs):
    """Bounds of ||x_i - c||^2 for these rows (where there is space for them), and the largest upper one.

    Sums of (x_ij - c_j)^2. For rows that do not store every entry, ||c||^2 and the sum of x_ij (x_ij - 2 c_j) over
    those that they do, unless most of that cancels.
    """
    largest = 0.0
    for k in range(rows.size):
        i = rows[k]
        size = X.row_size(i)
        total, terms, count = square, square, size
        if size < c.size:
            for m in range(size):
                x = np.float64(X.entry_at(i, m))
                term = x * (x - 2.0 * c[X.column_at(i, m)])
                total += term
                terms += abs(term)
        has_squares = True
        if size == c.size or total <= CANCELLED * terms:
            total, m, count, has_squares = 0.0, 0, c.size, False
            for j in range(c.size):
                difference = -c[j]
                if m < size and X.column_at(i, m) == j:
                    difference += np.float64(X.entry_at(i, m))
                    m += 1
                total += difference * difference
                has_squares |= difference != 0.0
            terms = total
        off = room * (1.01 * (count + 8) * UNIT * terms + TINY) if has_squares else 0.0
        largest = max(largest, total + off)
        if lows.size == rows.size:
            lows[k] = max(0.0, total - off)
            highs[k] = total + off
    return largest
