"""Files that gzip, bzip2 or xz have compressed, read as the bytes they were."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple

from empirisk.data.errors import DataError

AT_ONCE = 1 << 20  # bytes


class Compression(NamedTuple):
    """A program's way to compress."""

    name: str
    suffix: str
    magic: bytes  # a regular expression: how every archive begins
    open: Callable[..., Any]


COMPRESSIONS = (
    Compression("gzip", ".gz", rb"\x1f\x8b", gzip.open),
    Compression("bzip2", ".bz2", rb"BZh[1-9](1AY&SY|\x17rE8P\x90)", bz2.open),
    Compression("xz", ".xz", rb"\xfd7zXZ\x00", lzma.open),
)


def compression_of(path: str, head: bytes) -> Compression | None:
    """What the first bytes of a file say, whatever its name; a name that promises an archive must keep the promise."""
    for compression in COMPRESSIONS:
        if re.match(compression.magic, head):
            return compression
    for compression in COMPRESSIONS:
        if path.lower().endswith(compression.suffix):
            article = "an" if compression.name == "xz" else "a"
            raise DataError(f"expected {article} {compression.name} archive as the name says, found other data", path)
    return None


def without_suffix(path: str) -> str:
    """`train.csv` for `train.csv.gz`."""
    for compression in COMPRESSIONS:
        if path.lower().endswith(compression.suffix):
            return path[: -len(compression.suffix)]
    return path


class Decompressed:
    """The bytes in an archive, decompressed as they are asked for; a damaged one is a `DataError`."""

    def __init__(self, stream: BinaryIO, compression: Compression, path: str) -> None:
        self.stream, self.compression, self.name = stream, compression, path

    def read(self, size: int = -1) -> bytes:
        """Up to `size` bytes, or all; MemoryError for more than the machine could hold, before it tries to."""
        if size < 0:
            return self._read_all()
        try:
            return self.stream.read(size)
        except EOFError:
            found = f"the end of the file inside the {self.compression.name} archive"
            raise DataError(f"expected more data, found {found}: it was cut off", self.name) from None
        except (OSError, zlib.error, lzma.LZMAError) as error:
            if isinstance(error, OSError) and error.errno is not None:  # the disk, not the archive
                raise
            raise DataError(
                f"expected a whole {self.compression.name} archive, found a damaged one", self.name
            ) from None

    def rewind(self) -> None:
        """Start again."""
        self.stream.seek(0)

    def _read_all(self) -> bytes:
        content, limit = io.BytesIO(), memory_size()
        while chunk := self.read(AT_ONCE):
            if content.write(chunk) and content.tell() > limit:
                raise MemoryError
        return content.getvalue()


def memory_size() -> int:
    """The bytes of memory that the machine has: a few bytes of an archive may stand for more."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on every system
        return sys.maxsize
