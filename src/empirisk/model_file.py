"""One safe file for every model: a safetensors file of arrays and canonical JSON, sealed by a digest.

The header holds one text, `empirisk`: JSON with the format version, the kind of model, its fields and `sha256`, the
digest of every byte of the file with its own digits as zeros. Reading runs no code and builds registered kinds only.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from empirisk.certificates import certificate_from_json
from empirisk.data.files import write_atomically
from empirisk.losses import LOSSES, loss_text
from empirisk.models.columns import Column, Columns
from empirisk.models.linear import LinearModel, OwnLoss
from empirisk.models.options import FitOptions
from empirisk.models.scaling import Scaling
from empirisk.protocols import name_of
from empirisk.solvers import SOLVERS

FORMAT = 1
LARGEST_HEADER = 100_000_000  # bytes; safetensors reads no longer one
NO_DIGEST = "0" * 64
# Text of users is escaped twice in the header: it cannot look like this.
SEAL = re.compile(rb'\\"sha256\\":\\"([0-9a-f]{64})\\"')
CLASS_TYPES: dict[str, tuple[type, str]] = {
    "str": (str, "U"),
    "int": (int, "iu"),
    "float": (float, "f"),
    "bool": (bool, "b"),
}
# What reading fields of the wrong names, types or sizes raises.
INVALID = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

Arrays = dict[str, NDArray[Any]]


class ModelFileError(ValueError):
    """A model cannot be written, or a file is not a whole, unchanged model file: one sentence that says why."""


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model or estimator to `path`: all of it, or nothing and what was there before survives."""
    write_atomically(path, [to_bytes(model)])


def load(path: str | os.PathLike[str]) -> Any:
    """Read the model that `save` wrote; raises ModelFileError for anything else."""
    name = os.fspath(path)
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ModelFileError(f"{name} is not a file")
    with open(path, "rb") as stream:
        head = stream.read(8)
        size = int.from_bytes(head, "little")
        header = stream.read(size) if len(head) == 8 and size <= LARGEST_HEADER else b""
        seals = list(SEAL.finditer(header))
        if len(seals) != 1 or len(header) != size:
            raise ModelFileError(f"{name} is not an empirisk model file, or its beginning is damaged")
        data = head + header + stream.read()
    start, stop = (8 + place for place in seals[0].span(1))
    if _digest(data, start).encode() != data[start:stop]:
        raise ModelFileError(f"{name} is damaged: its bytes are not those that were written (the digest differs)")
    try:
        return _from_bytes(data, header, name)
    except ModelFileError:
        raise
    except (*INVALID, SafetensorError) as error:
        raise ModelFileError(f"{name} is not a valid model file: {error}") from None


def to_bytes(model: Any) -> bytes:
    """The content of the model file."""
    model = getattr(model, "model_", model)  # an estimator keeps its model there
    kind = next((kind for kind, entry in KINDS.items() if type(model) is entry.cls), None)
    if kind is None:
        raise TypeError(f"save takes a fitted model or estimator, got {type(model).__name__}; call fit first")
    try:
        fields, arrays = KINDS[kind].to_parts(model)
        content = {"format": FORMAT, "kind": kind, "model": fields, "sha256": NO_DIGEST}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
        KINDS[kind].from_parts(json.loads(text)["model"], arrays)  # what cannot be read back is not written
    except INVALID as error:
        raise ModelFileError(f"this model cannot be saved: {error}") from None
    data = save_arrays({name: np.ascontiguousarray(array) for name, array in arrays.items()}, {"empirisk": text})
    seal = SEAL.search(data)
    assert seal is not None
    return data[: seal.start(1)] + _digest(data, seal.start(1)).encode() + data[seal.end(1) :]


def _digest(data: bytes, start: int) -> str:
    digest = hashlib.sha256(data[:start])
    digest.update(NO_DIGEST.encode())
    digest.update(memoryview(data)[start + len(NO_DIGEST) :])
    return digest.hexdigest()


