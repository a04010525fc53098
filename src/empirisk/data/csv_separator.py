"""What stands between the columns of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.data.csv_cells import DONE, walk_records
from empirisk.data.dialect import NAMES

LOOKED_AT = 100  # records after the header


def find_separator(view: NDArray[np.uint8]) -> str:
    """The one that divides the header into most columns, of those that divide the next records into as many.

    Where there is none such, the one that divides the header into most; a comma of equals.
    """
    return max(NAMES, key=lambda separator: _merits(view, ord(separator)))


def _merits(view: NDArray[np.uint8], separator: int) -> tuple[bool, int]:
    """Whether the first records have as many fields as the header, which are several, and how many those are."""
    starts, counts = np.empty(1 + LOOKED_AT, np.int64), np.zeros(1 + LOOKED_AT, np.int64)
    n_records, code = walk_records(view, 0, len(view), separator, starts, counts)
    is_even = code == DONE and bool(np.all(counts[:n_records] == counts[0]))
    return is_even and counts[0] > 1, int(counts[0])
