"""Distinct strings, each with a number: the bytes of all of them in one array, and where each starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel, quiet

FEWEST_SLOTS = 1 << 10
FNV_START, FNV_FACTOR = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
FOLD, LOW = np.uint64(32), np.uint64(2**32 - 1)


class Strings:
    """A set of texts that grows: number k is what was met as the k-th distinct one.

    A table with open addressing over a hash of 64 bits (FNV-1a: G. Fowler, L. C. Noll and K.-P. Vo, 1991, folded to
    32); the bytes are compared, so that no two strings share a number.
    """

    __slots__ = ("_bytes", "_hashes", "_slots", "_starts", "size")

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self.size = 0
        self._bytes = np.empty(1 << 12, np.uint8)
        self._starts = np.zeros(FEWEST_SLOTS // 2 + 1, np.int64)
        self._hashes = np.empty(FEWEST_SLOTS // 2, np.uint32)
        self._slots = np.full(FEWEST_SLOTS, -1, np.int32)
        if texts:
            self.add(texts)

    @classmethod
    def of_arrays(cls, content: NDArray[np.uint8], starts: NDArray[Any]) -> Strings:
        """From what `to_arrays` gave; ValueError where that cannot be."""
        begins = np.asarray(starts, np.int64)
        if begins.ndim != 1 or not begins.size or begins[0] != 0 or begins[-1] != content.size:
            raise ValueError("the starts of strings do not cover their bytes")
        if bool(np.any(begins[1:] < begins[:-1])):
            raise ValueError("the starts of strings do not increase")
        found = cls()
        found.add_cells(np.ascontiguousarray(content, np.uint8), begins[:-1].copy(), begins[1:].copy())
        if found.size != begins.size - 1:
            raise ValueError("a string is there twice")
        return found

    def to_arrays(self) -> tuple[NDArray[np.uint8], NDArray[Any]]:
        """The bytes of all strings, and where each starts, in the smallest type that holds it."""
        starts = self._starts[: self.size + 1]
        return self._bytes[: starts[-1]].copy(), starts.astype(np.min_scalar_type(int(starts[-1])))

    def copy(self) -> Strings:
        """Another set of the same strings with the same numbers."""
        other = Strings.__new__(Strings)
        other.size = self.size
        for name in ("_bytes", "_starts", "_hashes", "_slots"):
            setattr(other, name, getattr(self, name).copy())
        return other

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, number: int) -> str:
        return bytes(self._bytes[self._starts[number] : self._starts[number + 1]]).decode()

    def texts(self) -> list[str]:
        """All of them, by number."""
        content = self._bytes[: self._starts[self.size]].tobytes()
        starts = self._starts[: self.size + 1].tolist()
        if content.isascii():
            whole = content.decode()
            return [whole[starts[k] : starts[k + 1]] for k in range(self.size)]
        return [content[starts[k] : starts[k + 1]].decode() for k in range(self.size)]

    def cells(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """The bytes of all of them, by number, and where each begins and ends."""
        return self._bytes, self._starts[: self.size], self._starts[1 : self.size + 1]

    def hashes(self) -> NDArray[np.uint64]:
        """A word of 64 bits for each string, the same on every machine and whatever else is there."""
        out = np.empty(self.size, np.uint64)
        with quiet():
            _hash_all(self._bytes, self._starts, out)
        return out

    def add(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """The number of each text; those that are new join."""
        return self.add_cells(*as_cells(texts))

    def find(self, texts: Sequence[str]) -> NDArray[np.int32]:
        """The number of each text; -1 for those that are not there."""
        return self.find_cells(*as_cells(texts))

    def find_cells(
        self, content: NDArray[np.uint8], begins: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """The number of each stretch of these bytes; -1 for those that are not there."""
        return self._number(content, begins, ends, False)

    def add_cells(
        self, content: NDArray[np.uint8], begins: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> NDArray[np.int32]:
        """The number of each stretch of these bytes; those that are new join."""
        return self._number(content, begins, ends, True)

    def _number(self, content: Any, begins: Any, ends: Any, may_add: bool) -> NDArray[np.int32]:
        """The kernel stops where there is no room for one more."""
        out, done = np.empty(begins.size, np.int32), 0
        with quiet():
            while True:
                table = (self._bytes, self._starts, self._hashes, self._slots)
                done, self.size = _number(content, begins, ends, done, *table, self.size, may_add, out)
                if done == begins.size:
                    return out
                self._make_room(int(ends[done] - begins[done]))

    def _make_room(self, length: int) -> None:
        used = int(self._starts[self.size])
        if used + length > self._bytes.size:
            self._bytes = np.resize(self._bytes, max(2 * self._bytes.size, used + length))
        if self.size == self._hashes.size:
            self._starts = np.concatenate([self._starts, np.zeros(self.size, np.int64)])
            self._hashes = np.concatenate([self._hashes, np.empty(self.size, np.uint32)])
            self._slots = np.full(2 * self._slots.size, -1, np.int32)
            _fill(self._hashes, self.size, self._slots)


def as_cells(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """Texts as the bytes of UTF-8, and where each begins and ends; half of a pair of UTF-16 is written out."""
    content = "".join(texts)
    if content.isascii():
        whole, sizes = content.encode(), map(len, texts)
    else:
        encoded = [text.encode("utf-8", "backslashreplace") for text in texts]
        whole, sizes = b"".join(encoded), map(len, encoded)
    ends = np.cumsum(np.fromiter(sizes, np.int64, len(texts)))
    begins = np.zeros_like(ends)
    begins[1:] = ends[:-1]
    return np.frombuffer(whole, np.uint8), begins, ends


@kernel(inlined=True)
def _hash(content, begin, length):
    mixed = FNV_START
    for k in range(length):
        mixed = (mixed ^ np.uint64(content[begin + k])) * FNV_FACTOR
    return mixed


@kernel
def _hash_all(content, starts, out):
    for number in range(out.size):
        out[number] = _hash(content, starts[number], starts[number + 1] - starts[number])


@kernel
def _number(content, begins, ends, first, stored, starts, hashes, slots, size, may_add, out):
    """Number the cells from `first` on; how many are done, and how many strings there are then."""
    mask = np.uint32(slots.size - 1)
    for i in range(first, begins.size):
        begin, length = begins[i], ends[i] - begins[i]
        mixed = _hash(content, begin, length)
        found = np.uint32((mixed ^ (mixed >> FOLD)) & LOW)
        slot = found & mask
        while slots[slot] >= 0:
            number = slots[slot]
            start = starts[number]
            if hashes[number] == found and starts[number + 1] - start == length:
                k = 0
                while k < length and stored[start + k] == content[begin + k]:
                    k += 1
                if k == length:
                    break
            slot = np.uint32(slot + np.uint32(1)) & mask
        if slots[slot] >= 0 or not may_add:
            out[i] = slots[slot]
            continue
        start = starts[size]
        if size == hashes.size or start + length > stored.size:
            return i, size
        for k in range(length):
            stored[start + k] = content[begin + k]
        hashes[size] = found
        slots[slot] = size
        out[i] = size
        size += 1
        starts[size] = start + length
    return begins.size, size


@kernel
def _fill(hashes, size, slots):
    """Put the strings into a larger table."""
    mask = np.uint32(slots.size - 1)
    for number in range(size):
        slot = hashes[number] & mask
        while slots[slot] >= 0:
            slot = np.uint32(slot + np.uint32(1)) & mask
        slots[slot] = number
