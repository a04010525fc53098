"""Numbers that no computation gives, under a seal of their own: refused when read, or told, asked and verified.

Whoever edits a certificate can write any number. It may make the claim false, which `verify` says; it must not make the
words about it fail.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from empirisk.certificates import from_sealed_json, sealed_json
from tests.certificates.sealed import places, sealed_again
from tests.laws.certificate_cases import CASES, case

pytestmark = pytest.mark.interpreted

FLOATS = (0.0, -0.0, 5e-324, 1e-300, 1e-160, 1e160, 1e300, 1e308)
TEXTS = ("inf", "-inf", "nan")  # as numbers that JSON cannot hold are written
WHOLE = (0, 1, 2**31, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 10**400)


def extremes(value: Any) -> tuple[Any, ...]:
    """Other numbers of the same kind, very large and very small ones."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ()
    kind = FLOATS if isinstance(value, float) else WHOLE
    return (*kind, *(-x for x in kind), *(TEXTS if isinstance(value, float) else ()))


def forgeries(certificate: Any) -> Iterator[tuple[str, Any]]:
    """The certificate with one number changed, sealed again."""
    data = json.loads(json.dumps({k: v for k, v in sealed_json(certificate).items() if k != "seal"}))
    for path in places(data):
        altered = copy.deepcopy(data)
        spot = altered
        for key in path[:-1]:
            spot = spot[key]
        for value in extremes(spot[path[-1]]):
            spot[path[-1]] = value
            yield f"{'.'.join(map(str, path))} = {value}", sealed_again(copy.deepcopy(altered))


@pytest.mark.parametrize("name", CASES)
def test_what_loads_can_be_told_and_verified(name):
    certificate, problem, point = case(name)
    for what, forged in forgeries(certificate):
        try:
            loaded = from_sealed_json(forged)
        except ValueError:
            continue
        try:
            for tol in (1e-6, 0.5):
                loaded.words(tol)
                loaded.is_within(tol)
            loaded.sentence()
            loaded.verify(problem, point)
        except Exception as error:
            pytest.fail(f"{what}: {type(error).__name__}: {error}")
