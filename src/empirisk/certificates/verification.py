"""What the gaps of certificates are compared by, and the digest of the point that a certificate speaks of."""

from __future__ import annotations

import hashlib
import math

import numpy as np

from empirisk.certificates.values import GapClaim, Values
from empirisk.protocols import Point, Verification

OTHER_PROBLEM = Verification(False, "The certificate speaks of another kind of problem or point.")
OTHER_POINT = Verification(False, "The certificate speaks of other weights than these.")


def relative(gap: float, scale: float) -> float:
    """A gap in units of `scale`; zero where there is none."""
    if gap == 0.0:
        return 0.0
    return gap / scale if scale > 0.0 else math.inf


def is_small(gap: float, tol: float, scale: float) -> bool:
    """Whether a gap is at most tol * scale. An infinite one never is, whatever overflowed beside it."""
    return math.isfinite(gap) and bool(gap <= tol * scale)


def is_rounding(gap: float, rounding: float) -> bool:
    """Whether a finite gap is no larger than rounding alone can make it."""
    return math.isfinite(gap) and bool(gap <= 4.0 * rounding)


def compared(claim: GapClaim, values: Values, scale: float, rounding: float = 0.0) -> Verification:
    """The verdict on a claimed gap, given primal and dual value as recomputed: it trusts no number of the claim.

    `rounding` is that of another way to compute them, if the claim may have been made in that way.
    """
    if not math.isfinite(values.rounding):
        return Verification(False, "Nothing can be proven: numbers overflow.")
    gap = values.primal - values.dual + values.rounding
    slack = 4.0 * (values.rounding + rounding)  # other sums, on another machine, round otherwise
    said = ""
    if not gap <= claim.gap:
        said = f"The recomputed gap {gap:.6g} is larger than the claimed {claim.gap:.6g}."
    elif not (claim.rounding >= 0.0 and max(0.0, claim.objective - claim.dual_value) + claim.rounding <= claim.gap):
        said = "The claimed gap does not follow from the claimed values."
    elif not abs(values.primal - claim.objective) <= slack:
        said = f"The recomputed objective {values.primal:.12g} is not the claimed {claim.objective:.12g}."
    elif not abs(values.dual - claim.dual_value) <= slack:
        said = f"The recomputed dual value {values.dual:.12g} is not the claimed {claim.dual_value:.12g}."
    elif not 0.0 <= claim.scale <= scale + slack:
        said = f"The claimed scale {claim.scale:.6g} is not that of the objective."
    elif gap < 0.0:
        said = "The conjugate of the loss contradicts its values."
    elif not 0.0 < claim.radius <= values.radius:
        said = "The claimed radius is not proven."
    elif not 0.0 < claim.weights_radius <= values.weights_radius:
        said = "The claimed radius of the weights is not proven."
    said, holds = said or f"Recomputed from the data: the gap is at most {gap:.3g}.", not said
    return Verification(holds, said, {"gap": gap})


def digest(point: Point) -> str:
    """Of all that the point consists of; evidence is left out."""
    hashed = hashlib.sha256()
    for array in point.arrays():
        hashed.update(np.ascontiguousarray(array, dtype="<f8").data)
    return hashed.hexdigest()[:32]
