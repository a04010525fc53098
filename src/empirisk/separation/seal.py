"""What both certificates share: the data they speak of, and the way to JSON and back.

A seal is a digest of every field. It finds damage and careless edits; whoever edits a certificate and seals it again
still has to state the truth, which `verify` recomputes.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import numpy as np

from empirisk.protocols import name_of
from empirisk.rows.fingerprint import fingerprint
from empirisk.separation.points import Points, points_of

MOST_ROWS = 2**62
DATA = ("n_rows", "n_columns", "fit_intercept", "classes", "fingerprint")  # fields of both certificates


def data_fields(points: Points) -> dict[str, Any]:
    """The fields that bind a certificate to data."""
    return {
        "n_rows": points.n_rows,
        "n_columns": points.n_columns,
        "fit_intercept": points.fit_intercept,
        "classes": plain_classes(points),
        "fingerprint": fingerprint(points.design, points.y, None),
    }


def plain_classes(points: Points) -> tuple[Any, Any]:
    """The two labels as JSON can hold them: numbers, truth values and text as they are, others as text."""
    first, last = (x if isinstance(x, (str, int, float, bool)) else str(x) for x in points.classes.tolist())
    return first, last


def points_meant(certificate: Any, X: Any, y: Any) -> Points | str:
    """X and y, or the sentence that says why they are not the data of the certificate, or that it was damaged."""
    if certificate.seal != seal_of(certificate):
        return "The certificate was altered: its seal does not fit its fields."
    try:
        points = points_of(X, y, certificate.fit_intercept)
    except (ValueError, TypeError) as error:
        return f"The data cannot be those of the certificate: {error}."
    for name, value in data_fields(points).items():
        if getattr(certificate, name) != value:
            return f"The certificate speaks of other data: its {name} is {getattr(certificate, name)}, not {value}."
    return points


def sealed(certificate: Any) -> Any:
    """The same with its seal."""
    return certificate._replace(seal=seal_of(certificate))


def seal_of(certificate: Any) -> str:
    """32 hexadecimal digits of the digest of all other fields."""
    try:
        return _digest(certificate.to_json())
    except (TypeError, AttributeError):
        return "none, as a field is of another kind than it can be"


def json_fields(certificate: Any) -> dict[str, Any]:
    """The kind and every field; Python writes floats so that they come back as the same bits."""
    return {"kind": name_of(certificate), **{k: _plain(v) for k, v in certificate._asdict().items()}}


def check_names(cls: Any, data: Any, *others: str) -> None:
    """Refuse what is not an object with the kind, the fields and these others."""
    known = {"kind", *cls._fields, *others}
    if not isinstance(data, dict) or data.get("kind") != name_of(cls):
        raise ValueError(f"this is not a certificate of the kind {name_of(cls)!r}")
    if set(data) != known:
        odd = sorted(set(data) ^ known)[0]
        raise ValueError(
            f"a {name_of(cls)!r} certificate has the fields {', '.join(cls._fields)}; {odd!r} does not fit"
        )


def fields_from_json(cls: Any, data: Any) -> dict[str, Any]:
    """What `json_fields` gave, checked for kind, names and seal; arrays are still lists."""
    check_names(cls, data)
    if data["seal"] != _digest(data):
        raise ValueError("the certificate was altered: its seal does not fit its fields")
    fields = {k: v for k, v in data.items() if k != "kind"}
    expect(isinstance(fields["classes"], list) and len(fields["classes"]) == 2, "classes")
    expect(isinstance(fields["fit_intercept"], bool), "fit_intercept")
    for name in ("n_rows", "n_columns"):
        expect(is_integer(fields[name]) and fields[name] > 0, name)
    expect(isinstance(fields["fingerprint"], str), "fingerprint")
    return {**fields, "classes": tuple(fields["classes"])}


def expect(is_so: bool, name: str) -> None:
    """Refuse a field of a certificate that cannot be."""
    if not is_so:
        raise ValueError(f"the field {name!r} of the certificate is not what it can be")


def is_integer(x: Any) -> bool:
    """Whether x is an integer, truth values excluded."""
    return isinstance(x, int) and not isinstance(x, bool)


def is_row(x: Any) -> bool:
    """Whether x is the number of a row."""
    return is_integer(x) and 0 <= x < MOST_ROWS


def is_number(x: Any) -> bool:
    """Whether x is a finite float."""
    return isinstance(x, float) and math.isfinite(x)


def _digest(fields: dict[str, Any]) -> str:
    claimed = {k: _condensed(v) for k, v in fields.items() if k != "seal"}
    return hashlib.sha256(json.dumps(claimed, sort_keys=True, default=repr).encode()).hexdigest()[:32]


def _condensed(value: Any) -> Any:
    """A list of floats as the digest of their bytes: writing thousands of them as text takes its time."""
    if isinstance(value, list) and value and all(type(x) is float for x in value):
        return ["float64", len(value), hashlib.sha256(np.array(value, dtype="<f8").tobytes()).hexdigest()]
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value
