"""The certificate of sequences that can be realised: whole weights that label every one of them right."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import norm_bounds
from empirisk.capabilities import name_of
from empirisk.certificates.fields import array_of, check_names, expect, is_number, number_of, number_text
from empirisk.certificates.registry import register
from empirisk.certificates.verification import OTHER_POINT, digest
from empirisk.chains.chain_data import ChainData
from empirisk.chains.point import ChainPoint
from empirisk.chains.verdicts.chain_claim import (
    CLAIM,
    chain_data_of,
    claim_fields,
    claim_from_json,
    claim_to_json,
    refused,
)
from empirisk.chains.verdicts.least_margins import least_margins
from empirisk.protocols import Headline, Point, Vector, Verification, Words

LARGEST_WEIGHT = 2.0**53
BITS, POWERS = 44, 4  # of the largest weight where margins are to be exact; the powers of two that are tried
NORM_ROOM = 4.0  # times what rounding can change in ||u||


@register
class Realization(NamedTuple):
    """With these whole weights the labelling of every sequence scores above every other by 1 at least.

    margin = min_j [<phi(x_j, s_j), u> - max over s != s_j of <phi(x_j, s), u>] >= 1; with integer attributes it is
    exact, else a proven lower bound. So no labelling of a training sequence is wrong: the empirical risk is zero, and
    ||u|| / margin bounds the least norm B of weights with margin 1.
    """

    weights: NDArray[np.int64]
    margin: float  # infinite where no sequence has another labelling
    n_sequences: int
    n_tokens: int
    n_weights: int
    classes: tuple[Any, ...]
    layout: str
    fingerprint: str

    @property
    def is_realisable(self) -> bool:
        """True."""
        return True

    @property
    def point(self) -> ChainPoint:
        """The weights as others have them."""
        return ChainPoint(self.weights.astype(np.float64))

    @property
    def b_high(self) -> float:
        """||u|| / margin, rounded up: at least the B of the mistake bound."""
        if not self.margin > 0.0:  # no claim that holds
            return math.inf
        return norm_bounds(self.point.weights, NORM_ROOM)[1] / self.margin * (1.0 + 1e-15)

    def sentence(self) -> str:
        """The claim in words."""
        return (
            f"Realised: each of the {self.n_sequences} sequences has its labels score above all others, by "
            f"{self.margin:.6g} at least, with whole weights of norm {self.b_high * self.margin:.6g}."
            if math.isfinite(self.margin)
            else f"Realised: none of the {self.n_sequences} sequences has another labelling."
        )

    def words(self, tol: float) -> Words:
        """What it is to realise sequences."""
        return Words(
            meaning="A model of sequences labels a text by the labelling that scores highest. With the weights stored "
            "here the true labels of every training sequence score strictly higher than all other labels that it "
            "could have, of which there are exponentially many. So the training sequences are labelled without a "
            "mistake.",
            headline=(Headline("Least margin", self.margin, f"of {self.n_sequences} sequences"),),
            checked="the best other labelling of every sequence, by dynamic programming of its own",
            shortfall="",
            notes=("How well new text is labelled, it does not say.",),
        )

    def is_within(self, tol: float) -> bool:
        """A realisation has no error."""
        return True

    def problem_of(self, X: Any, y: Any = None, sample_weight: Any = None) -> ChainData:
        """The sequences."""
        return chain_data_of(X, y, sample_weight)

    def verify(self, problem: ChainData, point: Point | None = None) -> Verification:
        """Find the margin of every sequence again."""
        if point is not None and digest(point) != digest(self.point):
            return OTHER_POINT
        verdict = refused(self, problem)
        if verdict is not None:
            return verdict
        if self.weights.shape != (self.n_weights,) or self.weights.dtype != np.int64:
            return Verification(False, "The weights are not whole, one for each of the model.")
        if self.weights.size and max(-int(self.weights.min()), int(self.weights.max())) > LARGEST_WEIGHT:
            return Verification(False, "The weights are too large to be compared.")
        parts = problem.layout.parts(self.point.weights)
        if bool(np.any(parts.transitions[~problem.layout.is_free])):
            return Verification(False, "A transition without a weight has one.")
        found = least_margins(problem, self.point.weights).least
        numbers = {"margin": found}
        if not found >= 1.0:
            return Verification(
                False, f"Some sequence is not proven to be right: the least margin is {found:g}.", numbers
            )
        if type(self.margin) is not float or found != self.margin:
            return Verification(False, f"The least margin is {found:.17g}, not {self.margin}.", numbers)
        return Verification(True, f"Recomputed: all {self.n_sequences} sequences are right, by {found:g}.", numbers)

    def to_json(self) -> dict[str, Any]:
        """The numbers; the weights are in `arrays`."""
        return {"kind": name_of(self), "margin": number_text(self.margin), **claim_to_json(self)}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights."""
        return {"weights": self.weights}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Realization:
        """What `to_json` and `arrays` gave; ValueError for anything else."""
        check_names(cls, data, ("margin", *CLAIM), arrays, ("weights",))
        margin = number_of(data, "margin")
        expect(is_number(margin) or margin == math.inf, "margin")
        weights, claim = array_of(arrays, "weights", np.int64), claim_from_json(data)
        expect(weights.size == claim["n_weights"], "weights")
        return cls(weights, margin, **claim)


def realization_from(data: ChainData, u: Vector) -> Realization | None:
    """The certificate at these weights, or at a whole multiple of them, rounded; None where that proves nothing."""
    largest = float(np.max(np.abs(u), initial=0.0))
    if not math.isfinite(largest):
        return None
    powers = (
        [0] if np.array_equal(u, np.floor(u)) else range(0, int(44 - math.ceil(math.log2(max(largest, 1e-300)))), 4)
    )
    for power in powers:
        whole = np.rint(np.ldexp(u, power))
        if not np.max(np.abs(whole), initial=0.0) <= LARGEST_WEIGHT:
            return None
        margin = least_margins(data, whole).least
        if margin >= 1.0:
            return Realization(whole.astype(np.int64), margin, **claim_fields(data))
    return None
