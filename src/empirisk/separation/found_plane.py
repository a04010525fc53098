"""What a search that ends with a plane gives to the model of it: every such answer has a method `found_plane`."""

from __future__ import annotations

from typing import NamedTuple

from empirisk.capabilities import optional
from empirisk.protocols import Certificate
from empirisk.separation.perceptron_runs.answer import Answer


class FoundPlane(NamedTuple):
    """A plane, and where it comes from."""

    method: str  # how it was found: what `plane_endings` of the certificate says, where there is one
    plane: Answer
    certificate: Certificate | None  # None where nothing is proven
    status: str  # how the search ended


class Endings(NamedTuple):
    """What a certificate says, as `plane_endings(tol)`, of the searches whose planes may come with it."""

    method: str  # how they find planes
    statuses: tuple[str, ...]  # with which they can have ended
    is_about_plane: bool = True  # False where it is about the data alone


def is_about_plane(certificate: Certificate) -> bool:
    """Whether it speaks of a plane, and not of the data alone."""
    endings = optional(certificate, "plane_endings")
    return endings is not None and bool(endings(0.0).is_about_plane)


def shortfall_of(certificate: Certificate | None, tol: float) -> str:
    """What a certificate leaves open of what was asked of a plane; empty where nothing."""
    if certificate is None:
        return "there is no certificate"
    if not is_about_plane(certificate):
        return "it is about the data, and a plane that separates them was asked"
    return certificate.words(tol).shortfall
