"""Classes, and what columns are called in files, as JSON and back: the same for every model."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.model_file.checks import check, check_fields, check_texts, plain
from empirisk.models.columns import Column, Columns

CLASS_TYPES: dict[str, tuple[type, str]] = {
    "str": (str, "U"),
    "int": (int, "iu"),
    "float": (float, "f"),
    "bool": (bool, "b"),
}
AS_THEY_ARE = ("first_index", "label_name", "weights_name")
NAMES = ("feature_names", "columns", *AS_THEY_ARE)


def names_to_parts(model: Any) -> dict[str, Any]:
    """The fields of a model that say how files become matrices."""
    return {
        "feature_names": None if model.feature_names is None else [str(name) for name in model.feature_names],
        "columns": None if model.columns is None else [[c.name, c.categories] for c in model.columns.columns],
        **{name: getattr(model, name) for name in AS_THEY_ARE},
    }


def names_from_parts(fields: dict[str, Any], n_features: int) -> dict[str, Any]:
    """What `names_to_parts` gave, checked, for a model of so many columns."""
    names, columns = fields["feature_names"], fields["columns"]
    if columns is not None:
        check(type(columns) is list and all(type(c) is list and len(c) == 2 for c in columns), "bad columns")
        check_texts([name for name, _ in columns], "the names of columns")
        columns = Columns(
            tuple(Column(name, None if c is None else check_texts(c, "categories")) for name, c in columns)
        )
        check(len(columns.feature_names) == n_features, "columns and weights disagree")
    feature_names = None if names is None else check_texts(names, "feature_names")
    check(feature_names is None or len(feature_names) == n_features, "feature_names and weights disagree")
    first = fields["first_index"]
    check(first is None or (type(first) is int and first in (0, 1)), "first_index must be 0 or 1")
    for name in ("label_name", "weights_name"):
        check(fields[name] is None or type(fields[name]) is str, f"{name} must be text")
    return {"feature_names": feature_names, "columns": columns, **{name: fields[name] for name in AS_THEY_ARE}}


def classes_to_json(classes: NDArray[Any]) -> dict[str, Any]:
    """Labels with their type."""
    values = [plain(value) for value in classes.tolist()]
    dtype = "object" if classes.dtype == object else classes.dtype.str
    kind = type(values[0]).__name__
    check(kind in CLASS_TYPES, f"labels must be text, whole numbers, numbers or booleans, not {kind}")
    return {"type": kind, "dtype": dtype, "values": values}


def classes_from_json(data: dict[str, Any]) -> NDArray[Any]:
    """What `classes_to_json` gave, checked: two or more, in sorted order."""
    check_fields(data, ("type", "dtype", "values"), "the classes")
    kind, letters = CLASS_TYPES[data["type"]]
    values, dtype = data["values"], data["dtype"]
    check(type(values) is list and type(dtype) is str, "bad classes")
    rises = all(low < high for low, high in itertools.pairwise(values))
    check(len(values) >= 2 and all(type(value) is kind for value in values) and rises, "bad classes")
    check(dtype == "object" or bool(re.fullmatch(rf"[<>|][{letters}]\d{{1,4}}", dtype)), f"bad type of classes {dtype}")
    classes = np.array(values, dtype=dtype)
    check(classes.tolist() == values, "classes do not fit their type")
    return classes
