"""Random generators as data: six words, from which the generator goes on exactly where it was.

A state of a solver holds the words; a step makes the generator of them, draws, and keeps the new words.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Words: TypeAlias = NDArray[np.uint64]
"""Of a PCG64: its state and its increment, the high word of each first, whether half a word is left, and that half."""

WORD = 64  # bits
LOW = (1 << WORD) - 1


class _Unseeded:
    """A seed of no meaning, for a generator whose state is set at once: to hash a real one takes longer than that."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
        """Zeros."""
        return np.zeros(n_words, dtype)


np.random.bit_generator.ISeedSequence.register(_Unseeded)
UNSEEDED: Any = _Unseeded()


def seeded(seed: int) -> Words:
    """Those of `np.random.default_rng(seed)`."""
    return words_of(np.random.default_rng(seed))


def words_of(random: np.random.Generator) -> Words:
    """Where the generator stands, which must be a PCG64, as all of `default_rng` are."""
    known = random.bit_generator.state
    at, step = known["state"]["state"], known["state"]["inc"]
    numbers = (at >> WORD, at & LOW, step >> WORD, step & LOW, known["has_uint32"], known["uinteger"])
    return np.array(numbers, dtype=np.uint64)


def generator_of(words: Words) -> np.random.Generator:
    """The generator that stands there; what it draws does not change the words."""
    high, low, step_high, step_low, has_half, half = words.tolist()
    bits = np.random.PCG64(UNSEEDED)
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": high << WORD | low, "inc": step_high << WORD | step_low},
        "has_uint32": has_half,
        "uinteger": half,
    }
    return np.random.Generator(bits)
