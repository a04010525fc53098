"""The compiled core: with `tuple_methods`, `code_folders` and `code_files`, the only file that knows Numba.

Losses, regularizers, designs and solver states are named tuples with ordinary Python methods.
`kernel` compiles a function of such tuples; inside it `loss.value(z, y)` finds the method on the
tuple's class. The same source runs interpreted under NUMBA_DISABLE_JIT=1.

Machine code is cached on disk. Numba's own cache notices edits of the kernel's own file only, and
keeps one pickled index per kernel in which a class that another process cannot import is fatal. Here
the key is text (kernel, signature, CPU, digests of every source that can have contributed: the kernel's
module and what it imports of this package, the tuples' classes, a user's modules) and names the file: there is
no index to race for, an edit misses, a revert hits again, and editing one loss recompiles that loss only.
Folders that can be read and not written, as those of another user or of an image, are read all the same.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import event, types
from numba.core.caching import FunctionCache, NullCache

from empirisk import garbage
from empirisk.code_files import KeyedFiles
from empirisk.code_folders import Folders
from empirisk.source_files import digest_of, sources_of
from empirisk.stopwatch import COMPILING, PAUSES, Span
from empirisk.tuple_methods import DIVISION, register

log = logging.getLogger("empirisk.compiled")

# nsz would break compensated sums; nnan and ninf would assume away what must be reported.
FAST = {"contract", "reassoc"}
STARTED = time.time_ns()
_NOTHING = contextlib.nullcontext()

_adopting = threading.Lock()
_adopted_classes: set[type] = set()
_types: dict[tuple[str, tuple[str, ...]], type] = {}  # Numba's idea of a named tuple -> the class that has it
_PLAIN: set[str] = set(dir(tuple)) | {"_make", "_replace", "_asdict", "_field_defaults", "_fields"}
_adopted: set[str] = set(_PLAIN)  # names of methods that kernels know
_fields_seen: set[str] = set()


class _Listener(event.Listener):
    """Tells the stopwatch what Numba is at."""

    def __init__(self, span: Span) -> None:
        self._span = span

    def on_start(self, _: Any) -> None:
        self._span.begin()

    def on_end(self, _: Any) -> None:
        self._span.end()


class _GarbageKept(event.Listener):
    """Pauses the garbage collector while Numba compiles: it took a twentieth of a first fit, for next to nothing."""

    def on_start(self, _: Any) -> None:
        garbage.pause()

    def on_end(self, _: Any) -> None:
        garbage.resume()


event.register("numba:compiler_lock", _Listener(PAUSES))
event.register("numba:compile", _Listener(COMPILING))
event.register("numba:compile", _GarbageKept())


def kernel(
    function: Callable[..., Any] | None = None,
    *,
    exact: bool = False,
    fused: bool = False,
    borrows: bool = False,
    inlined: bool = False,
) -> Any:
    """Compile `function` on first call, release the GIL, cache the machine code.

    `exact=True` forbids reassociation, which would undo a compensated sum; with `fused=True` a product and a sum may
    still be rounded as one. `borrows=True` is for kernels that make no array and call methods of tuples of arrays for
    every row: references are not counted, which takes 50 ns a row otherwise. `inlined=True` is for parts of one or two
    kernels: their source is put in the place of the call, where the liberties of the caller hold, and not compiled by
    itself before.
    """
    if function is None:
        return functools.partial(kernel, exact=exact, fused=fused, borrows=borrows, inlined=inlined)
    liberties = ({"contract"} if fused else False) if exact else FAST
    options: Any = {"nogil": True, "error_model": DIVISION, "fastmath": liberties, "no_cfunc_wrapper": True}
    dispatcher = numba.njit(**options, _nrt=not borrows, inline="always" if inlined else "never")(function)
    if not numba.config.DISABLE_JIT:
        dispatcher._cache = _CacheOnUse(function)
    return dispatcher


def is_interpreted() -> bool:
    """Whether kernels run as the Python code that they are."""
    return bool(numba.config.DISABLE_JIT)


def as_python(compiled: Any) -> Any:
    """The Python function that a kernel is compiled from, for arguments that kernels cannot take."""
    return getattr(compiled, "py_func", compiled)


def quiet() -> Any:
    """A context for a kernel whose numbers may overflow: NumPy would warn where it is interpreted, machine code never.

    `np.errstate` alone takes a microsecond, which is much beside a kernel that is called for every row.
    """
    return np.errstate(all="ignore") if numba.config.DISABLE_JIT else _NOTHING


def adopt(*tuples: Any, inline: bool | tuple[str, ...] = False) -> None:
    """Let kernels call the methods of these named tuples' classes (once per method name).

    `inline` is for methods that take or hold arrays and run for every row: all of them (the designs), or those of
    these names (see `register`).
    """
    with _adopting:
        for cls in {type(item) for item in tuples} - _adopted_classes:
            methods = [name for name, _ in inspect.getmembers_static(cls, inspect.isfunction) if name[:2] != "__"]
            _refuse_clashes(cls, methods)
            _adopted_classes.add(cls)
            _distinguish(cls)
            for name in methods:
                if name not in _adopted:
                    if not numba.config.DISABLE_JIT:
                        register(name, name in inline if isinstance(inline, tuple) else inline)
                    _adopted.add(name)


def _refuse_clashes(cls: type, methods: list[str]) -> None:
    """Kernels know a name as a method or as a field of named tuples, not as both."""
    fields: tuple[str, ...] = getattr(cls, "_fields", ())
    taken = [name for name in fields if name in _adopted - _PLAIN] + [name for name in methods if name in _fields_seen]
    if taken:
        raise TypeError(
            f"{cls.__name__} cannot be compiled: {taken[0]!r} is a field here and a method elsewhere, or the other way "
            "round; give it another name"
        )
    _fields_seen.update(fields)


def _distinguish(cls: type) -> None:
    """Give a class its own name where another has it.

    Numba tells named tuples apart by the name and the fields of their class: a user's Squared, or a class defined again
    in a notebook, would run the machine code of its namesake. `__qualname__` stays, which is what pickle goes by.
    """
    fields: tuple[str, ...] = getattr(cls, "_fields", ())
    plain, count = cls.__name__, 1
    while _types.setdefault((cls.__name__, fields), cls) is not cls:
        count += 1
        cls.__name__ = f"{plain}_{count}"


class _CacheOnUse:
    """The cache of a kernel, made when Numba first asks for it: most kernels that are loaded are never called.

    To look for the folder takes a quarter of a millisecond, for each of the 200 kernels that a fit loads.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    @functools.cached_property
    def _cache(self) -> Any:
        try:
            return _SourceAwareCache(self._function)
        except (RuntimeError, AttributeError, OSError) as error:
            log.info("no cache for %s: %s", self._function.__qualname__, error)
            return NullCache()


