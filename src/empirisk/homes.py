"""Where the certificates of chapters are: the front door tells, and their modules are imported when one is asked for.

The table loads nothing, so that a layer below the chapters can find their classes without knowing them. A file that
names a kind chooses among those listed here and those that are loaded; it cannot make anything else be imported.
"""

from __future__ import annotations

import importlib
from typing import Any

HOMES: dict[str, str] = {}  # name of a class -> module


def register_home(name: str, module: str) -> None:
    """Say in which module the certificate of this name is."""
    known = HOMES.setdefault(name, module)
    if known != module:
        raise ValueError(f"the certificate {name!r} has a home already: {known}")


def at_home(name: str) -> Any:
    """The class of this name, whose module is imported; KeyError where the table does not list it."""
    return getattr(importlib.import_module(HOMES[name]), name)
