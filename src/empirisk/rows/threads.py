"""A pool of threads for tasks that do not depend on each other."""

from __future__ import annotations

import contextvars
import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

_is_in_pool = contextvars.ContextVar("_is_in_pool", default=False)


def in_threads(task: Callable[[Any], Any], items: Sequence[Any], n_threads: int) -> list[Any]:
    """The results of `task` for each item, in their order, computed by `n_threads` threads.

    Threads compute under the caller's settings: what NumPy ignores here, it ignores there. A task that asks for threads
    in its turn runs on its own alone: all threads of the pool could be waiting for each other.
    """
    if n_threads == 1 or len(items) == 1 or _is_in_pool.get():
        return [task(item) for item in items]
    settings = [contextvars.copy_context() for _ in items]  # one for each: two threads cannot enter the same one
    for own in settings:
        own.run(_is_in_pool.set, True)
    return list(_pool(n_threads).map(lambda own, item: own.run(task, item), settings, items))


def available_threads() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def _pool(n_threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(n_threads, thread_name_prefix="empirisk")


if hasattr(os, "register_at_fork"):  # a child has the pool object but not its threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
