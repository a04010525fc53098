"""BLAS on one thread while a run goes on: threads are over row blocks, and sums keep their bytes."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_shared: dict[str, Any] = {"controller": None, "limit": None, "runs": 0}


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """The limit is one of the process: the first run in sets it, the last one out lifts it."""
    with _lock:
        if _shared["runs"] == 0:
            _shared["controller"] = _shared["controller"] or ThreadpoolController()  # inspects every library: once
            _shared["limit"] = _shared["controller"].limit(limits=1, user_api="blas")
        _shared["runs"] += 1
    try:
        yield
    finally:
        with _lock:
            _shared["runs"] -= 1
            if _shared["runs"] == 0:
                _shared["limit"].restore_original_limits()
