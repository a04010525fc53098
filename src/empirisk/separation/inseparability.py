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
from typing import Any, NamedTuple

from empirisk.arithmetic.enclosure import has_exact_weights
from empirisk.arithmetic.integer_points import least_rank
from empirisk.protocols import Verification
from empirisk.separation.conflicts.minimal_conflict import Conflict, conflict_from, moves
from empirisk.separation.points import Points
from empirisk.separation.points_as_integers import integer_points
from empirisk.separation.seal import (
    data_fields,
    expect,
    fields_from_json,
    is_integer,
    is_number,
    json_fields,
    points_meant,
    sealed,
)

HEXADECIMAL = re.compile(r"0x[0-9a-f]+")
SHOWN = 8  # rows that a sentence lists


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
    seal: str = ""  # a digest of all of the above

    @property
    def is_separable(self) -> bool | None:
        """False; None where only moved data are proven to be inseparable."""
        return False if self.delta == 0.0 or self.is_enclosed else None

    def sentence(self) -> str:
        """The claim in words."""
        rows = ", ".join(map(str, self.rows[:SHOWN])) + (", ..." if len(self.rows) > SHOWN else "")
        plane = "plane" if self.fit_intercept else "plane through the origin"
        if self.is_separable is None:
            return (
                f"Inseparable after moving no coordinate by more than {self.delta:.3g}, nor by more than "
                f"{self.relative_delta:.3g} of the largest of its column: no {plane} then separates the "
                f"{len(self.rows)} rows {rows}."
            )
        if len(self.rows) == 1:
            return f"Inseparable: row {rows} is zero, which lies on every {plane}."
        how = ", with weights proven to be near those stored" if self.is_enclosed else ""
        return (
            f"Inseparable: no {plane} separates the {len(self.rows)} rows {rows}, as positive multiples of the points "
            f"sum to zero, exactly{how}. Without any one of them the others can be separated."
        )

    def verify(self, X: Any, y: Any) -> Verification:
        """Sum the points up again, in Python's integers alone, and see that none can be left out."""
        points = points_meant(self, X, y)
        if isinstance(points, str):
            return Verification(False, points)
        is_set = bool(self.rows) and all(is_integer(i) and 0 <= i < self.n_rows for i in self.rows)
        if not is_set or list(self.rows) != sorted(set(self.rows)):
            return Verification(False, "The certificate names rows that the data do not have, or not in order.")
        if len(self.weights) != len(self.rows) or not all(is_integer(a) and a > 0 for a in self.weights):
            return Verification(False, "The weights are not positive integers, one for each row.")
        if math.gcd(*self.weights) != 1:
            return Verification(False, "The weights have a common factor.")
        integers = integer_points(points, self.rows)
        moved = moves(integers, self.weights, points.fit_intercept)
        if moved is None or moved != (self.delta, self.relative_delta):
            said = "The weighted points do not sum to zero."
            return Verification(False, said if self.delta == 0.0 else "The recomputed delta is another.")
        if self.is_enclosed and not (self.delta > 0.0 and has_exact_weights(integers, self.weights, 1.0)):
            return Verification(False, "There is no proof of exact weights near those stored.")
        if self.is_enclosed:
            said = f"Recomputed: exact weights near those stored sum the {len(self.rows)} points to zero."
            return Verification(True, said)
        if self.delta > 0.0:
            said = f"Recomputed in integers: zero is the sum after moving no coordinate by more than {self.delta:.3g}."
            return Verification(True, said)
        if least_rank(integers) != len(self.rows) - 1:
            return Verification(False, "Some of the points can be left out.")
        said = f"Recomputed in integers: the {len(self.rows)} weighted points sum to zero, and none can be left out."
        return Verification(True, said)

    def to_json(self) -> dict[str, Any]:
        """Every field, for JSON; weights are hexadecimal text, as they can have thousands of digits."""
        return {**json_fields(self), "weights": [hex(a) for a in self.weights]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Inseparability:
        """What `to_json` gave; ValueError for anything else."""
        fields = fields_from_json(cls, data)
        rows, weights = fields["rows"], fields["weights"]
        expect(isinstance(rows, list) and all(map(is_integer, rows)), "rows")
        expect(isinstance(weights, list) and all(isinstance(a, str) for a in weights), "weights")
        expect(isinstance(fields["is_enclosed"], bool), "is_enclosed")
        for name in ("delta", "relative_delta"):
            expect(is_number(fields[name]) and fields[name] >= 0.0, name)
        expect(all(HEXADECIMAL.fullmatch(a) for a in weights), "weights")
        return cls(**{**fields, "rows": tuple(rows), "weights": tuple(int(a, 16) for a in weights)})


def inseparability_from(points: Points, rows: Any, multipliers: Any) -> Inseparability | None:
    """The certificate that these rows, with about these weights, are in conflict; None where that cannot be shown."""
    conflict = conflict_from(points, rows, multipliers)
    return None if conflict is None else inseparability_of(points, conflict)


def inseparability_of(points: Points, conflict: Conflict) -> Inseparability:
    """The certificate of a conflict."""
    return sealed(Inseparability(*conflict, **data_fields(points)))
