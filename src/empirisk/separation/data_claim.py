"""What certificates about planes share: the data that they speak of.

Such a certificate holds the point that it is about, and says which problem it belongs to: with the data alone it can be
checked, and it can be a file of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.certificates.fields import count_of, expect, flag_of, text_of
from empirisk.certificates.verification import digest
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Verification
from empirisk.rows.fingerprint import fingerprint
from empirisk.separation.points import Points

MOST_ROWS = 2**62
DATA = ("n_rows", "n_columns", "fit_intercept", "classes", "fingerprint")  # fields that bind a certificate to data


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


def refused(certificate: Any, points: object, point: LinearPoint | None) -> Verification | None:
    """The verdict where these are not the data of the certificate, or the point is not its plane; else None."""
    if not isinstance(points, Points):
        return Verification(False, f"The certificate speaks of two classes of points, not of {type(points).__name__}.")
    for name, value in data_fields(points).items():
        claim = getattr(certificate, name)
        if _with_types(claim) != _with_types(value):
            return Verification(False, f"The certificate speaks of other data: its {name} is {claim}, not {value}.")
    if point is not None and digest(point) != digest(LinearPoint(certificate.weights, certificate.intercept)):
        return Verification(False, "The certificate speaks of other weights than these.")
    return None


def _with_types(value: Any) -> list[tuple[type, Any]]:
    """For a comparison that keeps 1, 1.0 and true apart."""
    return [(type(x), x) for x in (value if isinstance(value, tuple) else (value,))]


def data_to_json(certificate: Any) -> dict[str, Any]:
    """The fields that bind it to data, for JSON."""
    return {**{name: getattr(certificate, name) for name in DATA}, "classes": list(certificate.classes)}


def data_from_json(data: Mapping[str, Any]) -> dict[str, Any]:
    """What `data_to_json` gave, checked."""
    classes = data["classes"]
    expect(isinstance(classes, list) and len(classes) == 2, "classes")
    expect(all(isinstance(x, (str, int, float, bool)) for x in classes), "classes")
    return {
        "n_rows": size_of(data, "n_rows"),
        "n_columns": size_of(data, "n_columns"),
        "fit_intercept": flag_of(data, "fit_intercept"),
        "classes": tuple(classes),
        "fingerprint": text_of(data, "fingerprint"),
    }


def size_of(data: Mapping[str, Any], name: str) -> int:
    """A number of rows or columns."""
    size = count_of(data, name, 1)
    expect(size <= MOST_ROWS, name)
    return size


def within(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Arrays of a certificate that is part of another, under its name there."""
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def out_of(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """What `within` was given."""
    start = f"{prefix}."
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}


def are_rows(rows: Any, n: int) -> bool:
    """Whether an array holds numbers of rows."""
    return isinstance(rows, np.ndarray) and rows.size > 0 and bool(rows.min() >= 0 and rows.max() < n)
