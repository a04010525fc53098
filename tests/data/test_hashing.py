"""The hash of names: numbers that murmur3 is known by, and numerals."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.data.hashing import hashed, murmur

# Bytes, seed and hash, from the reference implementation of murmur3 (x86, 32 bits).
KNOWN = [
    (b"", 0, 0),
    (b"", 1, 0x514E28B7),
    (b"", 0xFFFFFFFF, 0x81F16F39),
    (b"\0\0\0\0", 0, 0x2362F9DE),
    (b"aaaa", 0x9747B28C, 0x5A97808A),
    (b"aaa", 0x9747B28C, 0x283E0130),
    (b"aa", 0x9747B28C, 0x5D211726),
    (b"a", 0x9747B28C, 0x7FA09EA6),
    (b"abc", 0, 0xB3DD93FA),
    (b"Hello, world!", 0x9747B28C, 0x24884CBA),
    (b"The quick brown fox jumps over the lazy dog", 0x9747B28C, 0x2FA826CD),
]


@pytest.mark.interpreted
@pytest.mark.parametrize(("data", "seed", "said"), KNOWN)
def test_murmur(data, seed, said):
    assert murmur(np.frombuffer(data + b"\n", np.uint8), 0, len(data), seed) == said


@pytest.mark.interpreted
def test_numerals_are_added_to_the_seed():
    assert [hashed("12"), hashed("007", 5), hashed("", 7)] == [12, 12, 7]
    assert hashed(str(2**40 + 3), 1) == 4
    assert hashed("1", 2**32 - 1) == 0
    assert hashed("12a") == murmur(np.frombuffer(b"12a\n", np.uint8), 0, 3, 0)
    assert hashed("\ud800") == hashed("\\ud800")


def test_compiled():
    assert hashed("abc") == 0xB3DD93FA
    assert hashed("compiled, and longer than a word", 3) == int(
        murmur.py_func(np.frombuffer(b"compiled, and longer than a word\n", np.uint8), 0, 32, 3)
    )
