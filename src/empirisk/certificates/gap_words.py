"""What a gap between an objective and a proven floor means, in words: shared by the certificates that claim one."""

from __future__ import annotations

import math
from typing import Protocol

from empirisk.certificates.values import GapClaim
from empirisk.protocols import Headline, Words
from empirisk.texts import shown


class RelativeGap(Protocol):
    """A certificate of an interval, whose width is told relative to its size."""

    @property
    def relative_gap(self) -> float:
        """That width."""

    def is_within(self, tol: float) -> bool:
        """Whether it proves what was asked for."""


def gap_words(certificate: GapClaim, tol: float) -> Words:
    """The duality gap for a reader who has never heard of it."""
    floor = f"proven floor {shown(_floor(certificate))}" if math.isfinite(certificate.gap) else "no floor is proven"
    return Words(
        meaning=_meaning(certificate),
        headline=(
            Headline("Objective reached", certificate.objective, floor),
            Headline("Relative gap", certificate.relative_gap, f"asked: at most {tol:.3g}"),
        ),
        checked="the objective and the floor",
        shortfall=relative_shortfall(certificate, tol),
        notes=_notes(certificate, tol),
    )


def relative_shortfall(certificate: RelativeGap, tol: float) -> str:
    """How far a relative gap is from what was asked; empty where it is within."""
    if certificate.is_within(tol):
        return ""
    return f"the relative gap is {certificate.relative_gap:.2g}, and {tol:g} was asked"


def _meaning(certificate: GapClaim) -> str:
    said = (
        "Fitting a model is a search for the weights that make one number, the objective, as small as it can be. How "
        "small that is, nobody knows beforehand. But a second computation on the same data can prove a floor that no "
        "weights whatever get below. "
    )
    if not math.isfinite(certificate.gap):
        return said + "Here it found none, so how far these weights are from the best ones is not known."
    return said + (
        f"Here the floor is {_floor(certificate):.12g}, and the weights found reach {certificate.objective:.12g}. The "
        "distance between the two is the duality gap: no other program, however long it runs, can beat this answer by "
        "more than that."
    )


def _notes(certificate: GapClaim, tol: float) -> tuple[str, ...]:
    """How much is proven, and where the floor holds."""
    said = []
    if not math.isfinite(certificate.gap):
        said.append("The gap is infinite: nothing was proven about these weights.")
    elif not certificate.is_within(tol) and certificate.gap >= abs(certificate.objective):
        said.append("The gap is no smaller than the objective itself: so far next to nothing is proven.")
    elif not certificate.is_within(tol):
        said.append(
            f"The relative gap is {certificate.relative_gap:.3g} and {tol:.3g} was asked for: these weights may be "
            "close to the best ones, but that is not proven to the tolerance."
        )
    if math.isfinite(certificate.radius):
        said.append(
            f"The floor is proven for intercepts between {-certificate.radius:.6g} and {certificate.radius:.6g}; "
            "beyond that nothing is claimed."
        )
    if math.isfinite(certificate.weights_radius):
        said.append(
            f"The floor is proven for weights of norm up to {certificate.weights_radius:.6g}; beyond that nothing is "
            "claimed."
        )
    return tuple(said)


def _floor(certificate: GapClaim) -> float:
    """What the minimum cannot be below, rounding included."""
    return float(certificate.objective - certificate.gap)
