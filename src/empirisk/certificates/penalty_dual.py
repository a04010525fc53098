"""The regularizer's part of a dual value: Omega* at the dual point, repaired, with a bound on its rounding."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.arithmetic import TINY, UNIT, norm
from empirisk.capabilities import is_quadratic, offers
from empirisk.compiled import kernel
from empirisk.designs.row_norm import LEAST, MOST
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.passes import penalty
from empirisk.protocols import Array, Vector

RADII = 10.0  # a radius that must be assumed is this many times the size of the answer, and at least one unit


class PenaltyDual(NamedTuple):
    """Omega* at the dual point, brought into its domain.

    Where the conjugate is infinite at v (l2 = 0), u is scaled down until it is finite, which costs no claim; where
    only v = 0 would do, or an exact equality, the nearest point p of the domain is taken and the distance charged:
    <w, v> - Omega(w) <= Omega*(p) + reach ||v - p|| for every ||w|| <= reach.
    """

    is_flat: bool  # Omega* is zero at v, and within its rounding, for certain
    scale: float  # of u
    omega: float  # Omega* there
    charge: float
    maximizer: Vector

    @classmethod
    def at(cls, problem: LinearRisk, v: Vector, v_error: float, reach: float) -> PenaltyDual:
        """Scale where that can work, else charge."""
        m = problem.regularizer.strong_convexity()
        if is_quadratic(problem.regularizer) and m > 0.0:  # finite everywhere, and in closed form
            q = v / m
            return cls(False, 1.0, 0.5 * float(q @ v), 0.0, q)
        q, p = np.zeros(v.size), v
        scale = float(_dual_scale(problem.regularizer, v, v_error))
        is_inside = scale > 0.0  # and so is its rounding
        if is_inside:
            p, scale = (scale * v, scale * (1.0 - 4.0 * UNIT)) if scale < 1.0 else (v, 1.0)
            charge = 0.0
        else:
            p, scale = np.empty(v.size), 1.0
            _nearest_dual(problem.regularizer, v, p)
            distance = norm(v - p)
            # p lies in the domain only up to its own rounding.
            charge = reach * (distance * (1.0 + 1e-12) + 8.0 * UNIT * norm(p)) if distance > 0.0 else 0.0
        omega = float(_omega_dual(problem.regularizer, p, q))
        is_flat = is_inside and omega == 0.0 and not np.any(q)
        if is_flat and v_error > 0.0:
            is_flat = not any(np.any(_maximizer(problem, p + e)) for e in (scale * v_error, -scale * v_error))
        return cls(is_flat, scale, omega, charge, q)

    def error(self, problem: LinearRisk, w: Vector, v: Vector, v_error: float, along_w: float, reach: float) -> float:
        """How far Omega* may be off: v_j is off by at most e_j = terms * UNIT * (1/S) sum_i s_i |u_i x_ij|.

        With strong convexity m that is <|q|, e> + ||e||^2 / (2 m), where |q| <= |w| + |q - w|; without, reach ||e||.
        """
        q, m = self.maximizer, problem.regularizer.strong_convexity()
        # Terms of Omega* may cancel: those of <q, v> and of Omega(q) each count with their size.
        along, distance = float(np.abs(q * v).sum()), _length(q - w)
        size = along + _length(q) * _length(v) + abs(penalty(problem, q)) + abs(self.omega)
        bound = problem.regularizer.norm_bound()
        if math.isfinite(bound) and not offers(problem.regularizer, "interval"):
            size += 64.0 * m * bound * bound  # projections are rounded, but for cutting off at the ends of intervals
        size += vanishing(problem, q) + 4.0 * TINY * float(np.abs(v).sum())
        evaluation = 1.01 * (v.size + 8) * UNIT * size
        if m > 0.0:
            return evaluation + along_w + 1.01 * distance * v_error + 1.01 * v_error * (v_error / (2.0 * m))
        if v_error == 0.0 or self.is_flat:
            return evaluation
        return evaluation + 1.01 * reach * v_error


def reach_of(problem: LinearRisk, w: Array, room: float, row_norm: float, unit: float) -> tuple[float, bool]:
    """A bound on ||w|| of every minimiser, over all classes where there are many, and whether it is only assumed.

    `room` is the distance of the objective to a lower bound of the mean loss: Omega of a minimiser is at most that.
    `unit` is that of the scores.
    """
    regularizer = problem.regularizer
    proven = float(regularizer.norm_bound())
    room, m, growth = max(0.0, room), regularizer.strong_convexity(), regularizer.growth()
    if m > 0.0:
        proven = min(proven, 1.001 * math.sqrt(room) * math.sqrt(2.0 / m))
    if growth > 0.0:
        proven = min(proven, 1.001 * room / growth)
    if math.isfinite(proven):
        return proven, False
    return assumed_radius(norm(w), row_norm, unit), True


def assumed_radius(size: float, row_norm: float, unit: float) -> float:
    """Weights ten times as large as these, or as those that move the score of the longest row by one unit."""
    return RADII * max(size, unit / row_norm if row_norm > 0.0 else unit)


def penalty_error(problem: LinearRisk, w: Vector, omega: float) -> float:
    """How far Omega(w) may be off, as a sum of d terms whose sizes sum to it, unless Omega says otherwise."""
    return 1.01 * (w.size + 8) * UNIT * (omega_size(problem, w, omega) + vanishing(problem, w))


def omega_size(problem: LinearRisk, w: Vector, omega: float) -> float:
    """The size of the terms of Omega(w), which may cancel: what Omega says, or its value."""
    return float(_value_size(problem.regularizer, w)) if offers(problem.regularizer, "value_size") else abs(omega)


def vanishing(problem: LinearRisk, w: Vector) -> float:
    """The size of terms of Omega as whose rounding counts what its products lose where they underflow; 0 for w = 0."""
    size, strength = float(np.abs(w).sum()), problem.regularizer.growth() + problem.regularizer.strong_convexity()
    return 4.0 * TINY * (size + w.size) * (1.0 + strength) if size > 0.0 else 0.0


def least_penalty(problem: LinearRisk) -> float:
    """A lower bound of Omega: minus its conjugate at zero."""
    if is_quadratic(problem.regularizer):
        return 0.0
    d = problem.rows.n_columns
    at_zero = float(_omega_dual(problem.regularizer, np.zeros(d), np.empty(d)))
    return -at_zero - 64.0 * (d + 8) * UNIT * abs(at_zero)


def _maximizer(problem: LinearRisk, v: Vector) -> Vector:
    q = np.zeros(v.size)
    _omega_dual(problem.regularizer, v, q)
    return q


@kernel
def _omega_dual(regularizer, v, maximizer):
    regularizer.maximizer(v, maximizer)
    return regularizer.conjugate(v)


@kernel
def _value_size(regularizer, w):
    return regularizer.value_size(w)


@kernel
def _dual_scale(regularizer, v, error):
    return regularizer.dual_scale(v, error)


@kernel
def _nearest_dual(regularizer, v, out):
    regularizer.nearest_dual(v, out)


def _length(x: Vector) -> float:
    """||x||, to a few digits: the squares are summed in any order where they neither overflow nor vanish."""
    square = float(x @ x)
    return math.sqrt(square) if LEAST <= square <= MOST else norm(x)
