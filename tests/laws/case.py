"""A certificate, with the problem and the point that it speaks of."""

from __future__ import annotations

from typing import Any, NamedTuple

import empirisk as er


class Case(NamedTuple):
    certificate: Any
    problem: Any
    point: Any  # None where the certificate holds it


def solved(problem: Any, **asked: Any) -> Case:
    found = er.minimize(problem, **asked)
    return Case(found.certificate, problem, found.point)
