"""The certificate of exact 0-1 minimisation: this many errors, and at least so many are unavoidable."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import rounded_down, rounded_up
from empirisk.capabilities import name_of
from empirisk.certificates.fields import array_of, check_names, count_of, expect_numbers, fields_json, flag_of, text_of
from empirisk.certificates.registry import register
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Headline, Vector, Verification, Words
from empirisk.rows.fingerprint import fingerprint
from empirisk.separation.data_claim import DATA, data_fields, data_from_json, data_to_json, refused
from empirisk.separation.found_plane import Endings
from empirisk.separation.points import Points, points_of
from empirisk.zero_one.budget import SearchStatus
from empirisk.zero_one.evidence import Packing, Proof
from empirisk.zero_one.merged_points import MergedPoints, in_units, merge_points
from empirisk.zero_one.proof_checker import Refuted, check_conflict, check_proof
from empirisk.zero_one.proof_json import packing_from_json, packing_to_json, proof_from_json, proof_to_json
from empirisk.zero_one.recount import lost_weight, wrong_rows

FIELDS = ("intercept", "errors", "bound", "n_wrong", "is_optimal", "weights_fingerprint")


@register
class ZeroOneOptimality(NamedTuple):
    """The plane loses `errors`; every plane loses `bound` or more. Both are weights of rows with y (<w, x> + b) <= 0.

    The evidence for the bound: rows with the same x and both labels, and rows of zeros without an intercept, need none;
    what they leave has a tree of boxes of planes (`proof`), or conflicts of which each costs a point (`packing`).
    """

    weights: Vector
    intercept: float
    errors: float  # rounded up
    bound: float  # rounded down
    n_wrong: int  # rows, those of weight zero left out
    is_optimal: bool  # the bound is the errors, up to the rounding of the weights to whole units
    proof: Proof | None
    packing: Packing | None
    n_rows: int
    n_columns: int
    fit_intercept: bool
    classes: tuple[Any, Any]
    fingerprint: str
    weights_fingerprint: str  # of the data with their sample weights; empty without

    @property
    def gap(self) -> float:
        """What the bound leaves open; 0 where the plane is optimal."""
        return 0.0 if self.is_optimal else self.errors - self.bound

    def sentence(self) -> str:
        """The claim in words."""
        plane = "plane" if self.fit_intercept else "plane through the origin"
        what = "errors" if not self.weights_fingerprint else "units of weight in error"
        if self.is_optimal:
            return f"No {plane} makes fewer than {self.errors:g} {what}, and this one makes as many."
        return f"The plane makes {self.errors:g} {what}; every {plane} makes at least {self.bound:g}."

    def words(self, tol: float) -> Words:
        """What the lower bound proves."""
        return Words(
            meaning="The plane has as many rows on its wrong side (or on it) as stated. The evidence proves that every "
            "other plane has at least the stated bound of them, whatever its weights: where the two are equal, nobody "
            "can find a plane with fewer errors on these rows.",
            headline=(
                Headline("Errors", self.errors, f"{self.n_wrong} of {self.n_rows} rows"),
                Headline("Bound", self.bound, "every plane makes at least so many"),
            ),
            checked="the errors of the plane and the evidence for the bound, in exact arithmetic",
            shortfall="" if self.is_optimal else "it does not prove that no plane has fewer errors",
            notes=() if self.is_optimal else ("More time, more boxes (max_nodes) or fewer columns can help.",),
        )

    def plane_endings(self, tol: float) -> Endings:
        """How a search can have ended that proves so much."""
        unproven = tuple(status for status in SearchStatus if status is not SearchStatus.PROVEN)
        return Endings("fewest_errors", (SearchStatus.PROVEN,) if self.is_optimal else unproven)

    def is_within(self, tol: float) -> bool:
        """Whether the plane is proven to be the best."""
        return self.is_optimal

    def problem_of(self, X: Any, y: Any, sample_weight: Any = None) -> Points:
        """The question that it answers, on these data."""
        return points_of(X, y, self.fit_intercept, sample_weight)

    def verify(self, problem: Points, point: LinearPoint | None = None) -> Verification:
        """Count the errors again in exact arithmetic, and walk through the evidence for the bound."""
        verdict = refused(self, problem, point)
        if verdict is not None:
            return verdict
        if self.weights_fingerprint != fingerprint_with(problem):
            return Verification(False, "The certificate speaks of other sample weights.")
        if np.shape(self.weights) != (problem.n_columns,) or not np.all(np.isfinite([*self.weights, self.intercept])):
            return Verification(False, "The weights of the plane do not fit the data.")
        if not problem.fit_intercept and self.intercept != 0.0:
            return Verification(False, "A plane through the origin has no intercept.")
        weights = weights_of(problem)
        try:
            merged = merge_points(problem, weights)
            found = claim(problem, merged, weights, self.weights, self.intercept, self._proven(problem, merged))
        except (Refuted, ValueError) as error:
            return Verification(False, str(error))
        except (TypeError, AttributeError, LookupError, OverflowError):
            return Verification(False, "The certificate holds fields of another kind than it can have.")
        numbers = {"errors": found.errors, "bound": found.bound}
        for name, value in found._asdict().items():
            if getattr(self, name) != value:
                said = f"The recomputed {name} is {value}, not {getattr(self, name)}."
                return Verification(False, said, numbers)
        how = f"{self.proof.tree.size} boxes of planes" if self.proof is not None else "conflicts and copies"
        said = f"Recounted exactly: {self.errors:g} in error; at least {self.bound:g} follow from {how}."
        return Verification(True, said, numbers)

    def _proven(self, points: Points, merged: MergedPoints) -> int:
        """What every plane loses besides the base, in units: the better of proof and packing."""
        loss = 0
        if self.proof is not None:
            if sorted(self.proof.rows) != sorted(merged.rows.tolist()):
                raise Refuted("The proof is not about all points.")
            check_proof(points, merged, self.proof)
            loss = self.proof.loss
        if self.packing is not None:
            for conflict in self.packing.conflicts:
                check_conflict(points, merged, conflict)
            loss = max(loss, self.packing.loss(merged))
        return loss

    def to_json(self) -> dict[str, Any]:
        """The numbers, the evidence and the data that it speaks of."""
        return {
            "kind": name_of(self),
            **fields_json(self, FIELDS),
            "proof": proof_to_json(self.proof),
            "packing": packing_to_json(self.packing),
            **data_to_json(self),
        }

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights of the plane."""
        return {"weights": self.weights}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> ZeroOneOptimality:
        """What `to_json` and `arrays` gave; ValueError for anything else."""
        check_names(cls, data, (*FIELDS, "proof", "packing", *DATA), arrays, ("weights",))
        try:
            proof, packing = proof_from_json(data["proof"]), packing_from_json(data["packing"])
        except (TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
            raise ValueError(f"the evidence of the certificate cannot be read: {error}") from None
        expect_numbers(data, ("errors", "bound", "intercept"))
        return cls(
            weights=array_of(arrays, "weights", least=1),
            intercept=data["intercept"],
            errors=data["errors"],
            bound=data["bound"],
            n_wrong=count_of(data, "n_wrong"),
            is_optimal=flag_of(data, "is_optimal"),
            proof=proof,
            packing=packing,
            **data_from_json(data),
            weights_fingerprint=text_of(data, "weights_fingerprint"),
        )


class Claim(NamedTuple):
    """The numbers of a certificate."""

    errors: float
    bound: float
    n_wrong: int
    is_optimal: bool


def claim(points: Points, merged: MergedPoints, weights: Vector, w: Vector, b: float, proven: int) -> Claim:
    """What can be said of a plane, given what every plane loses besides the base, in units."""
    is_wrong = wrong_rows(points, w, b) & (weights > 0.0)
    errors = lost_weight(is_wrong, weights)
    units, _ = in_units(weights)
    lost = sum(units[i] for i in np.flatnonzero(is_wrong).tolist())
    bound: Fraction = merged.in_weight(merged.base + proven)
    is_optimal = merged.base + proven >= lost
    return Claim(rounded_up(errors), rounded_down(bound), int(is_wrong.sum()), is_optimal)


def certificate_of(
    points: Points,
    merged: MergedPoints,
    plane: tuple[Vector, float],
    proof: Proof | None,
    packing: Packing | None,
) -> ZeroOneOptimality:
    """The certificate of a plane; of proof and packing the one that says more is kept."""
    by_proof = 0 if proof is None else proof.loss
    by_packing = 0 if packing is None else packing.loss(merged)
    found = claim(points, merged, weights_of(points), *plane, max(by_proof, by_packing))
    return ZeroOneOptimality(
        weights=plane[0],
        intercept=plane[1],
        **found._asdict(),
        proof=proof if by_proof >= by_packing and by_proof > 0 else None,
        packing=packing if by_packing > by_proof else None,
        **data_fields(points),
        weights_fingerprint=fingerprint_with(points),
    )


def weights_of(points: Points) -> Vector:
    """The weights of the rows, ones where none are given."""
    return np.ones(points.n_rows) if points.weights is None else points.weights


def fingerprint_with(points: Points) -> str:
    """Of the data with their sample weights; empty without."""
    return "" if points.weights is None else fingerprint(points.design, points.y, points.weights)
