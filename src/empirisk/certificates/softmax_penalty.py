"""The elastic net and its conjugate at the weights and at the dual point of a softmax problem, with their rounding.

Arrays are d x K: a column for each class. Sums run over the classes and then, compensated, over the columns.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import UNIT, add_compensated, norm
from empirisk.certificates.penalty_dual import assumed_radius
from empirisk.compiled import kernel
from empirisk.protocols import Matrix, Vector


class Reach(NamedTuple):
    """A bound on ||W||_F of every minimiser, and whether it is only assumed."""

    bound: float
    assumed: bool

    @classmethod
    def of(cls, regularizer: Any, weights: Matrix, objective: float, row_norm: float) -> Reach:
        """From Omega(W) <= P: l2/2 ||W||^2 and l1 ||W|| are at most that; without both, some times the weights."""
        l1, l2 = regularizer.l1, regularizer.l2
        if l1 == 0.0 and l2 == 0.0:
            return cls(assumed_radius(norm(weights), row_norm), True)
        by_l1 = objective / l1 if l1 > 0.0 else math.inf
        by_l2 = math.sqrt(2.0 * objective / l2) if l2 > 0.0 else math.inf
        return cls(1.001 * min(by_l1, by_l2), False)


class PenaltyDual(NamedTuple):
    """Omega* at the dual point, brought into its domain as in `dual_value`.

    For l2 = 0 < l1 every u_i is scaled down until all |V_jc| <= l1, which keeps its row a distribution; for
    l1 = l2 = 0, where only V = 0 would do, ||V||_F is charged: <W, V> <= reach ||V||_F for every ||W||_F <= reach.
    """

    value: float  # with the charge
    error: float  # bound on its rounding
    factor: float = 1.0  # of u
    weights_radius: float = math.inf  # of the claim

    @classmethod
    def at(cls, regularizer: Any, v: Matrix, off: Vector, reach: Reach) -> PenaltyDual:
        """At V, of which column c is off by at most off[c], in norm."""
        l1, l2 = regularizer.l1, regularizer.l2
        if l2 == 0.0 and l1 > 0.0:
            largest = float(np.max(np.abs(v) + off)) * (1.0 + 8.0 * UNIT)  # rounded up: the scaled point is inside
            return cls(0.0, 0.0, 1.0 if largest <= l1 else l1 / largest * (1.0 - 4.0 * UNIT))
        if l2 == 0.0:
            value, error = reach.bound * norm(v) * (1.0 + 1e-12), 1.01 * reach.bound * norm(off)
            return cls(value, error + 4.0 * UNIT * value, 1.0, reach.bound if value + error > 0.0 else math.inf)
        norms = np.zeros(off.size)
        value = float(_conjugate(v, l1, l2, norms))
        error = UNIT * 1.01 * (off.size + 16) * value
        return cls(value, error + 1.01 * float(norms @ off) + 1.01 * float(off @ off) / (2.0 * l2))


def penalty_and_norms(regularizer: Any, weights: Matrix) -> tuple[float, Vector]:
    """Omega, and the norm of the weights of each class, rounded up."""
    norms = np.zeros(weights.shape[1])
    return float(_penalty(weights, regularizer.l1, regularizer.l2, norms)), norms


@kernel
def _penalty(w, l1, l2, norms):
    total = 0.0
    rest = 0.0
    for j in range(w.shape[0]):
        part = 0.0
        for c in range(w.shape[1]):
            squared = w[j, c] * w[j, c]
            part += l1 * abs(w[j, c]) + 0.5 * l2 * squared
            norms[c] += squared
        total, rest = add_compensated(total, rest, part)
    _to_norms(norms)
    return total + rest


@kernel
def _conjugate(v, l1, l2, norms):
    """Writes the norms of the maximiser."""
    total = 0.0
    rest = 0.0
    for j in range(v.shape[0]):
        part = 0.0
        for c in range(v.shape[1]):
            excess = max(0.0, abs(v[j, c]) - l1)
            maximizer = excess / l2
            part += 0.5 * excess * maximizer
            norms[c] += maximizer * maximizer
        total, rest = add_compensated(total, rest, part)
    _to_norms(norms)
    return total + rest


@kernel
def _to_norms(squares):
    for c in range(squares.size):
        squares[c] = 1.001 * (math.sqrt(squares[c]) + 1e-150)  # squares of smaller weights vanish
