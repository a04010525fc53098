"""Nested lists of classes of planes, each fixed before the data are looked at."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.parameters import check_count

FAMILIES = ("integers", "columns", "groups", "degrees", "nonzero")


class PlaneClass(NamedTuple):
    """Planes with at most `most_nonzero` weights that are not zero, all of them in the allowed columns."""

    name: str
    allowed: NDArray[np.int64]  # 1 or 0 for each column
    most_nonzero: int


def column_classes(n_columns: int, sizes: Iterable[int] | None = None) -> list[PlaneClass]:
    """The first 1, 2, 4, ... columns, or so many as are given, and at last all."""
    given = _doubling(n_columns) if sizes is None else _growing("sizes", sizes, n_columns)
    return [_first(size, n_columns, f"first {size} columns") for size in given]


def group_classes(n_columns: int, groups: Sequence[Iterable[int]] | None) -> list[PlaneClass]:
    """The columns of the first group, of the first two groups, and so on."""
    if groups is None or len(groups) == 0:
        raise ValueError("family='groups' needs groups, a list of lists of columns counted from 0")
    allowed, found = np.zeros(n_columns, dtype=np.int64), []
    for place, group in enumerate(groups):
        columns = np.asarray(list(group), dtype=np.int64)
        if columns.size == 0 or columns.min() < 0 or columns.max() >= n_columns:
            raise ValueError(f"group {place} must hold columns from 0 to {n_columns - 1}")
        allowed = allowed.copy()
        allowed[columns] = 1
        found.append(PlaneClass(f"{place + 1} groups", allowed, int(allowed.sum())))
    return found


def degree_classes(n_features: int, largest: int) -> list[PlaneClass]:
    """Polynomials of degree 1, 2, ...: the first C(d + q, q) - 1 of the columns that scikit-learn's expansion has."""
    check_count("degree", largest)
    n_columns = math.comb(n_features + largest, largest) - 1
    sizes = [math.comb(n_features + q, q) - 1 for q in range(1, largest + 1)]
    return [_first(size, n_columns, f"degree {q + 1}") for q, size in enumerate(sizes)]


def nonzero_classes(n_columns: int, sizes: Iterable[int] | None = None) -> list[PlaneClass]:
    """At most 1, 2, 4, ... weights that are not zero, in any columns: the sizes that an l1 path goes through."""
    given = _doubling(n_columns) if sizes is None else _growing("sizes", sizes, n_columns)
    return [PlaneClass(f"{size} weights", np.ones(n_columns, dtype=np.int64), size) for size in given]


def _first(size: int, n_columns: int, name: str) -> PlaneClass:
    allowed = np.zeros(n_columns, dtype=np.int64)
    allowed[:size] = 1
    return PlaneClass(name, allowed, size)


def _doubling(most: int) -> list[int]:
    return [*(2**i for i in range(most.bit_length()) if 2**i < most), most]


def _growing(name: str, sizes: Any, most: int) -> list[int]:
    found = [check_count(name, size) for size in sizes]
    if not found or any(a >= b for a, b in itertools.pairwise(found)) or found[-1] > most:
        raise ValueError(f"{name} must grow, from 1 or more to at most {most}, got {found}")
    return found
