"""Certificates: claims about an answer that are recomputed from the data, without solver or driver."""

from __future__ import annotations

from typing import Any

from empirisk.certificates.class_gaps import ClassGaps, class_gaps
from empirisk.certificates.duality_gap import DualityGap, duality_gap, gap_from_moments
from empirisk.certificates.softmax_gap import SoftmaxGap, softmax_gap
from empirisk.certificates.stationarity import Stationarity, stationarity
from empirisk.certificates.unattained import UnattainedInfimum, may_recede, receding_direction, separating_point
from empirisk.certificates.verification import Verification
from empirisk.protocols import has_kinks, is_convex, name_of, offers

__all__ = [
    "CERTIFICATES",
    "ClassGaps",
    "DualityGap",
    "SoftmaxGap",
    "Stationarity",
    "UnattainedInfimum",
    "Verification",
    "certificate_from_json",
    "certify",
    "class_gaps",
    "duality_gap",
    "gap_from_moments",
    "may_recede",
    "receding_direction",
    "separating_point",
    "softmax_gap",
    "stationarity",
    "without_dual_point",
]

CERTIFICATES: dict[str, Any] = {
    name_of(cls): cls for cls in (DualityGap, ClassGaps, SoftmaxGap, Stationarity, UnattainedInfimum)
}


def certify(problem: Any, w: Any, b: Any, dual: Any = None) -> Any:
    """The certificate of a point that fits the problem: a duality gap, or stationarity where it is not convex."""
    if not is_convex(problem.loss):
        return stationarity(problem, w, b)
    if offers(problem.loss, "is_separable"):  # a loss of a vector of scores
        return class_gaps(problem, w, b, dual) if problem.loss.is_separable() else softmax_gap(problem, w, b)
    return duality_gap(problem, w, b, dual)


def without_dual_point(problem: Any, certificate: Any, w: Any, b: Any, tol: float) -> Any:
    """The certificate whose dual point follows from the weights, where it proves as much: nothing to store."""
    if certificate.given(problem.design.n_rows()) is None or has_kinks(problem.loss):
        return certificate
    derived = certify(problem, w, b)
    return derived if derived.is_within(tol) or derived.gap <= certificate.gap else certificate


def certificate_from_json(data: dict[str, Any], arrays: dict[str, Any]) -> Any:
    """Rebuild a certificate of a registered kind."""
    kind = data.get("kind")
    if kind not in CERTIFICATES:
        raise ValueError(f"unknown kind of certificate {kind!r}; known: {', '.join(CERTIFICATES)}")
    return CERTIFICATES[kind].from_json(data, arrays)
