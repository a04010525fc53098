"""The certificate of a model as JSON and arrays, and back: the same for every model."""

from __future__ import annotations

from typing import Any

from empirisk.certificates import certificate_from_json
from empirisk.model_file.checks import Arrays, check
from empirisk.protocols import Certificate

PREFIX = "certificate."  # what the names of its arrays begin with


def certificate_arrays(certificate: Certificate) -> Arrays:
    """Its arrays under their names in the file."""
    return {PREFIX + name: array for name, array in certificate.arrays().items()}


def certificate_from_parts(data: dict[str, Any], arrays: Arrays) -> Certificate:
    """What its `to_json` and `certificate_arrays` gave; `arrays` are all that no other part of the model took."""
    unexpected = sorted(name for name in arrays if not name.startswith(PREFIX))
    check(not unexpected, f"unexpected arrays {unexpected}")
    return certificate_from_json(data, {name.removeprefix(PREFIX): array for name, array in arrays.items()})
