"""A linear model as JSON and arrays, and back."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.certificates import certificate_from_json
from empirisk.model_file.checks import Arrays, check, check_floats, plain
from empirisk.model_file.option_parts import is_own, options_from_parts, options_to_parts, own_name
from empirisk.model_file.validation_parts import validation_from_parts, validation_to_parts
from empirisk.models.columns import Column, Columns
from empirisk.models.linear import LinearModel
from empirisk.models.options import FitOptions
from empirisk.models.predictions import OwnLoss
from empirisk.models.scaling import Scaling
from empirisk.protocols import offers

CLASS_TYPES: dict[str, tuple[type, str]] = {
    "str": (str, "U"),
    "int": (int, "iu"),
    "float": (float, "f"),
    "bool": (bool, "b"),
}
OF_CERTIFICATE = "certificate."  # what the names of its arrays begin with
PLAIN = ("status", "solver", "reason", "data_fingerprint", "subject", "first_index", "label_name", "weights_name")


def linear_to_parts(model: LinearModel) -> tuple[dict[str, Any], Arrays]:
    """Fields for JSON, and arrays; empty arrays are left out."""
    loss, own = model.options.loss, is_own(model.options.loss)
    columns = None if model.columns is None else [[c.name, c.categories] for c in model.columns.columns]
    options, arrays = options_to_parts(model.options)
    validation, validation_arrays = validation_to_parts(model.cross_validation)
    fields = {
        "options": options,
        "own_loss": own_name(loss) if own else None,
        "own_mean": own and (loss.has_mean if isinstance(loss, OwnLoss) else offers(loss, "mean")),
        "intercept": np.asarray(model.intercept, dtype=np.float64).tolist(),
        "classes": None if model.classes is None else _classes_to_json(model.classes),
        "certificate": model.certificate.to_json(),
        "feature_names": None if model.feature_names is None else [str(name) for name in model.feature_names],
        "columns": columns,
        "passes": float(model.passes),
        "certified": bool(model.certified),
        "cross_validation": validation,
    }
    fields |= {name: getattr(model, name) for name in PLAIN}
    arrays |= {"weights": model.weights, **validation_arrays}
    arrays |= {OF_CERTIFICATE + name: array for name, array in model.certificate.arrays().items()}
    if model.scaling is not None:
        arrays |= {"shift": model.scaling.shift, "scale": model.scaling.scale}
    return fields, {name: array for name, array in arrays.items() if array.size}


def linear_from_parts(fields: dict[str, Any], arrays: Arrays) -> LinearModel:
    """What `linear_to_parts` gave, checked."""
    arrays = dict(arrays)
    options = options_from_parts(fields["options"], arrays)
    classes = None if fields["classes"] is None else _classes_from_json(fields["classes"])
    check((classes is None) == (options.task == "regression"), "classes and task disagree")
    weights, intercept = _plane(fields, arrays, 2 if classes is None else classes.size, options)
    d = weights.shape[-1]
    scaling = None
    if options.standardize:
        scaling = Scaling(check_floats(arrays, "shift", (d,)), check_floats(arrays, "scale", (d,)))
        check(bool(np.all(scaling.scale > 0.0)), "scale must be positive")
        arrays = {name: array for name, array in arrays.items() if name not in ("shift", "scale")}
    validation = validation_from_parts(fields["cross_validation"], arrays, options)
    names, columns, own_loss = (fields[name] for name in ("feature_names", "columns", "own_loss"))
    if columns is not None:
        columns = Columns(tuple(Column(str(name), c if c is None else tuple(map(str, c))) for name, c in columns))
        check(len(columns.feature_names) == d, "columns and weights disagree")
    check(names is None or len(names) == d, "feature_names and weights disagree")
    check(fields["first_index"] in (None, 0, 1), "first_index must be 0 or 1")
    for name in ("status", "solver", "reason", "data_fingerprint", "subject"):
        check(type(fields[name]) is str, f"{name} must be text")
    for name in ("label_name", "weights_name"):
        check(fields[name] is None or type(fields[name]) is str, f"{name} must be text")
    own_mean = fields["own_mean"]
    check(type(fields["certified"]) is bool and type(own_mean) is bool, "certified must be true or false")
    built = {
        "options": options if own_loss is None else options._replace(loss=OwnLoss(str(own_loss), own_mean)),
        "weights": weights,
        "intercept": intercept,
        "classes": classes,
        "certificate": _certificate(fields["certificate"], arrays),
        "passes": float(fields["passes"]),
        "scaling": scaling,
        "feature_names": None if names is None else tuple(map(str, names)),
        "columns": columns,
        "cross_validation": validation,
    }
    is_within = built["certificate"].is_within(options.tol)
    check(is_within or not fields["certified"], "certified, with a certificate that does not prove it")
    kept = {name: fields[name] for name in LinearModel._fields if name not in built}
    return LinearModel(**built, **kept)


def _plane(
    fields: dict[str, Any], arrays: Arrays, n_classes: int, options: FitOptions
) -> tuple[NDArray[np.float64], Any]:
    """Weights, taken out of `arrays`, and intercept: one for two classes and for a regression, else one a class."""
    sizes = () if n_classes == 2 else (n_classes,)
    check(arrays["weights"].ndim == len(sizes) + 1, "weights and classes disagree")
    weights = check_floats(arrays, "weights", (*sizes, arrays["weights"].shape[-1]))
    check(weights.size > 0, "there must be weights")
    del arrays["weights"]
    found = np.array(fields["intercept"], dtype=np.float64)
    check(found.shape == sizes and bool(np.all(np.isfinite(found))), "intercept must be finite, one for each class")
    check(options.fit_intercept or not np.any(found), "an intercept in a model without one")
    return weights, float(found) if found.ndim == 0 else found


def _certificate(data: dict[str, Any], arrays: Arrays) -> Any:
    """A certificate of a registered kind, from all the arrays that are left."""
    unexpected = sorted(name for name in arrays if not name.startswith(OF_CERTIFICATE))
    check(not unexpected, f"unexpected arrays {unexpected}")
    return certificate_from_json(data, {name.removeprefix(OF_CERTIFICATE): a for name, a in arrays.items()})


def _classes_to_json(classes: NDArray[Any]) -> dict[str, Any]:
    values = [plain(value) for value in classes.tolist()]
    dtype = "object" if classes.dtype == object else classes.dtype.str
    kind = type(values[0]).__name__
    check(kind in CLASS_TYPES, f"labels must be text, whole numbers, numbers or booleans, not {kind}")
    return {"type": kind, "dtype": dtype, "values": values}


def _classes_from_json(data: dict[str, Any]) -> NDArray[Any]:
    kind, letters = CLASS_TYPES[data["type"]]
    values, dtype = data["values"], data["dtype"]
    rises = all(low < high for low, high in itertools.pairwise(values))
    check(len(values) >= 2 and all(type(value) is kind for value in values) and rises, "bad classes")
    check(dtype == "object" or bool(re.fullmatch(rf"[<>|][{letters}]\d{{1,4}}", dtype)), f"bad type of classes {dtype}")
    classes = np.array(values, dtype=dtype)
    check(classes.tolist() == values, "classes do not fit their type")
    return classes
