"""The certificate of exact 0-1 minimisation: this many errors, and at least so many are unavoidable."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import rounded_down, rounded_up
from empirisk.problems.empirical_risk import check_weights
from empirisk.protocols import Vector, Verification
from empirisk.rows.fingerprint import fingerprint
from empirisk.separation.points import Points
from empirisk.separation.seal import data_fields, expect, fields_from_json, json_fields, points_meant, sealed
from empirisk.zero_one.evidence import Packing, Proof
from empirisk.zero_one.merged_points import MergedPoints, in_units, merge_points
from empirisk.zero_one.proof_checker import Refuted, check_conflict, check_proof
from empirisk.zero_one.proof_json import packing_from_json, packing_to_json, proof_from_json, proof_to_json
from empirisk.zero_one.recount import lost_weight, wrong_rows


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
    seal: str = ""

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

    def verify(self, X: Any, y: Any, sample_weight: Any = None) -> Verification:
        """Count the errors again in exact arithmetic, and walk through the evidence for the bound."""
        points = points_meant(self, X, y)
        if isinstance(points, str):
            return Verification(False, points)
        try:
            weights = as_weights(sample_weight, points)
        except (TypeError, ValueError) as error:
            return Verification(False, f"The data cannot be those of the certificate: {error}.")
        if self.weights_fingerprint != fingerprint_with(points, sample_weight):
            return Verification(False, "The certificate speaks of other sample weights.")
        if np.shape(self.weights) != (points.n_columns,) or not np.all(np.isfinite([*self.weights, self.intercept])):
            return Verification(False, "The weights of the plane do not fit the data.")
        if not points.fit_intercept and self.intercept != 0.0:
            return Verification(False, "A plane through the origin has no intercept.")
        try:
            merged = merge_points(points, weights)
            found = claim(points, merged, weights, self.weights, self.intercept, self._proven(points, merged))
        except (Refuted, ValueError) as error:
            return Verification(False, str(error))
        except (TypeError, AttributeError, LookupError, OverflowError):
            return Verification(False, "The certificate holds fields of another kind than it can have.")
        for name, value in found._asdict().items():
            if getattr(self, name) != value:
                said = f"The recomputed {name} is {value}, not {getattr(self, name)}."
                return Verification(False, said)
        how = f"{self.proof.tree.size} boxes of planes" if self.proof is not None else "conflicts and copies"
        said = f"Recounted exactly: {self.errors:g} in error; at least {self.bound:g} follow from {how}."
        return Verification(True, said, {"gap": self.gap})

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
        """Every field, for JSON."""
        plain = self._replace(proof=None, packing=None)
        return {
            **json_fields(plain),
            "proof": proof_to_json(self.proof),
            "packing": packing_to_json(self.packing),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ZeroOneOptimality:
        """What `to_json` gave; ValueError for anything else."""
        fields = fields_from_json(cls, data)
        try:
            fields["weights"] = np.array(fields["weights"], dtype=np.float64)
            fields["proof"] = proof_from_json(fields["proof"])
            fields["packing"] = packing_from_json(fields["packing"])
        except (TypeError, KeyError, IndexError, AttributeError, OverflowError) as error:
            raise ValueError(f"the evidence of the certificate cannot be read: {error}") from None
        for name in ("errors", "bound", "intercept"):
            expect(isinstance(fields[name], float) and math.isfinite(fields[name]), name)
        expect(isinstance(fields["is_optimal"], bool), "is_optimal")
        return cls(**fields)


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
    return Claim(rounded_up(errors) + 0.0, rounded_down(bound), int(is_wrong.sum()), is_optimal)  # 0.0, not -0.0


def certificate_of(
    points: Points,
    merged: MergedPoints,
    sample_weight: Any,
    plane: tuple[Vector, float],
    proof: Proof | None,
    packing: Packing | None,
) -> ZeroOneOptimality:
    """The certificate of a plane; of proof and packing the one that says more is kept."""
    by_proof = 0 if proof is None else proof.loss
    by_packing = 0 if packing is None else packing.loss(merged)
    weights = as_weights(sample_weight, points)
    found = claim(points, merged, weights, *plane, max(by_proof, by_packing))
    return sealed(
        ZeroOneOptimality(
            weights=plane[0],
            intercept=plane[1],
            **found._asdict(),
            proof=proof if by_proof >= by_packing and by_proof > 0 else None,
            packing=packing if by_packing > by_proof else None,
            **data_fields(points),
            weights_fingerprint=fingerprint_with(points, sample_weight),
        )
    )


def as_weights(sample_weight: Any, points: Points) -> Vector:
    """The weights of the rows, ones where none are given; both classes must have some."""
    if sample_weight is None:
        return np.ones(points.n_rows)
    check_weights(sample_weight, points.n_rows)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if np.unique(points.y[weights > 0.0]).size < 2:
        raise ValueError("the rows of positive weight are all of one class: a plane needs two")
    return weights


def fingerprint_with(points: Points, sample_weight: Any) -> str:
    """Of the data with their sample weights; empty without."""
    if sample_weight is None:
        return ""
    return fingerprint(points.design, points.y, np.ascontiguousarray(sample_weight, dtype=np.float64))
