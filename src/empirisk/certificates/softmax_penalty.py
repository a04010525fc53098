"""The elastic net and its conjugate at the weights and at the dual point of a softmax problem, with their rounding.

Arrays are d x K: a column for each class. Sums run over the classes and then, compensated, over the columns; errors are
kept for each class. Both are sharper than what `penalty_dual` knows of any regularizer, and d K terms ask for it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.arithmetic import TINY, UNIT, add_compensated, norm
from empirisk.compiled import kernel
from empirisk.protocols import Matrix, Vector
from empirisk.regularizers import ElasticNet


class ElasticNetDual(NamedTuple):
    """Omega* at the dual point, brought into its domain as in `penalty_dual`.

    For l2 = 0 < l1 every u_i is scaled down until all |V_jc| <= l1, which keeps its row a distribution; for
    l1 = l2 = 0, where only V = 0 would do, ||V||_F is charged: <W, V> <= reach ||V||_F for every ||W||_F <= reach.
    """

    value: float  # with the charge
    error: float  # bound on its rounding
    factor: float = 1.0  # of u
    weights_radius: float = math.inf  # of the claim

    @classmethod
    def at(cls, regularizer: ElasticNet, v: Matrix, off: Vector, reach: float) -> ElasticNetDual:
        """At V, of which column c is off by at most off[c], in norm; `reach` bounds the weights of minimisers."""
        l1, l2 = regularizer.l1, regularizer.l2
        if l2 == 0.0 and l1 > 0.0:
            largest = float(np.max(np.abs(v) + off)) * (1.0 + 8.0 * UNIT)  # rounded up: the scaled point is inside
            return cls(0.0, 0.0, 1.0 if largest <= l1 else l1 / largest * (1.0 - 4.0 * UNIT))
        if l2 == 0.0:
            value, error = reach * norm(v) * (1.0 + 1e-12), 1.01 * reach * norm(off)
            return cls(value, error + 4.0 * UNIT * value, 1.0, reach if value + error > 0.0 else math.inf)
        value, norms = _total_and_norms(v, l1, l2, True)
        lost = 4.0 * TINY * (v.size + float(np.abs(v).sum()) + float(norms.sum()))
        error, distance = UNIT * 1.01 * (off.size + 16) * (value + lost), norm(off)
        return cls(value, error + 1.01 * float(norms @ off) + 1.01 * distance * (distance / (2.0 * l2)))


def penalty_and_norms(regularizer: ElasticNet, weights: Matrix) -> tuple[float, Vector]:
    """Omega, and the norm of the weights of each class, rounded up."""
    return _total_and_norms(weights, regularizer.l1, regularizer.l2, False)


def _total_and_norms(a: Matrix, l1: float, l2: float, of_dual: bool) -> tuple[float, Vector]:
    """Omega(a) and the norms of the columns; `of_dual` Omega*(a) and those of its maximiser, rounded up."""
    norms = np.zeros(a.shape[1])
    return float(_sum(a, l1, l2, of_dual, norms)), norms


@kernel
def _sum(a, l1, l2, of_dual, norms):
    total = 0.0
    rest = 0.0
    for j in range(a.shape[0]):
        part = 0.0
        for c in range(a.shape[1]):
            size = abs(a[j, c])
            if of_dual:
                excess = max(0.0, size - l1)
                size = excess / l2
                part += 0.5 * excess * size
            else:
                part += l1 * size + 0.5 * (l2 * size * size)
            norms[c] += size * size
        total, rest = add_compensated(total, rest, part)
    for c in range(norms.size):
        norms[c] = 1.001 * (math.sqrt(norms[c]) + 1e-150)  # squares of smaller weights vanish
    return total + rest
