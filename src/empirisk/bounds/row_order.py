"""An order of rows, or a part of them, that a seed fixes: the same on every platform and for every version of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.parameters import check_seed
from empirisk.rows.fingerprint import KEY_A, KEY_B, KEY_COLUMN, KEY_ROW, SHIFT


def mixed_words(seed: int, n: int) -> NDArray[np.uint64]:
    """A well-mixed word of 64 bits for each of n rows, by the mixer of fingerprints; it looks at no row."""
    x: Any = np.arange(1, n + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):  # words wrap around
        x = x * KEY_ROW + np.uint64(check_seed(seed) + 1) * KEY_COLUMN
        for key in (KEY_A, KEY_B, KEY_A):
            x = (x ^ (x >> SHIFT)) * key
    return np.asarray(x ^ (x >> SHIFT))


def shuffled(seed: int, n: int) -> NDArray[np.int64]:
    """The rows 0 to n - 1 in the order of their words."""
    return np.argsort(mixed_words(seed, n), kind="stable").astype(np.int64)
