"""Where data come from, and in which format: a file or standard input, compressed or not."""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import sys
from collections.abc import Iterator
from typing import Any

from empirisk.data.compressed import Decompressed, compression_of, without_suffix

STANDARD_INPUT = "-"
NPY, ZIP = b"\x93NUMPY", (b"PK\x03\x04", b"PK\x05\x06")
LONGEST_MAGIC = 10  # bytes that tell archives and arrays from text
BEGINNINGS = b"\x1fB\xfd"  # with one of which archives begin, and no line of numbers
HEAD = 1 << 16  # bytes in which the first line of a text is looked for
FIRST_EXAMPLE = re.compile(rb"\s*(#|[-+]?[0-9.]\S*(\s+(qid|[0-9]+):\S+)+\s*(#|$)|[-+]?[0-9][^\s,]*\s*$)")
SUFFIXES = {
    "csv": (".csv", ".tsv", ".tab", ".psv"),
    "svmlight": (".svm", ".svmlight", ".libsvm"),
    "npy": (".npy",),
    "npz": (".npz",),
}


class Held(io.BytesIO):
    """Bytes that can be had only once, such as those of standard input, held whole."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name

    def rewind(self) -> None:
        """Start again."""
        self.seek(0)


Source = Any  # the path of a file that is not compressed, or a stream: Held or Decompressed


@contextlib.contextmanager
def opened(path: str) -> Iterator[Source]:
    """The data behind a path, `-` being standard input; archives of gzip, bzip2 and xz are seen through."""
    source = _source(path)
    compression = compression_of(path, head_of(source, LONGEST_MAGIC))
    if compression is None:
        yield source
        return
    with compression.open(source) as stream:
        yield Decompressed(stream, compression, name_of(source))


class Piped:
    """A stream that is read once, and of which the first bytes have been looked at."""

    def __init__(self, head: bytes, stream: Any, name: str) -> None:
        self._head, self._stream, self.name = head, stream, name

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, as many as are there already; all of them where that is negative."""
        if size < 0:
            return self._head + self._stream.read()
        head, self._head = self._head[:size], self._head[size:]
        return head or self._stream.read(size)


@contextlib.contextmanager
def streamed(path: str) -> Iterator[Any]:
    """The data behind a path as `opened` sees them, to be read once and as they come: nothing is held."""
    with contextlib.ExitStack() as files:
        if path == STANDARD_INPUT:
            stream, name = getattr(sys.stdin.buffer, "raw", sys.stdin.buffer), "<stdin>"
        else:
            stream, name = files.enter_context(open(path, "rb", buffering=0)), path
        head = stream.read(1)
        while head[:1] in BEGINNINGS and len(head) < LONGEST_MAGIC and (more := stream.read(LONGEST_MAGIC - len(head))):
            head += more
        source = Piped(head, stream, name)
        compression = compression_of(path, head)
        if compression is None:
            yield source
        else:
            yield Decompressed(files.enter_context(compression.open(source)), compression, name)


def name_of(source: Source) -> str:
    """What errors call it."""
    return source if isinstance(source, str) else source.name


def head_of(source: Source, size: int) -> bytes:
    """The first bytes."""
    if isinstance(source, str):
        with open(source, "rb") as stream:
            return stream.read(size)
    head = source.read(size)
    source.rewind()
    return head


def is_binary(source: Source) -> bool:
    """Whether it holds arrays, and no text."""
    return head_of(source, LONGEST_MAGIC).startswith((NPY, *ZIP))


def format_of(path: str, source: Source) -> str | None:
    """csv, svmlight, npy or npz: by the first bytes, else by the name; None where neither says."""
    head = head_of(source, LONGEST_MAGIC)
    if head.startswith(NPY):
        return "npy"
    if head.startswith(ZIP):
        return "npz"
    name = without_suffix(path).lower()
    return next((format for format, suffixes in SUFFIXES.items() if name.endswith(suffixes)), None)


def format_of_text(source: Source) -> str:
    """csv or svmlight, as the first line looks."""
    head = head_of(source, HEAD)
    if len(head) == HEAD:  # the last word may be cut
        head = re.sub(rb"\S+$", b"", head)
    first = next(filter(bytes.strip, head.splitlines()), b"")
    return "svmlight" if FIRST_EXAMPLE.match(first) else "csv"


def _source(path: str) -> Source:
    if path == STANDARD_INPUT:
        return Held(sys.stdin.buffer.read(), "<stdin>")
    if stat.S_ISREG(os.stat(path).st_mode):
        return path
    with open(path, "rb") as stream:  # a pipe, which cannot be read twice
        return Held(stream.read(), path)