def _from_bytes(data: bytes, header: bytes, name: str) -> Any:
    content = json.loads(json.loads(header)["__metadata__"]["empirisk"])
    version = content["format"]
    if type(version) is not int or version > FORMAT:
        raise ModelFileError(
            f"{name} has format {version}, and this version of empirisk reads formats up to {FORMAT}: upgrade empirisk"
        )
    if content["kind"] not in KINDS:
        raise ModelFileError(f"{name} holds a model of unknown kind {content['kind']!r}; known: {', '.join(KINDS)}")
    arrays = {key: np.array(array) for key, array in load_arrays(data).items()}  # copies: kernels want writable ones
    return KINDS[content["kind"]].from_parts(content["model"], arrays)


class _Kind(NamedTuple):
    """How one kind of model becomes JSON and arrays, and back."""

    cls: type
    to_parts: Callable[[Any], tuple[dict[str, Any], Arrays]]
    from_parts: Callable[[dict[str, Any], Arrays], Any]


def _linear_to_parts(model: LinearModel) -> tuple[dict[str, Any], Arrays]:
    own = type(model.options.loss) is not LOSSES.get(name_of(model.options.loss))
    columns = None if model.columns is None else [[c.name, c.categories] for c in model.columns.columns]
    fields = {
        "options": _options_to_json(model.options, own),
        "own_loss": _name_of_own(model.options.loss) if own else None,
        "intercept": float(model.intercept),
        "classes": None if model.classes is None else _classes_to_json(model.classes),
        "certificate": model.certificate.to_json(),
        "feature_names": None if model.feature_names is None else [str(name) for name in model.feature_names],
        "columns": columns,
        "passes": float(model.passes),
        "certified": bool(model.certified),
    }
    plain = ("status", "solver", "reason", "data_fingerprint", "subject", "first_index", "label_name", "weights_name")
    fields |= {name: getattr(model, name) for name in plain}
    arrays = {"weights": model.weights, **model.certificate.arrays()}
    if model.scaling is not None:
        arrays |= {"shift": model.scaling.shift, "scale": model.scaling.scale}
    return fields, {name: array for name, array in arrays.items() if array.size}


def _linear_from_parts(fields: dict[str, Any], arrays: Arrays) -> LinearModel:
    arrays = {"dual_rows": np.empty(0, np.int64), "dual_values": np.empty(0), **arrays}
    scaling = Scaling(arrays["shift"], arrays["scale"]) if "shift" in arrays else None
    weights = arrays["weights"]
    vectors = {"weights": weights.size, "dual_values": arrays["dual_rows"].size}
    vectors |= {} if scaling is None else {"shift": weights.size, "scale": weights.size}
    _check(set(arrays) == {*vectors, "dual_rows"}, f"unexpected arrays {sorted(arrays)}")
    for name, size in vectors.items():
        _check(arrays[name].dtype == np.float64 and arrays[name].shape == (size,), f"{name} must be {size} float64")
        _check(bool(np.all(np.isfinite(arrays[name]))), f"{name} must be finite")
    rows = arrays["dual_rows"]
    _check(rows.dtype == np.int64 and rows.ndim == 1 and bool(np.all(np.diff(rows, prepend=-1) > 0)), "bad dual_rows")
    _check(weights.size > 0 and (scaling is None or bool(np.all(scaling.scale > 0.0))), "weights and scale are needed")
    names, columns, own_loss = (fields[name] for name in ("feature_names", "columns", "own_loss"))
    if columns is not None:
        columns = Columns(tuple(Column(str(name), c if c is None else tuple(map(str, c))) for name, c in columns))
        _check(len(columns.feature_names) == weights.size, "columns and weights disagree")
    _check(names is None or len(names) == weights.size, "feature_names and weights disagree")
    _check(np.isfinite(fields["intercept"]), "intercept must be finite")
    _check(fields["first_index"] in (None, 0, 1), "first_index must be 0 or 1")
    for name in ("status", "solver", "reason", "data_fingerprint", "subject"):
        _check(type(fields[name]) is str, f"{name} must be text")
    for name in ("label_name", "weights_name"):
        _check(fields[name] is None or type(fields[name]) is str, f"{name} must be text")
    _check(type(fields["certified"]) is bool, "certified must be true or false")
    options = _options_from_json(fields["options"])
    _check(options.standardize == (scaling is not None), "standardize and the stored scaling disagree")
    _check(options.fit_intercept or fields["intercept"] == 0.0, "an intercept in a model without one")
    _check((fields["classes"] is None) == (options.task == "regression"), "classes and task disagree")
    built = {
        "options": options if own_loss is None else options._replace(loss=OwnLoss(str(own_loss))),
        "weights": weights,
        "intercept": float(fields["intercept"]),
        "classes": None if fields["classes"] is None else _classes_from_json(fields["classes"]),
        "certificate": certificate_from_json(fields["certificate"], arrays),
        "passes": float(fields["passes"]),
        "scaling": scaling,
        "feature_names": None if names is None else tuple(map(str, names)),
        "columns": columns,
    }
    kept = {name: fields[name] for name in LinearModel._fields if name not in built}
    return LinearModel(**built, **kept)


