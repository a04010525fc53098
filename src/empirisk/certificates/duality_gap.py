"""The certificate of a convex problem: a duality gap that anybody with the data can recompute."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import name_of
from empirisk.certificates.fields import array_of, check_names, expect, number_of, numbers_json, text_of
from empirisk.certificates.gap_words import gap_words
from empirisk.certificates.registry import register
from empirisk.certificates.values import Values, evaluate, has_dual, other_rounding
from empirisk.certificates.verification import (
    OTHER_POINT,
    OTHER_PROBLEM,
    compared,
    digest,
    is_rounding,
    is_small,
    relative,
)
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.linear_risk import LinearRisk
from empirisk.protocols import Unsupported, Vector, Verification, Words

NUMBERS = ("objective", "dual_value", "gap", "rounding", "radius", "scale", "weights_radius")
ARRAYS = ("dual_rows", "dual_values")
LEAST_SCALE = 1e-6  # of P(0, 0): below that, tol is relative to the objective at zero


@register
class DualityGap(NamedTuple):
    """The objective at the weights is within `gap` of the minimum over |b| <= radius and ||w|| <= weights_radius.

    gap = P(w, b) - D(u) + rounding, where u is a feasible dual point: -loss'(z_i), except at the stored rows,
    where it is the stored value (losses with kinks, and points that a dual method proved sooner).
    Weak duality makes P(w, b) - D(u) an upper bound on the suboptimality;
    `rounding` bounds the error of floating point, so the claim holds for the exact numbers. It is the certificate of
    every problem that registers with `values.evaluate`; the intercepts of softmax are those that sum to zero.
    """

    objective: float
    dual_value: float
    gap: float
    rounding: float
    radius: float  # infinite: no minimiser lies further out, or there is no intercept
    scale: float  # max(|P|, 1e-6 P(0, 0)): tolerances are relative to it
    weights_radius: float = math.inf  # finite only where neither penalty nor constraint bounds the minimisers
    subject: str = ""  # digest of the weights and the intercept it speaks of
    dual_rows: NDArray[np.int64] = np.empty(0, np.int64)
    dual_values: Vector = np.empty(0)

    @property
    def relative_gap(self) -> float:
        """The gap divided by `scale`; zero where the gap is."""
        return relative(self.gap, self.scale)

    def is_within(self, tol: float) -> bool:
        """Whether the gap is at most tol * scale (or nothing, where the objective is zero)."""
        return is_small(self.gap, tol, self.scale)

    def is_rounding_only(self) -> bool:
        """Whether the gap is no larger than rounding alone can make it."""
        return is_rounding(self.gap, self.rounding)

    def about(self, point: LinearPoint) -> DualityGap:
        """The same certificate, bound to this point."""
        return self._replace(subject=digest(point))

    def with_evidence(self, point: LinearPoint) -> LinearPoint:
        """The point with the stored dual variables, nan elsewhere; without evidence when nothing is stored."""
        if not self.dual_rows.size:
            return point._replace(evidence=None)
        given = np.full(int(self.dual_rows.max()) + 1, np.nan)
        given[self.dual_rows] = self.dual_values
        return point._replace(evidence=given)

    def sentence(self) -> str:
        """The claim in words."""
        where = "any intercept" if math.isinf(self.radius) else f"intercepts up to {self.radius:g} in size"
        if math.isfinite(self.weights_radius):
            where += f" and weights of norm up to {self.weights_radius:g}"
        return (
            f"The objective {self.objective:.10g} is within {self.gap:.3g} of the minimum "
            f"(relative gap {self.relative_gap:.2g}) for {where}, rounding included."
        )

    def words(self, tol: float) -> Words:
        """What a floor proves."""
        return gap_words(self, tol)

    def verify(self, problem: LinearRisk, point: LinearPoint) -> Verification:
        """Recompute primal and dual value from the data and compare them with the claim."""
        if not isinstance(point, LinearPoint) or not has_dual(problem):
            return OTHER_PROBLEM
        if self.subject != digest(point):
            return OTHER_POINT
        if self.dual_rows.size and int(self.dual_rows.max()) >= problem.rows.n_rows:
            return Verification(False, "The certificate stores dual variables of rows that the data do not have.")
        try:
            values = evaluate(problem, self.with_evidence(point))
        except ValueError as error:
            return Verification(False, f"The weights do not fit the problem: {error}.")
        verdict = compared(self, values, scale_of(values))
        if verdict.holds:
            return verdict
        return compared(self, values, scale_of(values), other_rounding(problem, point))

    def to_json(self) -> dict[str, Any]:
        """The numbers; the dual point is in `arrays`."""
        return {"kind": name_of(self), **numbers_json(self, NUMBERS), "subject": self.subject}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The stored part of the dual point."""
        return {"dual_rows": self.dual_rows, "dual_values": self.dual_values}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> DualityGap:
        """What `to_json` and `arrays` gave."""
        check_names(cls, data, (*NUMBERS, "subject"), arrays, ARRAYS)
        rows, values = array_of(arrays, "dual_rows", np.int64), array_of(arrays, "dual_values")
        expect(rows.size == values.size and np.all(np.diff(rows, prepend=-1) > 0), "dual_rows")
        numbers = {name: number_of(data, name) for name in NUMBERS}
        for name in ("radius", "weights_radius"):
            expect(numbers[name] > 0.0, name)
        return cls(**numbers, subject=text_of(data, "subject"), dual_rows=rows, dual_values=values)


def duality_gap(problem: LinearRisk, point: LinearPoint) -> DualityGap:
    """Certify the point with its dual variables, or with those that follow from the scores."""
    return gap_of_values(problem, evaluate(problem, point))


def gap_of_values(problem: LinearRisk, values: Values) -> DualityGap:
    """The claim that primal and dual value make."""
    if values.primal - values.dual < -values.rounding:
        raise Unsupported(f"the conjugate of the loss {name_of(problem.loss)!r} contradicts its values: no certificate")
    # Twice the rounding: a checker whose sums round otherwise still finds a gap below the claim.
    gap = max(0.0, values.primal - values.dual) + 2.0 * values.rounding
    gap = math.inf if math.isnan(gap) else gap
    # Regularizers that are written in Python may give NumPy's numbers.
    return DualityGap(
        float(values.primal),
        float(values.dual),
        float(gap),
        float(values.rounding),
        float(values.radius),
        float(scale_of(values)),
        float(values.weights_radius),
        dual_rows=values.stored_rows,
        dual_values=values.stored_duals,
    )


def scale_of(values: Values) -> float:
    """What tolerances are relative to."""
    return max(abs(values.primal), LEAST_SCALE * values.at_zero)
