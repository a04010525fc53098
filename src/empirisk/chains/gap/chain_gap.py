"""The certificate of a problem on chains: a duality gap that anybody with the data can recompute."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import name_of
from empirisk.certificates.fields import array_of, check_names, expect, number_of, numbers_json, text_of
from empirisk.certificates.gap_words import relative_shortfall
from empirisk.certificates.registry import register
from empirisk.certificates.values import Values
from empirisk.certificates.verification import (
    OTHER_POINT,
    OTHER_PROBLEM,
    compared,
    digest,
    is_rounding,
    is_small,
    relative,
)
from empirisk.chains.gap import likelihood_values, margin_values  # noqa: F401  they register their values
from empirisk.chains.gap.values import ChainValues, values_of
from empirisk.chains.labelings import Labelings
from empirisk.chains.point import ChainPoint
from empirisk.chains.risk import ChainRisk
from empirisk.protocols import Headline, Vector, Verification, Words

NUMBERS = ("objective", "dual_value", "gap", "rounding", "scale")
NO_INTS, NO_PLACES = np.empty(0, np.int64), np.empty(0, np.int32)


@register
class ChainGap(NamedTuple):
    """The objective at the weights is within `gap` of the minimum over all weights.

    gap = P(u) - D(alpha) + rounding. For the likelihood alpha is the distribution that u gives, and nothing is stored;
    for the margin it is the stored labelings, from which the weights' part v and the costs are recomputed.
    """

    objective: float
    dual_value: float
    gap: float
    rounding: float
    scale: float  # max(|P|, 1e-6 P(0)): tolerances are relative to it
    subject: str = ""  # digest of the weights it speaks of
    dual_starts: NDArray[np.int64] = NO_INTS  # (n + 1,): the labelings of each sequence
    dual_weights: Vector = np.empty(0)
    dual_change_starts: NDArray[np.int64] = NO_INTS  # the places at which each differs from the true labels
    dual_positions: NDArray[np.int32] = NO_PLACES
    dual_labels: NDArray[np.int32] = NO_PLACES

    @property
    def radius(self) -> float:
        """No weight is free of the penalty."""
        return math.inf

    @property
    def weights_radius(self) -> float:
        """The claim is about all weights."""
        return math.inf

    @property
    def relative_gap(self) -> float:
        """The gap divided by `scale`; zero where the gap is."""
        return relative(self.gap, self.scale)

    def is_within(self, tol: float) -> bool:
        """Whether the gap is at most tol * scale."""
        return is_small(self.gap, tol, self.scale)

    def is_rounding_only(self) -> bool:
        """Whether the gap is no larger than rounding alone can make it."""
        return is_rounding(self.gap, self.rounding)

    def about(self, point: ChainPoint) -> ChainGap:
        """The same certificate, bound to these weights."""
        return self._replace(subject=digest(point))

    def labelings(self) -> Labelings | None:
        """The stored dual point; None where it follows from the weights."""
        if not self.dual_starts.size:
            return None
        return Labelings(
            self.dual_starts, self.dual_weights, self.dual_change_starts, self.dual_positions, self.dual_labels
        )

    def with_evidence(self, point: ChainPoint) -> ChainPoint:
        """The weights with the stored labelings."""
        return point._replace(evidence=self.labelings())

    def sentence(self) -> str:
        """The claim in words."""
        return (
            f"The objective {self.objective:.10g} is within {self.gap:.3g} of the minimum "
            f"(relative gap {self.relative_gap:.2g}), rounding included."
        )

    def words(self, tol: float) -> Words:
        """What a floor proves about a model of sequences."""
        floor = self.objective - self.gap
        return Words(
            meaning=(
                "Training is a search for the weights that make one number, the objective, as small as it can be. "
                "A second computation on the same sequences proves a floor that no weights whatever get below. "
                "The distance between the two is the duality gap: no other program can beat this answer by more."
            ),
            headline=(
                Headline("Objective reached", self.objective, f"proven floor {floor:.10g}"),
                Headline("Relative gap", self.relative_gap, f"asked: at most {tol:.3g}"),
            ),
            checked="the objective and the floor",
            shortfall=relative_shortfall(self, tol),
            notes=("It is about the training objective: how well new text is tagged, it does not say.",),
        )

    def verify(self, problem: ChainRisk, point: ChainPoint) -> Verification:
        """Recompute primal and dual value from the sequences and compare them with the claim."""
        if not isinstance(problem, ChainRisk) or not isinstance(point, ChainPoint):
            return OTHER_PROBLEM
        if self.subject != digest(point):
            return OTHER_POINT
        if point.weights.shape != (problem.data.layout.size,):
            return Verification(False, "The weights do not fit the problem: it has others.")
        try:
            values = values_of(problem.loss, problem, self.with_evidence(point))
        except ValueError as error:
            return Verification(False, f"The certificate does not fit the problem: {error}.")
        found = Values(values.primal, values.dual, values.rounding, math.inf, math.inf, values.at_zero)
        return compared(self, found, values.scale)

    def to_json(self) -> dict[str, Any]:
        """The numbers; the dual point is in `arrays`."""
        return {"kind": name_of(self), **numbers_json(self, NUMBERS), "subject": self.subject}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The stored dual point; nothing where there is none."""
        if not self.dual_starts.size:
            return {}
        return {name: getattr(self, name) for name in ARRAYS}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> ChainGap:
        """What `to_json` and `arrays` gave; ValueError for anything else."""
        check_names(cls, data, (*NUMBERS, "subject"), arrays, ARRAYS)
        expect(not arrays or set(arrays) == set(ARRAYS), "dual_starts")
        stored: Any = {name: array_of(arrays, name, dtype) for name, dtype in ARRAYS.items()}
        stored.update({name: number_of(data, name) for name in NUMBERS})
        return cls(subject=text_of(data, "subject"), **stored)


ARRAYS: dict[str, Any] = {
    "dual_starts": np.int64,
    "dual_weights": np.float64,
    "dual_change_starts": np.int64,
    "dual_positions": np.int32,
    "dual_labels": np.int32,
}


def chain_gap(problem: ChainRisk, point: ChainPoint) -> ChainGap:
    """The certificate of a point, with its labelings where it has some."""
    values = values_of(problem.loss, problem, point)
    gap = values.primal - values.dual + values.rounding
    return ChainGap(
        float(values.primal),
        float(values.dual),
        float(_above(gap)),
        float(values.rounding),
        float(values.scale),
        digest(point),
        **_stored(values),
    )


def _above(gap: float) -> float:
    """A little more than was computed: a checker may round otherwise. Infinite where nothing is proven."""
    return gap * (1.0 + 1e-9) if math.isfinite(gap) else math.inf


def _stored(values: ChainValues) -> dict[str, Any]:
    if values.labelings is None:
        return {}
    return dict(zip(ARRAYS, values.labelings, strict=True))
