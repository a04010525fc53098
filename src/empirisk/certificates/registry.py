"""The one registry of certificates: chapters add their kinds, files name them.

A kind is known when its class is loaded, or when the front door has told its home (`empirisk.homes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from numpy.typing import NDArray

from empirisk.capabilities import as_file_name, name_of
from empirisk.homes import HOMES, at_home
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


def known_kinds() -> list[str]:
    """What files may name: the kinds that are loaded, and those of chapters that have a home."""
    return sorted({*KINDS, *map(as_file_name, HOMES)})


def certificate_from_json(data: Any, arrays: Mapping[str, NDArray[Any]]) -> Certificate:
    """Rebuild a certificate of a known kind from what its `to_json` and `arrays` gave."""
    kind = data.get("kind") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in known_kinds():
        raise ValueError(f"unknown kind of certificate {kind!r:.100}; known: {', '.join(known_kinds())}")
    if kind not in KINDS:  # a chapter that nothing has loaded yet
        at_home(next(name for name in HOMES if as_file_name(name) == kind))
    return KINDS[kind].from_json(data, arrays)
