"""The sum of the dual point over the rows with hardly any rounding, where a claim is charged for every bit of it.

Without a penalty or a constraint the dual sum v should be zero, and the claim pays the radius times what is left of it
and of its rounding. A plain sum of n rows may be off by n e of its size; here rows are added up a few at a time, and
those sums with a compensation (Neumaier, 1974), which leaves the few.
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.arithmetic import UNIT, add_compensated
from empirisk.compiled import kernel
from empirisk.designs import n_entries
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Vector
from empirisk.rows.blocks import map_blocks

FEW = 32  # rows
OTHERS = 12  # roundings besides: of the weight, the factor, the product, the sums of the blocks


def careful_sum(problem: EmpiricalRisk, u: Vector, plus: float, minus: float) -> tuple[Vector, float]:
    """(1/S) sum_i s_i c_i u_i x_i, c_i = plus where u_i > 0 and else minus, and its error over that of the sizes.

    The error, in units of (1/S) sum_i s_i |u_i| ||x_i||, is that of a sum over a few rows: more of them where they have
    so few entries that adding up all columns would cost more than the rows.
    """
    design = problem.design
    d = design.n_columns()
    few = max(FEW, math.ceil(d * design.n_rows() / max(1, n_entries(design))))
    scale = 1.0 / problem.total_weight

    def task(block: tuple[int, int]) -> Vector:
        sums = np.zeros((3, d))
        _add_rows(design, problem.weights, scale, u, plus, minus, block[0], block[1], few, sums)
        return sums

    parts = map_blocks(task, problem.blocks, problem.n_threads)
    total = np.zeros((3, d))
    for part in parts:
        total[2] = part[0]
        _add_up(total)
        total[1] += part[1]
    return total[0] + total[1], 1.01 * (few + OTHERS) * UNIT


@kernel
def _add_rows(X, weights, scale, u, plus, minus, start, stop, few, sums):
    """The sum in sums[0], what it lost in sums[1]; sums[2] is for the rows at hand."""
    for first in range(start, stop, few):
        for i in range(first, min(first + few, stop)):
            s = scale * weights[i] if weights.size else scale
            if s > 0.0 and u[i] != 0.0:
                X.add_row(i, s * ((plus if u[i] > 0.0 else minus) * u[i]), sums[2])
        _add_up(sums)


@kernel(exact=True)
def _add_up(sums):
    """sums[0] + sums[1] grows by sums[2], which becomes zero."""
    for j in range(sums.shape[1]):
        sums[0, j], sums[1, j] = add_compensated(sums[0, j], sums[1, j], sums[2, j])
        sums[2, j] = 0.0
