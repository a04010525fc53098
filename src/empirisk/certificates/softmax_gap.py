"""The certificate of a softmax problem: a duality gap that anybody with the data can recompute."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from numpy.typing import NDArray

from empirisk.certificates.duality_gap import scale_of
from empirisk.certificates.softmax_value import evaluate_softmax
from empirisk.certificates.verification import (
    Verification,
    compared,
    digest,
    is_rounding,
    is_small,
    number_text,
    relative,
)
from empirisk.protocols import Matrix, Vector, name_of

NUMBERS = ("objective", "dual_value", "gap", "rounding", "radius", "scale", "weights_radius")


class SoftmaxGap(NamedTuple):
    """The objective at the weights is within `gap` of the minimum over |b_j| <= radius and ||W||_F <= weights_radius.

    Intercepts are counted from their mean, which does not change the objective. gap = P(W, b) - D + rounding, with the
    dual point that follows from the scores (`softmax_value.py`): nothing but the weights need be stored.
    """

    objective: float
    dual_value: float
    gap: float
    rounding: float
    radius: float  # infinite: no minimiser lies further out, or there are no intercepts
    scale: float  # max(|P|, 1e-6 P(0, 0)): tolerances are relative to it
    weights_radius: float = math.inf  # finite only where there is neither l1 nor l2
    subject: str = ""  # digest of the weights and intercepts it speaks of

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

    def about(self, w: Matrix, b: Vector) -> SoftmaxGap:
        """The same certificate, bound to these weights."""
        return self._replace(subject=digest(w, b))

    def sentence(self) -> str:
        """The claim in words."""
        where = "any intercepts" if math.isinf(self.radius) else f"intercepts up to {self.radius:g} from their mean"
        if math.isfinite(self.weights_radius):
            where += f" and weights of norm up to {self.weights_radius:g}"
        return (
            f"The objective {self.objective:.10g} is within {self.gap:.3g} of the minimum "
            f"(relative gap {self.relative_gap:.2g}) for {where}, rounding included."
        )

    def verify(self, problem: Any, w: Matrix, b: Vector) -> Verification:
        """Recompute primal and dual value from the data and compare them with the claim."""
        if self.subject != digest(w, b):
            return Verification(False, "The certificate speaks of other weights than these.", math.nan)
        try:
            values = evaluate_softmax(problem, w, b)
        except ValueError as error:
            return Verification(False, f"The weights do not fit the problem: {error}.", math.nan)
        verdict = compared(self, values, scale_of(values))
        if verdict.holds and not 0.0 <= self.weights_radius <= values.weights_radius:
            return Verification(False, "The claimed radius of the weights is not proven.", verdict.gap)
        return verdict

    def given(self, n: int) -> None:
        """No dual point is stored."""
        return None

    def to_json(self) -> dict[str, Any]:
        """The numbers."""
        numbers = {name: number_text(getattr(self, name)) for name in NUMBERS}
        return {"kind": name_of(self), **numbers, "subject": self.subject}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Nothing beside the numbers."""
        return {}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> SoftmaxGap:
        """What `to_json` gave; the first files have no radius of the weights, which was infinite."""
        data = {"weights_radius": math.inf, **data}
        return cls._make((*(float(data[name]) for name in NUMBERS), str(data["subject"])))


def softmax_gap(problem: Any, w: Matrix, b: Vector) -> SoftmaxGap:
    """Certify weights w (K x d) and intercepts b of a softmax problem."""
    values = evaluate_softmax(problem, w, b)
    # Twice the rounding: a checker whose sums round otherwise still finds a gap below the claim.
    gap = max(0.0, values.primal - values.dual) + 2.0 * values.rounding
    gap = math.inf if math.isnan(gap) else gap
    return SoftmaxGap(
        values.primal, values.dual, gap, values.rounding, values.radius, scale_of(values), values.weights_radius
    )
