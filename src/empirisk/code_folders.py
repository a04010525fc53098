"""The folders of machine code: the one that Numba writes to, and those that can only be read.

Numba takes the first folder that it can write to: NUMBA_CACHE_DIR, the `__pycache__` beside the source, a folder of the
user. Those that it passes over may hold machine code all the same, as in an image, or where another user compiled.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from numba.core.caching import FunctionCache

_WRITERS: list[Any] = FunctionCache._impl_class._locator_classes
_READERS: list[Any] = [type(kind.__name__, (kind,), {"ensure_cache_path": lambda self: None}) for kind in _WRITERS]


class Folders(FunctionCache._impl_class):
    """Numba's choice of a folder; where none can be written to, one to read from."""

    _locator_classes: ClassVar[list[Any]] = [*_WRITERS, *_READERS]

    def read_only(self, function: Callable[..., Any]) -> list[Path]:
        """The folders that Numba prefers to the one of its choice, and could not write to."""
        source = inspect.getfile(function)
        found = [kind.from_function(function, source) for kind in _READERS]
        folders = [one.get_cache_path() for one in found if one is not None]
        own = self.locator.get_cache_path()
        is_written_to = own in folders and type(self.locator) not in _READERS
        return [Path(folder) for folder in (folders[: folders.index(own)] if is_written_to else folders)]


def cache_folder() -> Path | None:
    """Below which the machine code of this package is kept; None where no folder can be written to."""
    locator = Folders(cache_folder).locator
    return None if type(locator) in _READERS else Path(locator.get_cache_path()).parent
