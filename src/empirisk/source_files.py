"""Which source files a function or a class comes from: its own, and those of all that it reaches.

Machine code is as good as the sources that it was compiled from, so that the cache of `compiled` asks for them.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

PACKAGE = Path(__file__).resolve().parent
IMPORT = re.compile(rf"^(?:from|import) ({PACKAGE.name}[\w.]*)", re.MULTILINE)


def sources_of(item: Any) -> tuple[set[str], set[str]]:
    """What a function or the methods of a class are compiled from: files ('' for one without), and constants.

    A user's code is followed through the globals that it names: functions, classes and modules to their files,
    other values as they are.
    """
    found: set[str] = set()
    constants: set[str] = set()
    seen: set[int] = set()
    pending: list[Any] = [item]
    while pending:
        item = pending.pop()
        item = getattr(item, "py_func", item)
        name = item.__name__ if inspect.ismodule(item) else getattr(item, "__module__", None) or ""
        module = sys.modules.get(name)
        if id(item) in seen or module is None or _is_library(name):
            continue
        seen.add(id(item))
        if name.partition(".")[0] == PACKAGE.name:
            found |= _imported(name)
            continue
        found.add(getattr(module, "__file__", None) or "")
        functions = [item] if inspect.isfunction(item) else filter(inspect.isfunction, vars(item).values())
        for function in functions:
            for reached in map(function.__globals__.get, _names(function.__code__)):
                if callable(reached) or inspect.ismodule(reached):
                    pending.append(reached)
                elif reached is not None:
                    constants.add(_constant(reached))
    return found, constants


def _names(code: Any) -> set[str]:
    """Global names that a function's code mentions, nested functions included."""
    nested = (_names(constant) for constant in code.co_consts if inspect.iscode(constant))
    return set(code.co_names).union(*nested)


def _constant(value: Any) -> str:
    """Text that changes when a constant does: compilers freeze its value."""
    return hashlib.sha256(value.tobytes()).hexdigest() if isinstance(value, np.ndarray) else repr(value)


def _is_library(module: str) -> bool:
    """Part of the standard library or of the numerical libraries, whose versions are in the key or do not matter."""
    root = module.partition(".")[0]
    return root in {"numpy", "numba", "scipy"} or (root in sys.stdlib_module_names and root != "__main__")


@functools.cache
def _imported(module: str) -> frozenset[str]:
    """Files of a module of this package and of all modules of it that it imports, directly or not."""
    found: dict[str, str] = {}
    pending = [module]
    while pending:
        name = pending.pop()
        path = PACKAGE.joinpath(*name.split(".")[1:])
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if name in found or not path.is_file():
            continue
        found[name] = str(path)
        for line in IMPORT.finditer(path.read_text(encoding="utf-8")):
            pending.append(line[1])
    return frozenset(found.values())


@functools.lru_cache(maxsize=512)
def digest_of(path: str, modified: int) -> str:
    """Of a file that was last changed at this time."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
