"""Whether chances mean what they say: of the rows that were given a chance of 0.7, are seven in ten of the class?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.measures import LEVEL, Measure, proportion
from empirisk.protocols import Vector

GROUPS = 10


class Group(NamedTuple):
    """Rows that were given similar chances."""

    rows: int
    chance: float  # their mean
    share: Measure  # of those that are of the class


def reliability(
    chances: Vector, is_class: NDArray[np.bool_], weights: Vector | None, level: float = LEVEL
) -> list[Group]:
    """Rows sorted by chance, in ten groups of about equal size; rows of equal chances are never parted."""
    edges = np.unique(np.quantile(chances, np.arange(1, GROUPS) / GROUPS, method="inverted_cdf"))
    places = np.searchsorted(edges, chances, "left")
    sizes = np.ones(chances.size) if weights is None else weights
    found = []
    for k in range(edges.size + 1):
        rows = places == k
        total = float(sizes[rows].sum())
        if total > 0.0:
            mean = float(np.average(chances[rows], weights=sizes[rows]))
            share = proportion(float(sizes[rows & is_class].sum()), total, level, weights is None)
            found.append(Group(int(np.count_nonzero(rows)), mean, share))
    return found
