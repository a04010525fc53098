"""Named columns, as a table file holds them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Table(NamedTuple):
    """Columns of equal length: float64 where every cell is a number, else Python strings (dtype object), verbatim."""

    names: tuple[str, ...]
    columns: tuple[np.ndarray, ...]
    path: str
