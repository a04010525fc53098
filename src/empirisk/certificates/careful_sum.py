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
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Matrix, Vector
from empirisk.rows.protocol import RowBlock, RowVector

FEW = 32  # rows
OTHERS = 12  # roundings besides: of the weight, the factor, the product, the sums of the leaves


def careful_sum(problem: EmpiricalRisk, u: RowVector, plus: float, minus: float) -> tuple[Vector, float]:
    """(1/S) sum_i s_i c_i u_i x_i, c_i = plus where u_i > 0 and else minus, and its error over that of the sizes.

    The error, in units of (1/S) sum_i s_i |u_i| ||x_i||, is that of a sum over a few rows: more of them where they have
    so few entries that adding up all columns would cost more than the rows.
    """
    rows = problem.rows
    d = rows.n_columns
    few = max(FEW, math.ceil(d * rows.n_rows / max(1, rows.n_entries)))
    args = 1.0 / problem.total_weight, plus, minus, few
    total, _ = rows.total(_add_carefully, *args, rows=(problem.weights, u), shape=(2, d))
    depth = math.ceil(math.log2(len(rows.tree.leaves(2 * d)) + 1))  # of the tree, where nothing is compensated
    return total[0] + total[1], 1.01 * (few + OTHERS + depth) * UNIT


def _add_carefully(
    block: RowBlock, scale: float, plus: float, minus: float, few: int, weights: Vector, u: Vector, out: Matrix
) -> None:
    """The sum in out[0], what it lost in out[1]."""
    coefficients = (scale * weights if weights.size else scale) * (np.where(u > 0.0, plus, minus) * u)
    sums = np.zeros((3, out.shape[1]))
    sums[:2] = out
    _add_few_at_a_time(block.design, coefficients, few, sums)
    out[:] = sums[:2]


@kernel
def _add_few_at_a_time(X, coefficients, few, sums):
    """The sum in sums[0], what it lost in sums[1]; sums[2] is for the rows at hand."""
    for first in range(0, coefficients.size, few):
        for i in range(first, min(first + few, coefficients.size)):
            if coefficients[i] != 0.0:
                X.add_row(i, coefficients[i], sums[2])
        _add_up(sums)


@kernel(exact=True)
def _add_up(sums):
    """sums[0] + sums[1] grows by sums[2], which becomes zero."""
    for j in range(sums.shape[1]):
        sums[0, j], sums[1, j] = add_compensated(sums[0, j], sums[1, j], sums[2, j])
        sums[2, j] = 0.0
