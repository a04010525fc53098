"""Certificates: claims about an answer that are recomputed from the data, without solver or driver."""

from __future__ import annotations

from typing import Any

from empirisk.certificates.duality_gap import DualityGap, Verification, duality_gap
from empirisk.protocols import name_of

__all__ = ["CERTIFICATES", "DualityGap", "Verification", "certificate_from_json", "duality_gap"]

CERTIFICATES: dict[str, Any] = {name_of(DualityGap): DualityGap}


def certificate_from_json(data: dict[str, Any], arrays: dict[str, Any]) -> Any:
    """Rebuild a certificate of a registered kind."""
    kind = data.get("kind")
    if kind not in CERTIFICATES:
        raise ValueError(f"unknown kind of certificate {kind!r}; known: {', '.join(CERTIFICATES)}")
    return CERTIFICATES[kind].from_json(data, arrays)
