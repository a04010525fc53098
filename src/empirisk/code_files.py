"""Machine code on disk, one file for each version of a kernel, named by the digest of its key."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import io
import logging
import operator
import os
import pickle
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numba.core import serialize

log = logging.getLogger("empirisk.compiled")

SEAL_BYTES = hashlib.sha256().digest_size
ENTRIES_KEPT = 64  # cached versions of one kernel; edits of the package leave old ones behind


class KeyedFiles:
    """The files of one kernel, replaced atomically.

    Each begins with a seal over its key and its bytes: damaged machine code, or that of another kernel, would crash.
    """

    def __init__(self, folder: Path, base: str, read_only: Sequence[Path] = ()) -> None:
        self._folder, self._base, self._read_only = folder, base, read_only

    def _name(self, key: str) -> str:
        return f"{self._base}.{hashlib.sha256(key.encode()).hexdigest()[:24]}.nbc"

    def load(self, key: str | None) -> Any:
        """What was kept for this key, here or where it can only be read; None where there is nothing."""
        if key is None:
            return None
        found = (self._loaded(folder / self._name(key), key) for folder in (*self._read_only, self._folder))
        return next((data for data in found if data is not None), None)

    def _loaded(self, path: Path, key: str) -> Any:
        try:
            found = path.read_bytes()
            seal, code = found[:SEAL_BYTES], found[SEAL_BYTES:]
            if seal != _seal(key, code):
                log.info("damaged machine code is compiled anew: %s", path)
                return None
            return _Unpickler(io.BytesIO(code)).load()
        except (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError):
            return None

    def save(self, key: str | None, data: Any) -> None:
        """Keep it, where that is possible."""
        if key is None:
            return
        code, unfinished = io.BytesIO(), self._folder / f"{self._base}{uuid.uuid4().hex}.tmp"
        _Pickler(code, protocol=4).dump(data)
        try:
            with open(unfinished, "xb") as stream:  # with the rights of any file: others may read it
                stream.write(_seal(key, code.getvalue()))
                stream.write(code.getvalue())
            os.replace(unfinished, self._folder / self._name(key))
        except OSError as error:  # a full disk costs the cache, not the fit
            log.info("machine code not cached: %s", error)
            with contextlib.suppress(OSError):
                unfinished.unlink()
        self._prune()

    def _prune(self) -> None:
        with contextlib.suppress(OSError):  # another process may be pruning too
            entries = sorted(self._folder.glob(f"{self._base}.*.nbc"), key=lambda p: p.stat().st_mtime)
            for old in entries[:-ENTRIES_KEPT]:
                old.unlink()

    def flush(self) -> None:
        """Forget all of them."""
        for entry in self._folder.glob(f"{self._base}.*.nbc"):
            entry.unlink(missing_ok=True)


def _seal(key: str, code: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(key.encode()).digest() + code).digest()


class _Pickler(serialize.NumbaPickler):
    """Names the classes of tuples instead of copying them: a copy of a class of __main__ is another type."""

    def persistent_id(self, item: Any) -> Any:
        is_tuple_class = isinstance(item, type) and issubclass(item, tuple) and item is not tuple
        return (item.__module__, item.__qualname__) if is_tuple_class else None


class _Unpickler(pickle.Unpickler):
    """Finds the classes that `_Pickler` named."""

    def persistent_load(self, name: Any) -> Any:
        module, qualname = name
        return operator.attrgetter(qualname)(importlib.import_module(module))
