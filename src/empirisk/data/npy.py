"""One array in NumPy's npy format, mapped or read; nothing is ever unpickled."""

from __future__ import annotations

import math
import tokenize
import warnings
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.compressed import memory_size
from empirisk.data.errors import DataError, shortened

AT_ONCE = 1 << 20  # bytes
MOST_BYTES = 2**63 - 1  # NumPy counts no further, even where one of the sizes is zero
# What NumPy raises for headers that are none.
NO_HEADER = (OverflowError, RecursionError, SyntaxError, TypeError, ValueError, tokenize.TokenError)
READ_HEADER = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def map_array(path: str) -> NDArray[Any]:
    """The array of a file, read-only and mapped into memory: pages are read when they are used."""
    with open(path, "rb") as stream:
        shape, order, dtype = _header(stream, path)
        offset = stream.tell()
        found = stream.seek(0, 2) - offset
        _check_size(math.prod(shape) * dtype.itemsize, found, path)
    if found == 0:  # no page to map
        return np.empty(shape, dtype)
    return np.memmap(path, dtype, "r", offset, shape, order)


def read_array(stream: IO[bytes], path: str) -> NDArray[Any]:
    """The array that a stream holds, and nothing after it."""
    shape, order, dtype = _header(stream, path)
    size = math.prod(shape) * dtype.itemsize
    if size > memory_size():
        raise MemoryError
    array = np.empty(shape, dtype, order)
    content, filled = array.reshape(-1, order="A").view(np.uint8) if size else array, 0
    while filled < size:
        chunk = stream.read(min(AT_ONCE, size - filled))
        if not chunk:
            break
        content[filled : filled + len(chunk)] = np.frombuffer(chunk, np.uint8)
        filled += len(chunk)
    _check_size(size, filled + len(stream.read(1)), path)
    return array


def _header(stream: IO[bytes], path: str) -> tuple[tuple[int, ...], Any, np.dtype[Any]]:
    """Shape, order and dtype; the stream then stands at the first value."""
    wanted = "expected an array in NumPy's npy format, version 1.0 or 2.0"
    try:
        version = np.lib.format.read_magic(stream)
        if version not in READ_HEADER:
            raise DataError(f"{wanted}, found version {version[0]}.{version[1]}", path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a file of Python 2 takes NumPy longer, and is as good
            shape, is_fortran, dtype = READ_HEADER[version](stream)
    except DataError:
        raise
    except NO_HEADER:
        raise DataError(f"{wanted}, found other data", path) from None
    if dtype.hasobject:
        message = "expected numbers or text, found Python objects: to read them could run code; save them with a dtype"
        raise DataError(message, path)
    is_shape = min(shape, default=0) >= 0 and not any(isinstance(size, bool) for size in shape)
    if not is_shape or math.prod(size or 1 for size in shape) * max(dtype.itemsize, 1) > MOST_BYTES:
        raise DataError(f"expected the shape of an array, found {shortened(str(shape))}", path)
    return shape, "F" if is_fortran else "C", dtype


def _check_size(expected: int, found: int, path: str) -> None:
    if found < expected:
        raise DataError(f"expected {expected} bytes of values, found {found}: the file was cut off", path)
    if found > expected:
        raise DataError("expected one array, found more data after it", path)
