"""Leaves of a tree added up by threads: the same bytes for any number of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from empirisk.rows.threads import in_threads
from empirisk.rows.tree import Sums

Leaf = TypeVar("Leaf")
Said = TypeVar("Said")


def summed(
    add: Callable[[Leaf, NDArray[np.float64]], Said], leaves: Sequence[Leaf], shape: tuple[int, ...], n_threads: int
) -> tuple[NDArray[np.float64], list[Said]]:
    """The sum of what `add(leaf, out)` adds to arrays of this shape, and what it returns, leaf after leaf."""
    sums, free = Sums(len(leaves)), list[Any]()  # arrays to be used again: fresh pages cost as much as the work

    def run(number: int) -> Said:
        try:
            total = free.pop()
            total[...] = 0.0
        except IndexError:
            total = np.zeros(shape)
        said = add(leaves[number], total)
        free.extend(sums.add(number, total))
        return said

    said = in_threads(run, range(len(leaves)), n_threads)
    return sums.total(), said
