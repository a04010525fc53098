"""The one registry of certificates: chapters add their kinds, files name them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, TypeVar

from numpy.typing import NDArray

from empirisk.capabilities import name_of
from empirisk.protocols import Certificate

KINDS: dict[str, type[Certificate]] = {}

Kind = TypeVar("Kind", bound=type[Certificate])


def register(cls: Kind) -> Kind:
    """Add a kind of certificate, under the name of its class; for use as a decorator."""
    name = name_of(cls)
    known = KINDS.setdefault(name, cls)
    if known is not cls and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ValueError(f"there is a certificate of the kind {name!r} already, in {known.__module__}")
    KINDS[name] = cls
    return cls


def certificate_from_json(data: Any, arrays: Mapping[str, NDArray[Any]]) -> Certificate:
    """Rebuild a certificate of a registered kind from what its `to_json` and `arrays` gave."""
    kind = data.get("kind") if isinstance(data, dict) else None
    if not isinstance(kind, str) or not _is_known(kind):
        raise ValueError(f"unknown kind of certificate {kind!r}; known: {', '.join(KINDS)}")
    return KINDS[kind].from_json(data, arrays)


def _is_known(kind: str) -> bool:
    """Whether the kind is registered; one of a chapter that nothing has loaded yet is behind the front door."""
    if kind not in KINDS:
        getattr(importlib.import_module("empirisk"), kind.title().replace("_", ""), None)
    return kind in KINDS
