"""The certificate of a convex problem: a duality gap that anybody with the data can recompute."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.certificates.dual_value import Values, evaluate
from empirisk.certificates.moment_value import evaluate_moments, moment_rounding
from empirisk.certificates.verification import (
    Verification,
    compared,
    digest,
    is_rounding,
    is_small,
    number_text,
    relative,
)
from empirisk.problems.moments import Moments
from empirisk.protocols import Unsupported, Vector, is_convex, name_of

NUMBERS = ("objective", "dual_value", "gap", "rounding", "radius", "scale", "weights_radius")
LEAST_SCALE = 1e-6  # of P(0, 0): below that, tol is relative to the objective at zero


class DualityGap(NamedTuple):
    """The objective at the weights is within `gap` of the minimum over |b| <= radius and ||w|| <= weights_radius.

    gap = P(w, b) - D(u) + rounding, where u is a feasible dual point: -loss'(z_i), except at the stored rows,
    where it is the stored value (losses with kinks, and points that a dual method proved sooner).
    Weak duality makes P(w, b) - D(u) an upper bound on the suboptimality;
    `rounding` bounds the error of floating point, so the claim holds for the exact numbers.
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

    def about(self, w: Vector, b: float) -> DualityGap:
        """The same certificate, bound to these weights."""
        return self._replace(subject=digest(w, b))

    def sentence(self) -> str:
        """The claim in words."""
        where = "any intercept" if math.isinf(self.radius) else f"intercepts up to {self.radius:g} in size"
        if math.isfinite(self.weights_radius):
            where += f" and weights of norm up to {self.weights_radius:g}"
        return (
            f"The objective {self.objective:.10g} is within {self.gap:.3g} of the minimum "
            f"(relative gap {self.relative_gap:.2g}) for {where}, rounding included."
        )

    def verify(self, problem: Any, w: Vector, b: float) -> Verification:
        """Recompute primal and dual value from the data and compare them with the claim."""
        if self.subject != digest(w, b):
            return Verification(False, "The certificate speaks of other weights than these.", math.nan)
        if self.dual_rows.size and not 0 <= self.dual_rows.min() <= self.dual_rows.max() < problem.design.n_rows():
            return Verification(False, "The stored dual point names rows that the data do not have.", math.nan)
        try:
            values = evaluate(problem, w, b, self.given(problem.design.n_rows()))
        except ValueError as error:
            return Verification(False, f"The weights do not fit the problem: {error}.", math.nan)
        verdict = compared(self, values, scale_of(values))
        if not verdict.holds:  # perhaps it was made from moments
            verdict = compared(self, values, scale_of(values), moment_rounding(problem, w, b))
        if verdict.holds and not 0.0 <= self.weights_radius <= values.weights_radius:
            return Verification(False, "The claimed radius of the weights is not proven.", verdict.gap)
        return verdict

    def given(self, n: int) -> Vector | None:
        """The stored dual variables, nan elsewhere; None when nothing is stored."""
        if not self.dual_rows.size:
            return None
        given = np.full(n, np.nan)
        given[self.dual_rows] = self.dual_values
        return given

    def to_json(self) -> dict[str, Any]:
        """The numbers; the dual point is in `arrays`."""
        numbers = {name: number_text(getattr(self, name)) for name in NUMBERS}
        return {"kind": name_of(self), **numbers, "subject": self.subject}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The dual point, for the model file."""
        return {"dual_rows": self.dual_rows, "dual_values": self.dual_values}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> DualityGap:
        """What `to_json` and `arrays` gave."""
        numbers = (float(data[name]) for name in NUMBERS)
        return cls._make((*numbers, str(data["subject"]), arrays["dual_rows"], arrays["dual_values"]))


def duality_gap(problem: Any, w: Vector, b: float, dual: Vector | None = None) -> DualityGap:
    """Certify the point (w, b) with the solver's dual point, or with the one that follows from the scores."""
    _check_supported(problem)
    return _claim(problem, evaluate(problem, w, b, dual))


def gap_from_moments(problem: Any, moments: Moments, w: Vector, b: float) -> DualityGap | None:
    """The same without a pass over the data, for a squared loss; None where its moments do not suffice."""
    values = evaluate_moments(problem, moments, w, b)
    return None if values is None else _claim(problem, values)


def _claim(problem: Any, values: Values) -> DualityGap:
    if values.primal - values.dual < -values.rounding:
        raise Unsupported(f"the conjugate of the loss {name_of(problem.loss)!r} contradicts its values: no certificate")
    # Twice the rounding: a checker whose sums round otherwise still finds a gap below the claim.
    gap = max(0.0, values.primal - values.dual) + 2.0 * values.rounding
    gap = math.inf if math.isnan(gap) else gap
    return DualityGap(
        values.primal,
        values.dual,
        gap,
        values.rounding,
        values.radius,
        scale_of(values),
        values.weights_radius,
        dual_rows=values.stored_rows,
        dual_values=values.stored_duals,
    )


def scale_of(values: Values) -> float:
    """What tolerances are relative to."""
    return max(abs(values.primal), LEAST_SCALE * values.at_zero)


def _check_supported(problem: Any) -> None:
    if not is_convex(problem.loss):
        raise Unsupported(f"the loss {name_of(problem.loss)!r} is not convex: it has no duality gap")
