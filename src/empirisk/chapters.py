"""Which module brings a kind that a file names: the one list of what the chapters add, loaded when a file asks for it.

Reading imports no module but those named here: a file chooses among them, it cannot bring its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from empirisk.certificates import KINDS

CERTIFICATES = {
    "separation": "empirisk.separation.plane",
    "inseparability": "empirisk.separation.inseparability",
    "mistake_bound": "empirisk.separation.mistake_bound",
    "widest_gap": "empirisk.separation.widest_gap",
    "enclosing_ball": "empirisk.separation.enclosing_ball",
    "zero_one_optimality": "empirisk.zero_one.optimality",
}
MODELS = {
    "linear": "empirisk.model_file.linear_parts",
    "plane": "empirisk.model_file.plane_parts",
}


def bring(homes: Mapping[str, str], kind: Any) -> None:
    """Import the module that registers this kind, where one is listed."""
    if isinstance(kind, str) and kind in homes:
        importlib.import_module(homes[kind])


def bring_certificate(data: Any) -> None:
    """The same for what a certificate says of itself; ValueError for a kind that is neither listed nor registered."""
    kind = data.get("kind") if isinstance(data, dict) else None
    bring(CERTIFICATES, kind)
    if isinstance(kind, str) and kind not in KINDS:
        raise ValueError(f"unknown kind of certificate {kind!r}; known: {', '.join(sorted({*KINDS, *CERTIFICATES}))}")
