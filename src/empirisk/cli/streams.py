"""The three standard streams: those that the caller closed, and those that are one of the files that are read."""

from __future__ import annotations

import os
import stat
import sys

NAMES = ("stdin", "stdout", "stderr")
STANDARD_OUTPUT_NUMBER = 1

_closed: set[str] = set()


def open_closed_streams() -> None:
    """Let the streams that the caller closed, as `2>&-` does, be empty, and swallow what is written to them.

    Python has None in their place; and a file that is opened later would take the number of one, and what is said there
    would be written into it.
    """
    for number, name in enumerate(NAMES):
        if getattr(sys, name) is None:
            _closed.add(name)
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number and not _is_open(number):
                os.dup2(nowhere, number)
            setattr(sys, name, os.fdopen(nowhere, "r" if number == 0 else "w", encoding="utf-8", closefd=False))


def is_closed(name: str) -> bool:
    """Whether the caller closed "stdin", "stdout" or "stderr"."""
    return name in _closed


def file_of(path: str) -> tuple[int, int] | None:
    """What tells a regular file from all others, whatever its names; `-` is the file that standard input comes from."""
    try:
        return _regular(os.fstat(0) if path == "-" else os.stat(path))
    except OSError:
        return None


def is_standard_output(path: str) -> bool:
    """Whether results are written into the file of this path, as with `>> path`."""
    if not _is_open(STANDARD_OUTPUT_NUMBER):
        return False
    return file_of(path) is not None and file_of(path) == _regular(os.fstat(STANDARD_OUTPUT_NUMBER))


def _regular(status: os.stat_result) -> tuple[int, int] | None:
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
