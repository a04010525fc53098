"""Which columns of hashed names occurred, and how many names that says there were."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


class UsedColumns:
    """A mark for each column that occurred, of 2^bits; None where nothing is hashed."""

    def __init__(self, marks: NDArray[np.bool_] | None) -> None:
        self._marks = marks

    @classmethod
    def of(cls, bits: int | None, packed: NDArray[np.uint8] | None = None) -> UsedColumns:
        """From what `packed` gave, where there is some."""
        if bits is None:
            return cls(None)
        if packed is None:
            return cls(np.zeros(1 << bits, np.bool_))
        return cls(np.unpackbits(packed, count=1 << bits).view(np.bool_))

    def meet(self, matrix: Any, first: int, last: int) -> None:
        """These rows were met."""
        if self._marks is not None:
            self._marks[matrix.indices[matrix.indptr[first] : matrix.indptr[last]]] = True

    def packed(self) -> NDArray[np.uint8] | None:
        """A bit each."""
        return None if self._marks is None else np.packbits(self._marks)


def names_met(packed: NDArray[np.uint8], bits: int) -> tuple[int, float, float]:
    """Columns used, and estimates: how many names there were, and the share of them that meet another in a column.

    n names leave a column of m empty with probability (1 - 1/m)^n, about exp(-n/m): if `used` are not, n is about
    -m log(1 - used/m). A name is alone with probability exp(-(n - 1)/m).
    """
    m, used = 1 << bits, int(np.unpackbits(packed, count=1 << bits).sum())
    if used == m:
        return used, math.inf, 1.0
    names = -m * math.log1p(-used / m)
    return used, names, max(0.0, -math.expm1(-(names - 1.0) / m))
