"""Certificates as sealed JSON, whole, changed in one place, and sealed again."""

import copy
import json

import pytest

import empirisk as er
from empirisk.certificates import from_sealed_json, sealed_json
from empirisk.certificates.seal import seal_of


def as_text(certificate):
    """What a file holds."""
    return json.dumps(sealed_json(certificate))


def through_text(certificate):
    """The certificate, written and read again."""
    return from_sealed_json(json.loads(as_text(certificate)))


def sealed_again(data):
    """The same with the seal that fits."""
    return {**data, "seal": seal_of(data)}


def places(data, path=()):
    """The paths to all numbers and texts; of a list, to the one in the middle, and to a list that is empty."""
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from places(value, (*path, key))
    elif isinstance(data, list) and data:
        yield from places(data[len(data) // 2], (*path, len(data) // 2))
    else:
        yield path


def changed(data, path):
    """The same with another value of the same type at this place."""
    altered = copy.deepcopy(data)
    spot = altered
    for key in path[:-1]:
        spot = spot[key]
    spot[path[-1]] = _other(spot[path[-1]])
    return altered


def assert_alterations_are_refused(certificate):
    """Its sealed JSON with any one value changed, or any field left out; its fields without any one of them."""
    data, fields = sealed_json(certificate), certificate.to_json()
    for path in places(data):
        with pytest.raises(ValueError, match="certificate"):
            from_sealed_json(changed(data, path))
    for lacking in data:
        with pytest.raises(ValueError, match="certificate"):
            from_sealed_json({k: v for k, v in data.items() if k != lacking})
    for lacking in fields:
        with pytest.raises(ValueError, match="certificate"):
            type(certificate).from_json({k: v for k, v in fields.items() if k != lacking}, certificate.arrays())


def _other(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str):
        return ("0" if value[:1] != "0" else "1") + value[1:]
    return 1


def is_refused(certificate, *data):
    """Whether a certificate under a seal of its own cannot be read, or its claim is found to be false of the data."""
    try:
        again = through_text(certificate)
    except ValueError:
        return True
    return not er.verify(again, *data).holds
