"""Every part of a sealed certificate changed alone: its value, its type, its length, its shape, its name."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

NOT_FINITE = ("inf", "-inf", "nan")


class Change(NamedTuple):
    path: tuple[Any, ...]  # keys and places down to the part
    direction: str
    whole: Any  # with that part changed

    @property
    def word(self) -> str:
        """The name of the part, or of the list or array that it is in."""
        words = [key for key in self.path if isinstance(key, str) and key not in ("values", "shape", "dtype")]
        return words[-1]


def changes_of_value(data: Any) -> Iterator[Change]:
    """Numbers, texts and truth values become others of their kind."""
    for path, value in parts(data, ()):
        for direction, new in other_values(value):
            yield with_part(data, path, direction, new)


def changes_of_form(data: Any) -> Iterator[Change]:
    """Parts become something of another type; lists and arrays get other lengths, shapes and types."""
    for path, value in parts(data, ()):
        for new in other_types(value):
            yield with_part(data, path, "type", new)
        if isinstance(value, dict) and set(value) == {"dtype", "shape", "values"}:
            for direction, new in other_arrays(value):
                yield with_part(data, path, direction, new)
        elif isinstance(value, dict):
            yield with_part(data, path, "name", {**value, "besides": 0})
            for key in value:
                if not is_empty_array(value[key]):  # which may be left out
                    yield with_part(data, path, "name", {k: v for k, v in value.items() if k != key})
        elif isinstance(value, list) and path[-1] not in ("values", "shape"):
            yield with_part(data, path, "longer", [*value, copy.deepcopy(value[-1]) if value else None])
            if value:
                yield with_part(data, path, "shorter", value[:-1])


def with_part(data: Any, path: tuple[Any, ...], direction: str, new: Any) -> Change:
    if not path:
        return Change(("all",), direction, new)
    whole = copy.deepcopy(data)
    place = whole
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    return Change(path, direction, whole)


def parts(data: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every part with its path, the whole included; of long lists the first, middle and last."""
    yield path, data
    if isinstance(data, dict):
        for key, value in data.items():
            yield from parts(value, (*path, key))
    elif isinstance(data, list):
        shown = range(len(data)) if len(data) <= 4 else (0, len(data) // 2, len(data) - 1)
        for k in shown:
            yield from parts(data[k], (*path, k))


def other_values(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool):
        yield "flipped", not value
    elif isinstance(value, int):
        yield "up", value + 1
        yield "down", value - 1
    elif isinstance(value, float):
        step = 1e-3 * abs(value) + (1e-9 if value == 0.0 else 0.0)
        yield "up", value + step
        yield "down", value - step
        yield "negative", -value if value else -1.0
        yield "not finite", math.nan
        yield "not finite", math.inf
        yield "infinite", "inf"
    elif isinstance(value, str) and value in NOT_FINITE:
        yield "nan", "nan" if value != "nan" else "inf"
        yield "word", "many"
        yield "down", 1e3
        yield "nothing", 0.0
        yield "negative", -1.0
    elif isinstance(value, str):
        yield "text", value + "0"
        yield "text", value[:-1] if len(value) > 1 else value + "x"


def other_types(value: Any) -> list[Any]:
    """What it could be taken for, and what it could not."""
    if value is None:
        return [0, False, "", [], {}]
    if isinstance(value, bool):
        return [int(value), float(value), str(value), None, [value]]
    if isinstance(value, int):
        return [bool(value), float(value), str(value), None, [value]]
    if isinstance(value, float):
        return [bool(value), int(value), repr(value), None, [value]]
    if isinstance(value, str):
        return [True, 0, None, [value], {}]
    if isinstance(value, list):
        return ["", {}, None, 0, [None], dict(enumerate(map(str, value)))]
    return ["", [], None, 0, list(value.values())]


def other_arrays(array: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """One of another length, shape or type, as a whole that can be read."""
    dtype, shape, values = array["dtype"], array["shape"], array["values"]
    zero = 0.0 if dtype == "float64" else 0
    yield "longer", {**array, "shape": [len(values) + 1], "values": [*values, values[-1] if values else zero]}
    if values:
        yield "shorter", {**array, "shape": [len(values) - 1], "values": values[:-1]}
    yield "reshaped", {**array, "shape": [*shape, 1]}
    yield "reshaped", {**array, "shape": [1, *shape]}
    if dtype == "float64":
        yield "dtype", {"dtype": "int64", "shape": shape, "values": [int(x) for x in values]}
    else:
        yield "dtype", {"dtype": "float64", "shape": shape, "values": [float(x) for x in values]}


def is_empty_array(value: Any) -> bool:
    return isinstance(value, dict) and value.get("values") == []
