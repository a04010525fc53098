"""The certificate of inseparable data: points of which positive multiples sum to zero.

Were there a plane u with <u, z_i> > 0 for all i, then 0 = <u, sum_i lambda_i z_i> = sum_i lambda_i <u, z_i> > 0.
(Gordan 1873: one of the two always exists.)

No point of a conflict of k points can be left out if their rank is k - 1: the weightings that sum to zero are then the
multiples of one, all of whose weights are positive, so none has a zero, and the others can be separated. Then k - 1 is
at most the number of coordinates: k <= d + 1, and k <= d + 2 in the affine case.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.enclosure import has_exact_weights
from empirisk.arithmetic.integer_points import least_rank
from empirisk.capabilities import name_of
from empirisk.certificates.fields import array_of, check_names, expect, fields_json, flag_of, is_integer, is_number
from empirisk.certificates.registry import register
from empirisk.certificates.verification import OTHER_POINT
from empirisk.protocols import Headline, Point, Verification, Words
from empirisk.separation.conflicts.minimal_conflict import Conflict, conflict_from, moves
from empirisk.separation.data_claim import DATA, data_fields, data_from_json, data_to_json, refused
from empirisk.separation.found_plane import Endings
from empirisk.separation.perceptron_runs.status import PerceptronStatus
from empirisk.separation.points import Points, points_of
from empirisk.separation.points_as_integers import integer_points

HEXADECIMAL = re.compile(r"0x[0-9a-f]+")
FIELDS = ("delta", "relative_delta", "is_enclosed")
SHOWN = 8  # rows that a sentence lists


@register
class Inseparability(NamedTuple):
    """No plane has all points strictly on their sides: positive multiples of these sum to zero.

    With delta = 0 that is so exactly, and no point of the set can be left out. With delta > 0 the weights are rounded,
    and it is so after moving no coordinate of the data by more than delta (sum_i lambda_i y_i = 0 holds exactly in the
    affine case). The data themselves are then undecided, unless exact weights are enclosed (see
    `arithmetic/enclosure.py`).
    """

    rows: tuple[int, ...]  # counted from 0
    weights: tuple[int, ...]
    delta: float
    relative_delta: float  # the largest move relative to the largest entry of its column among these rows
    is_enclosed: bool  # delta > 0, but exact positive weights are proven to be near the rounded ones
    n_rows: int
    n_columns: int
    fit_intercept: bool
    classes: tuple[Any, Any]
    fingerprint: str

    @property
    def is_separable(self) -> bool | None:
        """False; None where only moved data are proven to be inseparable."""
        return False if self.delta == 0.0 or self.is_enclosed else None

    def sentence(self, noun: str = "row", places: Sequence[int] = ()) -> str:
        """The claim in words; `places` are where the rows are found, such as their lines in a file."""
        rows = ", ".join(map(str, (places or self.rows)[:SHOWN])) + (", ..." if len(self.rows) > SHOWN else "")
        plane = "plane" if self.fit_intercept else "plane through the origin"
        if self.is_separable is None:
            return (
                f"Inseparable after moving no coordinate by more than {self.delta:.3g}, nor by more than "
                f"{self.relative_delta:.3g} of the largest of its column: no {plane} then separates the "
                f"{len(self.rows)} {noun}s {rows}."
            )
        if len(self.rows) == 1:
            return f"Inseparable: {noun} {rows} is zero, which lies on every {plane}."
        how = ", with weights proven to be near those stored" if self.is_enclosed else ""
        return (
            f"Inseparable: no {plane} separates the {len(self.rows)} {noun}s {rows}, as positive multiples of the "
            f"points sum to zero, exactly{how}. Without any one of them the others can be separated."
        )

    def plane_endings(self, tol: float) -> Endings:
        """A perceptron that could not separate these points ends without a plane; this is all that is proven then."""
        statuses = tuple(status for status in PerceptronStatus if not status.is_separated)
        return Endings("perceptron", statuses, is_about_plane=False)

    def words(self, tol: float) -> Words:
        """Why no plane can exist."""
        how = "exact" if self.is_within(tol) else "after moving the data a little"
        return Words(
            meaning="Suppose there were a plane with every point strictly on its side. Multiply the points named here "
            "by their positive weights and add them up: the sum would still be strictly on the right side. But the "
            "sum is zero, which is on no side. So there is no such plane, and these few rows are the reason.",
            headline=(
                Headline("Conflict", f"{len(self.rows)} points", f"of {self.n_rows}; {how}"),
                Headline("Moved by", self.delta, "the most that a coordinate must move for the sum to be zero"),
            ),
            checked="the sum of the weighted points, in integers",
            shortfall="" if self.is_within(tol) else "it decides nothing about the data as they are",
            notes=()
            if self.is_within(tol)
            else ("More time, or python-flint (the extra 'exact'), may give exact weights.",),
        )

    def is_within(self, tol: float) -> bool:
        """Whether the data themselves are proven to be inseparable."""
        return self.is_separable is False

    def problem_of(self, X: Any, y: Any, sample_weight: Any = None) -> Points:
        """The question that it answers, on these data; weights do not matter for it."""
        return points_of(X, y, self.fit_intercept)

    def verify(self, problem: Points, point: Point | None = None) -> Verification:
        """Sum the points up again, in Python's integers alone, and see that none can be left out."""
        if point is not None:
            return OTHER_POINT
        verdict = refused(self, problem, None)
        if verdict is not None:
            return verdict
        said = self._inconsistency()
        if said:
            return Verification(False, said)
        integers = integer_points(problem, self.rows)
        moved = moves(integers, self.weights, problem.fit_intercept)
        if moved is None or moved != (self.delta, self.relative_delta):
            said = "The weighted points do not sum to zero."
            return Verification(False, said if self.delta == 0.0 else "The recomputed delta is another.")
        numbers = {"points": float(len(self.rows)), "delta": moved[0]}
        if self.is_enclosed and not (self.delta > 0.0 and has_exact_weights(integers, self.weights, 1.0)):
            return Verification(False, "There is no proof of exact weights near those stored.", numbers)
        if self.is_enclosed:
            said = f"Recomputed: exact weights near those stored sum the {len(self.rows)} points to zero."
            return Verification(True, said, numbers)
        if self.delta > 0.0:
            said = f"Recomputed in integers: zero is the sum after moving no coordinate by more than {self.delta:.3g}."
            return Verification(True, said, numbers)
        if least_rank(integers) != len(self.rows) - 1:
            return Verification(False, "Some of the points can be left out.", numbers)
        said = f"Recomputed in integers: the {len(self.rows)} weighted points sum to zero, and none can be left out."
        return Verification(True, said, numbers)

    def _inconsistency(self) -> str:
        """What is wrong with rows and weights alone; empty where nothing is."""
        kinds = ((self.rows, tuple), (self.weights, tuple), (self.is_enclosed, bool))
        if not all(isinstance(value, kind) for value, kind in kinds):
            return "The certificate holds fields of another kind than it can have."
        is_set = bool(self.rows) and all(is_integer(i) and 0 <= i < self.n_rows for i in self.rows)
        if not is_set or list(self.rows) != sorted(set(self.rows)):
            return "The certificate names rows that the data do not have, or not in order."
        if len(self.weights) != len(self.rows) or not all(is_integer(a) and a > 0 for a in self.weights):
            return "The weights are not positive integers, one for each row."
        return "" if math.gcd(*self.weights) == 1 else "The weights have a common factor."

    def to_json(self) -> dict[str, Any]:
        """Every field; weights are hexadecimal text, as they can have thousands of digits."""
        weights = [hex(a) for a in self.weights]
        return {"kind": name_of(self), "weights": weights, **fields_json(self, FIELDS), **data_to_json(self)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The rows."""
        return {"rows": np.array(self.rows, dtype=np.int64)}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Inseparability:
        """What `to_json` and `arrays` gave; ValueError for anything else."""
        check_names(cls, data, ("weights", *FIELDS, *DATA), arrays, ("rows",))
        weights = data["weights"]
        expect(isinstance(weights, list) and all(isinstance(a, str) for a in weights), "weights")
        expect(all(HEXADECIMAL.fullmatch(a) for a in weights), "weights")
        for name in ("delta", "relative_delta"):
            expect(is_number(data[name]) and data[name] >= 0.0, name)
        return cls(
            rows=tuple(array_of(arrays, "rows", np.int64, least=1).tolist()),
            weights=tuple(int(a, 16) for a in weights),
            delta=data["delta"],
            relative_delta=data["relative_delta"],
            is_enclosed=flag_of(data, "is_enclosed"),
            **data_from_json(data),
        )


def inseparability_from(points: Points, rows: Any, multipliers: Any, by_pivots: bool = True) -> Inseparability | None:
    """The certificate that these rows, with about these weights, are in conflict; None where that cannot be shown."""
    conflict = conflict_from(points, rows, multipliers, by_pivots)
    return None if conflict is None else inseparability_of(points, conflict)


def inseparability_of(points: Points, conflict: Conflict) -> Inseparability:
    """The certificate of a conflict."""
    return Inseparability(*conflict, **data_fields(points))
