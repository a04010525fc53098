"""Classes, and what columns are called in files, as JSON and back: the same for every model."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.encodings.columns import columns_from_json
from empirisk.model_file.checks import check, check_fields, check_texts, plain

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
        "feature_names": _own_names(model),
        "columns": None if model.columns is None else model.columns.to_json(),
        **{name: getattr(model, name) for name in AS_THEY_ARE},
    }


def _own_names(model: Any) -> list[str] | None:
    """The names of the features where the columns do not say them already: text has many."""
    names, columns = model.feature_names, model.columns
    if names is None or (columns is not None and names == columns.feature_names):
        return None
    return [str(name) for name in names]


def names_from_parts(fields: dict[str, Any], n_features: int) -> dict[str, Any]:
    """What `names_to_parts` gave, checked, for a model of so many columns."""
    names, columns = fields["feature_names"], fields["columns"]
    if columns is not None:
        columns = columns_from_json(columns)
        check(len(columns.feature_names) == n_features, "columns and weights disagree")
    feature_names = check_texts(names, "feature_names") if names is not None else columns and columns.feature_names
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
