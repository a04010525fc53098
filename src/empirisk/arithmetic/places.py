"""Where values stand among known ones, such as labels among the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS = "biuf"  # kinds of NumPy types that are compared as they are, within one kind


def places_among(values: NDArray[Any], known: NDArray[Any], absent: int) -> NDArray[np.int64]:
    """The place of each value among the known ones, which differ; `absent` for a value that is none of them.

    A number is what it equals: 1 is 1.0 and True. Numbers of one kind are looked up without a Python object each.
    """
    if values.dtype.kind == known.dtype.kind and known.dtype.kind in NUMBERS:
        order = np.argsort(known, kind="stable")
        rising = known[order]
        at = np.minimum(np.searchsorted(rising, values), known.size - 1)
        return np.where(rising[at] == values, order[at], absent).astype(np.int64, copy=False)
    places = {value: k for k, value in enumerate(known.tolist())}
    return np.fromiter((places.get(value, absent) for value in values.tolist()), np.int64, values.size)
