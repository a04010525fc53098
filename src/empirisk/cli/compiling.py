"""Says that machine code is being made, which happens once, and how long it took; nothing where it was in the cache."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from empirisk.cli.output import say
from empirisk.progress import duration
from empirisk.stopwatch import Stopwatch, listening

LEAST_SECONDS = 0.05  # so far, to be shown


@contextlib.contextmanager
def compiling(what: str, quiet: bool = False, show: Callable[[str], Any] | None = None) -> Iterator[None]:
    """Say for what machine code is made, while it is and, with the seconds, afterwards.

    `show` is given the first of these where there is a bar to show it, and an empty text when the compiler is done.
    """
    if quiet:
        yield
        return
    watch, is_said = Stopwatch(), False

    def tell(has_begun: bool) -> None:
        nonlocal is_said
        if show is not None:
            seconds = watch.compile_seconds()
            so_far = f": {duration(seconds)}" if seconds >= LEAST_SECONDS else ""
            show(f"compiling for {what}, once{so_far}" if has_begun else "")
        elif not is_said:
            is_said = True
            say(f"compiling for {what}, once")

    with listening(tell):
        yield
    if watch.kernels():
        say(f"compiled for {what}, once: {duration(watch.compile_seconds())}")


def on_rows(what: str, matrix: Any) -> str:
    """The same, on rows of this kind; where they are still to be made, nothing is known of them."""
    if matrix is None:
        return what
    return f"{what} on {'sparse' if hasattr(matrix, 'indptr') else 'dense'} rows"


def and_compiling(facts: dict[str, Any]) -> str:
    """The seconds of compiling, to be said after those of work."""
    return f", and {duration(facts['compile_seconds'])} of compiling"
