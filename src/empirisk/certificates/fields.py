"""The fields of certificates as JSON has them: written, and refused one by one where they cannot be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import name_of

NOT_FINITE = ("inf", "-inf", "nan")


def number_text(x: float) -> float | str:
    """A number for JSON, which has no infinity: a plain float, whatever kernels gave (run interpreted, NumPy's)."""
    return float(x) if math.isfinite(x) else repr(float(x))


def number_of(data: Mapping[str, Any], name: str) -> float:
    """What `number_text` gave."""
    value = data[name]
    expect(is_number(value) or (isinstance(value, str) and value in NOT_FINITE), name)
    return float(value)


def fields_json(certificate: Any, names: Iterable[str]) -> dict[str, Any]:
    """These fields of a certificate, NumPy's as Python's: to write one that is not finite is an error."""
    fields = {name: getattr(certificate, name) for name in names}
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in fields.items()}


def numbers_json(certificate: Any, names: Iterable[str]) -> dict[str, float | str]:
    """These numbers of a certificate, of which some may be infinite."""
    return {name: number_text(getattr(certificate, name)) for name in names}


def text_of(data: Mapping[str, Any], name: str) -> str:
    """A text."""
    expect(isinstance(data[name], str), name)
    return str(data[name])


def count_of(data: Mapping[str, Any], name: str, least: int = 0) -> int:
    """A whole number from `least` on."""
    expect(is_integer(data[name]) and data[name] >= least, name)
    return int(data[name])


def flag_of(data: Mapping[str, Any], name: str) -> bool:
    """True or false."""
    expect(isinstance(data[name], bool), name)
    return bool(data[name])


def array_of(
    arrays: Mapping[str, NDArray[Any]], name: str, dtype: type[np.generic] = np.float64, ndim: int = 1, least: int = 0
) -> NDArray[Any]:
    """An array of this kind, finite, with so many entries or more; an empty one where it was left out."""
    array = arrays.get(name, np.empty((0,) * ndim, dtype))
    expect(array.dtype == dtype and array.ndim == ndim and array.size >= least, name)
    expect(array.dtype.kind != "f" or bool(np.all(np.isfinite(array))), name)
    return array


def check_names(cls: Any, data: Any, names: Iterable[str], arrays: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse what is not an object of the kind with these names, or has arrays that the kind does not know."""
    if not isinstance(data, dict) or data.get("kind") != name_of(cls):
        raise ValueError(f"this is not a certificate of the kind {name_of(cls)!r}")
    wanted = {"kind", *names}
    if set(data) != wanted:
        odd = sorted(set(data) ^ wanted)[0]
        raise ValueError(f"a {name_of(cls)!r} certificate has the fields {', '.join(sorted(wanted))}; not {odd!r}")
    unexpected = sorted(set(arrays) - set(known))
    if unexpected:
        raise ValueError(f"a {name_of(cls)!r} certificate has no array {unexpected[0]!r}")


def expect_numbers(data: Mapping[str, Any], names: Iterable[str]) -> None:
    """Refuse fields that are not finite numbers."""
    for name in names:
        expect(is_number(data[name]), name)


def expect(is_so: bool | np.bool_, name: str) -> None:
    """Refuse a field of a certificate that cannot be."""
    if not is_so:
        raise ValueError(f"the field {name!r} of the certificate is not what it can be")


def is_integer(x: object) -> bool:
    """Whether x is an integer, truth values excluded."""
    return isinstance(x, int) and not isinstance(x, bool)


def is_number(x: object) -> bool:
    """Whether x is a finite float."""
    return isinstance(x, float) and math.isfinite(x)
