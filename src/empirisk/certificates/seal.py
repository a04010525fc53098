"""A certificate as a JSON object of its own, with a seal.

The seal is a digest of all that is written. It finds damage and careless edits; whoever edits a certificate and seals
it again still has to state the truth, which `verify` recomputes. A model file has a seal over all of its bytes instead.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.certificates.registry import certificate_from_json
from empirisk.protocols import Certificate

# That arrays of certificates may have, and their numbers.
DTYPES = {"float64": float, "int64": int, "int32": int, "uint8": int}


def sealed_json(certificate: Certificate) -> dict[str, Any]:
    """Numbers, texts, arrays and the seal; Python writes floats so that they come back as the same bits."""
    arrays = {name: _to_json(array) for name, array in certificate.arrays().items()}
    data = {**certificate.to_json(), "arrays": arrays}
    return {**data, "seal": seal_of(data)}


def from_sealed_json(data: Any) -> Certificate:
    """The certificate that `sealed_json` was made from; ValueError for anything else."""
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
        raise ValueError("this is not a certificate")
    if "seal" not in data:
        raise ValueError("the certificate has no seal: it is a part of a model or of a report, not a file of its own")
    if data["seal"] != seal_of(data):
        raise ValueError("the certificate was altered: its seal does not fit its fields")
    arrays = data.get("arrays")
    if not isinstance(arrays, dict):
        raise ValueError("the certificate has no arrays")
    fields = {name: value for name, value in data.items() if name not in ("arrays", "seal")}
    return certificate_from_json(fields, {name: _from_json(name, array) for name, array in arrays.items()})


def seal_of(data: dict[str, Any]) -> str:
    """32 hexadecimal digits of the digest of all but the seal."""
    claimed = {name: value for name, value in data.items() if name != "seal"}
    return hashlib.sha256(json.dumps(claimed, sort_keys=True).encode()).hexdigest()[:32]


def _to_json(array: NDArray[Any]) -> dict[str, Any]:
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": array.ravel().tolist()}


def _from_json(name: str, data: Any) -> NDArray[Any]:
    said = f"the array {name!r} of the certificate cannot be read"
    if not isinstance(data, dict) or set(data) != {"dtype", "shape", "values"} or data["dtype"] not in tuple(DTYPES):
        raise ValueError(said)
    kind, shape, values = DTYPES[data["dtype"]], data["shape"], data["values"]
    if not isinstance(values, list) or not all(type(x) is kind for x in values):
        raise ValueError(said)
    if not isinstance(shape, list) or not all(type(x) is int and x >= 0 for x in shape):
        raise ValueError(said)
    if math.prod(shape) != len(values):
        raise ValueError(said)
    try:
        return np.array(values, dtype=data["dtype"]).reshape(shape)
    except (OverflowError, ValueError):
        raise ValueError(said) from None
