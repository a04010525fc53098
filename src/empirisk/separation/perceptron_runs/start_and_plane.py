"""How the start of a run lies to the plane that bounds its mistakes."""

from __future__ import annotations

import math

import numpy as np

from empirisk.protocols import Vector
from empirisk.separation.plane import Separation


def inner_and_square(plane: Separation, start_weights: Vector, start_intercept: float) -> tuple[float, float]:
    """<w*, w_0> and ||w_0||^2, for the plane shrunk until its least margin is 1, whose norm is b_high.

    Weights that are empty stand for zero.
    """
    start = np.append(start_weights, start_intercept)
    whole = np.append(plane.weights if start_weights.size else [], plane.intercept)
    with np.errstate(all="ignore"):
        inner, square = _sum(whole * start), _sum(start * start)
    return inner * min(1.0, plane.b_high / plane_norm(plane)), square


def plane_norm(plane: Separation) -> float:
    """||(w, b)||, scaled by a power of two so that no square overflows or vanishes."""
    whole = np.append(plane.weights, plane.intercept)
    power = int(np.frexp(np.max(np.abs(whole)))[1])
    size = math.sqrt(_sum(np.ldexp(whole, -power) ** 2))
    return float(np.ldexp(size, power))


def _sum(terms: Vector) -> float:
    """Their sum, in full precision where it is finite."""
    rough = float(np.sum(terms))
    return math.fsum(terms.tolist()) if math.isfinite(rough) else rough
