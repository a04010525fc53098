"""A model of sequences as JSON and arrays, and back: names of attributes are bytes, never JSON."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.features import Features
from empirisk.chains.layout import Layout
from empirisk.chains.scoring import TokenErrors
from empirisk.model_file.certificate_parts import PREFIX as CERTIFICATE
from empirisk.model_file.certificate_parts import certificate_arrays, certificate_from_parts
from empirisk.model_file.checks import Arrays, check, check_fields, check_floats, check_number
from empirisk.model_file.names_parts import classes_from_json, classes_to_json
from empirisk.model_file.registry import register
from empirisk.models.chains.model import ChainModel
from empirisk.models.chains.options import ChainOptions

FEATURES, LAYOUT = "features.", "layout."  # what the names of their arrays begin with
TEXTS = ("status", "solver", "reason", "data_fingerprint", "subject")
FIELDS = (*TEXTS, "options", "features", "layout", "classes", "certificate", "certified", "passes", "errors")
OF_FILE = ("label_name", "file_format")
NOT_STORED = ("templates", "solver", "cost")  # of the options: the features have the first


def chain_to_parts(model: ChainModel) -> tuple[dict[str, Any], Arrays]:
    """Fields for JSON, and arrays; empty arrays are left out."""
    options, layout, certificate = model.options, model.layout, model.certificate
    is_named = isinstance(options.cost, str)
    fields = {
        **{name: getattr(model, name) for name in TEXTS},
        "options": {
            **{name: value for name, value in options._asdict().items() if name not in NOT_STORED},
            "cost": options.cost if is_named else np.asarray(options.cost, dtype=np.float64).tolist(),
            "solver": options.solver if isinstance(options.solver, str) else model.solver,
        },
        "features": model.features.to_json(),
        "layout": {"n_dense": layout.n_dense, "has_ends": layout.has_ends, "is_full": _is_full(layout)},
        "classes": classes_to_json(model.classes),
        "certificate": None if certificate is None else certificate.to_json(),
        "certified": bool(model.certified),
        "passes": float(model.passes),
        "errors": model.errors._asdict(),
        "label_name": model.label_name,
        "file_format": model.file_format,
    }
    arrays: Arrays = {"weights": model.weights, LAYOUT + "is_free": layout.is_free.astype(np.uint8)}
    if not _is_full(layout):
        counts = np.diff(layout.state_starts)
        kind = np.uint8 if layout.n_labels <= 256 else np.uint16
        arrays |= {LAYOUT + "counts": counts.astype(np.int32), LAYOUT + "labels": layout.state_labels.astype(kind)}
    arrays |= {FEATURES + name: array for name, array in model.features.to_arrays().items()}
    if certificate is not None:
        arrays |= certificate_arrays(certificate)
    return fields, {name: array for name, array in arrays.items() if array.size}


def chain_from_parts(fields: dict[str, Any], arrays: Arrays) -> ChainModel:
    """What `chain_to_parts` gave, checked."""
    check_fields(fields, (*FIELDS, *OF_FILE), "the model")
    for name in TEXTS:
        check(type(fields[name]) is str, f"{name} must be text")
    check(type(fields["certified"]) is bool, "certified must be true or false")
    for name in OF_FILE:
        check(fields[name] is None or type(fields[name]) is str, f"{name} must be text")
    passes = check_number(fields["passes"], "passes")
    classes = classes_from_json(fields["classes"])
    own = {name.removeprefix(FEATURES): array for name, array in arrays.items() if name.startswith(FEATURES)}
    features = Features.from_arrays(fields["features"], own)
    layout = _layout(fields["layout"], arrays, classes.size, features)
    weights = check_floats(arrays, "weights", (layout.size,))
    proof = {name: array for name, array in arrays.items() if name.startswith(CERTIFICATE)}
    known = {
        "weights",
        *(LAYOUT + name for name in ("is_free", "counts", "labels")),
        *(FEATURES + name for name in own),
    }
    odd = sorted(set(arrays) - known - set(proof))
    check(not odd, f"unexpected arrays {odd}")
    options = _options(fields["options"], features)
    certificate = None if fields["certificate"] is None else certificate_from_parts(fields["certificate"], proof)
    is_within = certificate is not None and certificate.is_within(options.tol)
    check(is_within or not fields["certified"], "certified, with a certificate that does not prove it")
    return ChainModel(
        options=options,
        features=features,
        layout=layout,
        weights=weights,
        classes=classes,
        certificate=certificate,
        passes=passes,
        errors=_errors(fields["errors"]),
        certified=fields["certified"],
        **{name: fields[name] for name in (*TEXTS, *OF_FILE)},
    )


def _is_full(layout: Layout) -> bool:
    """Whether each attribute has all labels, in their order."""
    return int(layout.state_labels.size) == layout.n_attributes * layout.n_labels


def _layout(data: Any, arrays: Arrays, n_labels: int, features: Features) -> Layout:
    check_fields(data, ("n_dense", "has_ends", "is_full"), "the layout")
    n_dense = data["n_dense"]
    check(n_dense == features.n_dense, "the number of dense features is not that of the layout")
    check(type(data["has_ends"]) is bool and type(data["is_full"]) is bool, "flags of the layout must be true or false")
    is_free = arrays[LAYOUT + "is_free"]
    check(is_free.shape == (n_labels, n_labels) and is_free.dtype == np.uint8, "is_free must be a label by a label")
    check(bool(np.all(is_free <= 1)), "is_free must be 0 or 1")
    n = features.n_attributes
    if data["is_full"]:
        counts, labels = np.full(n, n_labels), np.tile(np.arange(n_labels, dtype=np.uint16), n)
    elif n:
        counts, labels = _pairs(arrays, n, n_labels)
    else:
        counts, labels = np.zeros(0, np.int64), np.zeros(0, np.uint16)
    starts = np.zeros(n + 1, np.int64)
    np.cumsum(counts, out=starts[1:])
    return Layout(starts, labels, n_labels, n_dense, data["has_ends"], is_free.astype(np.bool_))


def _pairs(arrays: Arrays, n: int, n_labels: int) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
    counts = arrays[LAYOUT + "counts"]
    check(counts.dtype == np.int32 and counts.shape == (n,) and bool(np.all(counts >= 0)), "counts must be one a name")
    total = int(counts.sum(dtype=np.int64))
    labels = arrays.get(LAYOUT + "labels", np.zeros(0, np.uint8))
    check(labels.dtype in (np.uint8, np.uint16) and labels.shape == (total,), "labels must be one a weight")
    check(not total or int(labels.max()) < n_labels, "a weight of no label")
    return counts.astype(np.int64), labels.astype(np.uint16)


def _options(data: Any, features: Features) -> ChainOptions:
    names = [name for name in ChainOptions._fields if name != "templates"]
    check_fields(data, names, "the options")
    check(type(data["cost"]) in (str, list) and type(data["solver"]) is str, "bad cost or solver")
    cost = data["cost"] if isinstance(data["cost"], str) else np.array(data["cost"], dtype=np.float64)
    return ChainOptions(**{**data, "cost": cost}, templates=features.templates).checked()


def _errors(data: Any) -> TokenErrors:
    check_fields(data, TokenErrors._fields, "the errors")
    check(all(type(value) is int and value >= 0 for value in data.values()), "errors must be whole numbers")
    found = TokenErrors(**data)
    check(found.wrong_tokens <= found.tokens and found.wrong_sequences <= found.sequences, "more errors than tokens")
    return found


register(ChainModel, chain_to_parts, chain_from_parts)
