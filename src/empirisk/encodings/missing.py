"""What stands in place of a missing value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.data.errors import DataError
from empirisk.encodings.cells import Cells
from empirisk.stored_fields import check, check_fields, check_number

FILLS: dict[str, Callable[..., Any]] = {"mean": np.mean, "median": np.median, "indicator": np.mean}


class Filling(NamedTuple):
    """A number for each feature of a column; with a flag, one more feature says that there was none."""

    values: tuple[float, ...]
    has_flag: bool  # only where values were missing in the fit: else it would be zero throughout

    def applied(self, block: NDArray[np.float64], missing: NDArray[np.bool_] | None) -> NDArray[np.float64]:
        """The block with its gaps filled, and the flag beside it."""
        if missing is not None:
            block = np.where(missing[:, np.newaxis], np.array(self.values), block)
        if not self.has_flag:
            return block
        flags = np.zeros(len(block)) if missing is None else missing.astype(np.float64)
        return np.column_stack([block, flags])

    def to_json(self) -> dict[str, Any]:
        """Both fields."""
        return {"values": list(self.values), "has_flag": self.has_flag}


def flag_name(name: str) -> str:
    """What the feature is called that says that there was no value."""
    return f"{name} is missing"


def fit_filling(block: NDArray[np.float64], cells: Cells, policy: str) -> Filling | None:
    """The mean or the median of each feature over the rows that have it; None where missing values are not filled."""
    if policy not in FILLS:
        return None
    known = block if cells.missing is None else block[~cells.missing]
    if len(known) == 0:
        raise without_any_value(cells)
    sizes = np.maximum(np.abs(known).max(axis=0), np.finfo(np.float64).tiny)  # sums of huge numbers would overflow
    values = FILLS[policy](known / sizes, axis=0) * sizes
    return Filling(tuple(values.tolist()), policy == "indicator" and cells.missing is not None)


def filling_from_json(data: Any, width: int) -> Filling | None:
    """What `to_json` gave, checked, for a column of so many features."""
    if data is None:
        return None
    check_fields(data, Filling((), False).to_json(), "a filling")
    check(type(data["values"]) is list and len(data["values"]) == width, "a filling must be one number a feature")
    values = tuple(check_number(value, "a filling") for value in data["values"])
    check(type(data["has_flag"]) is bool, "has_flag must be true or false")
    return Filling(values, data["has_flag"])


def without_any_value(cells: Cells) -> DataError:
    """For a column of nothing but missing values, which nothing can fill."""
    said = "expected some value in this column, found none; drop=... leaves it out"
    return DataError(said, cells.path, None, cells.name)
