"""The one registry of kinds of models: how each becomes JSON and arrays, and back.

A kind is imported when a file or a model of it asks for it: a file chooses among the modules listed here and those that
have registered themselves, it cannot bring its own. The kinds of certificates are found by `certificates.registry`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

from empirisk.capabilities import name_of
from empirisk.model_file.checks import Arrays


class Kind(NamedTuple):
    """How one kind of model becomes JSON and arrays, and back."""

    cls: type
    to_parts: Callable[[Any], tuple[dict[str, Any], Arrays]]
    from_parts: Callable[[dict[str, Any], Arrays], Any]


KINDS: dict[str, Kind] = {}
HOMES = {
    "chain": "empirisk.model_file.chain_parts",
    "linear": "empirisk.model_file.linear_parts",
    "online": "empirisk.model_file.online_parts",
    "online_classes": "empirisk.model_file.online_classes_parts",
    "plane": "empirisk.model_file.plane_parts",
    "planes": "empirisk.model_file.planes_parts",
}


def kind_of(cls: type) -> str:
    """What files call the models of a class: its name in their way, without the word model."""
    return name_of(cls).removesuffix("_model")


def known_kind(kind: object) -> Kind | None:
    """The kind of this name, imported where that is still to be done; None where there is none."""
    if isinstance(kind, str) and kind in HOMES:
        importlib.import_module(HOMES[kind])
    return KINDS.get(kind) if isinstance(kind, str) else None


def register(
    cls: type,
    to_parts: Callable[[Any], tuple[dict[str, Any], Arrays]],
    from_parts: Callable[[dict[str, Any], Arrays], Any],
) -> None:
    """Add a kind of model, under the name of its class."""
    known = KINDS.get(kind_of(cls))
    if known is not None and known.cls is not cls:
        raise ValueError(f"there are models of the kind {kind_of(cls)!r} already, in {known.cls.__module__}")
    KINDS[kind_of(cls)] = Kind(cls, to_parts, from_parts)
