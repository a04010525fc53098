"""A function of one variable as curves: sampled, broken where it jumps, and cut where it is infinite."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

from tools.documentation.drawing import Point

Function = Callable[[float], float]

PER_UNIT = 40  # samples in an interval of length 1
HALVINGS = 45
JUMP = 1e-3  # a change over a vanishing interval that is a jump
BESIDE = 1e-9  # how close to a jump its two sides are looked at


class Curves(NamedTuple):
    """The pieces of a graph, the places of its jumps with the value taken there, and the ends of its domain."""

    pieces: list[list[Point]]
    jumps: list[Point]
    ends: list[Point]


def curves(function: Function, low: float, high: float) -> Curves:
    """The graph over [low, high]."""
    count = round((high - low) * PER_UNIT)
    places = [low + k / PER_UNIT for k in range(count + 1)]
    jumps: set[float] = set()
    ends: set[float] = set()
    for a, b in itertools.pairwise(places):
        if math.isfinite(function(a)) != math.isfinite(function(b)):
            ends.add(_end(function, a, b))
        elif math.isfinite(function(a)):
            jumps |= _jump(function, a, b)
    pieces = []
    for a, b in itertools.pairwise(sorted({low, *jumps, *ends, high})):
        if math.isfinite(function(0.5 * (a + b))):
            inner = [x for x in places if a + BESIDE < x < b - BESIDE]
            pieces.append([(x, function(x)) for x in (a + BESIDE, *inner, b - BESIDE)])
    return Curves(pieces, *([(x, function(x)) for x in sorted(found)] for found in (jumps, ends)))


def _jump(function: Function, a: float, b: float) -> set[float]:
    """Where the function jumps between a and b, if it does."""
    for _ in range(HALVINGS):
        if abs(function(b) - function(a)) <= JUMP:
            return set()
        middle = 0.5 * (a + b)
        left, right = abs(function(middle) - function(a)), abs(function(b) - function(middle))
        a, b = (a, middle) if left > right else (middle, b)
    return {round(0.5 * (a + b), 6) + 0.0}  # no minus zero


def _end(function: Function, a: float, b: float) -> float:
    """The last place of the domain between a, on one side of it, and b, on the other."""
    inside, outside = (a, b) if math.isfinite(function(a)) else (b, a)
    for _ in range(HALVINGS):
        middle = 0.5 * (inside + outside)
        inside, outside = (middle, outside) if math.isfinite(function(middle)) else (inside, middle)
    return inside