class _SourceAwareCache(FunctionCache):
    """Numba's cache with a text key that covers every source the machine code came from."""

    _impl_class = Folders

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        others = self._impl.read_only(function)
        self._cache_file = KeyedFiles(Path(self._cache_path), self._impl.filename_base, others)

    def save_overload(self, signature: Any, data: Any) -> None:
        """Keep machine code where that is possible."""
        try:
            super().save_overload(signature, data)
        except OSError as error:  # a folder that was there has gone, or is full
            log.info("machine code not cached: %s", error)

    def _index_key(self, signature: Any, codegen: Any) -> str | None:
        """Text that names everything the machine code depends on; None when it cannot be cached."""
        classes = sorted(set(_tuple_classes(signature)), key=lambda cls: cls.__qualname__)
        names = [f"{item.__module__}.{item.__qualname__}" for item in (self._py_func, *classes)]
        compiled_from = [sources_of(item) for item in (self._py_func, *classes)]
        sources = set().union(*(files for files, _ in compiled_from))
        constants = set().union(*(values for _, values in compiled_from))
        if "" in sources or any("<locals>" in name for name in names):
            return None
        try:
            times = {path: os.stat(path).st_mtime_ns for path in sorted(sources)}
        except OSError:  # a source that is gone
            return None
        if max(times.values()) > STARTED:  # edited since: what runs here is perhaps what it was before
            return None
        digests = [digest_of(path, changed) for path, changed in times.items()]
        platform = (numba.__version__, sys.version, repr(codegen.magic_tuple()))
        return "\n".join((*names, str(signature), *platform, *digests, *sorted(constants)))


def _tuple_classes(signature: Any) -> Iterator[type]:
    """The classes of the named tuples in a signature, nested ones included."""
    pending = list(getattr(signature, "args", signature))
    while pending:
        kind = pending.pop()
        if isinstance(kind, (types.NamedTuple, types.NamedUniTuple)):
            yield kind.instance_class
        if isinstance(kind, types.BaseTuple):
            pending.extend(kind.types)