KINDS: dict[str, _Kind] = {"linear": _Kind(LinearModel, _linear_to_parts, _linear_from_parts)}


def _options_to_json(options: FitOptions, own_loss: bool) -> dict[str, Any]:
    """Every option; a user's own loss is null here."""
    plain = {name: _plain(getattr(options, name)) for name in FitOptions._fields}
    solver, weight = options.solver, options.class_weight
    # Whatever kind of number a parameter is, its text is that of a Python float.
    plain["loss"] = None if own_loss else loss_text(type(options.loss)._make(map(float, options.loss)))
    if solver != "auto":
        plain["solver"] = {name_of(solver): {name: _plain(value) for name, value in solver._asdict().items()}}
    if weight is not None and weight != "balanced":
        plain["class_weight"] = [[_plain(label), float(value)] for label, value in weight.items()]
    return plain


def _options_from_json(data: dict[str, Any]) -> FitOptions:
    _check(set(data) == set(FitOptions._fields), f"unexpected options {sorted(data)}")
    _check(data["task"] in ("classification", "regression"), f"unknown task {data['task']!r}")
    solver, weight = data["solver"], data["class_weight"]
    if isinstance(solver, dict):
        ((name, parameters),) = solver.items()
        solver = SOLVERS[name](**parameters)
    if isinstance(weight, list):
        weight = dict(weight)
    return FitOptions(**{**data, "solver": solver, "class_weight": weight}).checked()


def _classes_to_json(classes: NDArray[Any]) -> dict[str, Any]:
    values = [_plain(value) for value in classes.tolist()]
    dtype = "object" if classes.dtype == object else classes.dtype.str
    kind = type(values[0]).__name__
    _check(kind in CLASS_TYPES, f"labels must be text, whole numbers, numbers or booleans, not {kind}")
    return {"type": kind, "dtype": dtype, "values": values}


def _classes_from_json(data: dict[str, Any]) -> NDArray[Any]:
    kind, letters = CLASS_TYPES[data["type"]]
    values, dtype = data["values"], data["dtype"]
    _check(len(values) == 2 and all(type(value) is kind for value in values) and values[0] < values[1], "bad classes")
    _check(
        dtype == "object" or bool(re.fullmatch(rf"[<>|][{letters}]\d{{1,4}}", dtype)), f"bad type of classes {dtype}"
    )
    classes = np.array(values, dtype=dtype)
    _check(classes.tolist() == values, "classes do not fit their type")
    return classes


def _name_of_own(loss: Any) -> str:
    return loss.name if isinstance(loss, OwnLoss) else name_of(loss)


def _plain(value: Any) -> Any:
    """A NumPy scalar as a Python one."""
    return value.item() if isinstance(value, np.generic) else value


def _check(is_true: bool | np.bool_, otherwise: str) -> None:
    if not is_true:
        raise ValueError(otherwise)
