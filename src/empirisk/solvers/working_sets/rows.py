"""A problem on some of its rows, where the others are known to stay on one linear piece of their loss."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import weighted_sum
from empirisk.protocols import Vector
from empirisk.rows.in_memory import InMemory
from empirisk.rows.protocol import Rows

ALL = np.empty(0, dtype=np.int64)
SAMPLE_SHARE = 4  # each sample of rows is this many times smaller than the next
SAMPLE_ENTRIES = 1 << 15  # the least
ROWS_PER_COLUMN = 100  # the least: with fewer, rare columns are fitted to noise


_TAKEN: weakref.WeakKeyDictionary[Any, tuple[NDArray[np.int64], InMemory]] = weakref.WeakKeyDictionary()


class WorkingRows(NamedTuple):
    """Some rows, and what the others add to objective and gradient while their dual variables u_i stay.

    There loss(z) = -loss*(-u_i) - u_i z, so their mean is constant - <v, w> - balance b, without a look at them.
    """

    chosen: NDArray[np.int64]  # numbers of the rows; empty for all of them
    v: Vector  # (1/S) sum_i s_i u_i x_i over the others
    balance: float  # (1/S) sum_i s_i u_i
    constant: float  # -(1/S) sum_i s_i loss*(-u_i)

    @property
    def are_all(self) -> bool:
        """Whether no row is left out."""
        return not self.chosen.size

    def problem(self, whole: EmpiricalRisk) -> EmpiricalRisk:
        """That of these rows; sample weights are still divided by the S of all. The last rows are remembered."""
        if self.are_all:
            return whole
        known = _TAKEN.get(whole.rows)
        if known is None or not np.array_equal(known[0], self.chosen):
            known = self.chosen, InMemory(whole.rows.take(self.chosen), whole.n_threads)
            _TAKEN[whole.rows] = known
        return whole.with_kept_rows(*known)

    def others(self, w: Vector, b: float) -> float:
        """What the rows left out add to the objective."""
        return self.constant - float(self.v @ w) - self.balance * b

    def spread(self, u: Vector, everywhere: Vector) -> Vector:
        """All dual variables: u at the rows, `everywhere` at the others."""
        if self.are_all:
            return u
        whole = everywhere.copy()
        whole[self.chosen] = u
        return whole


def all_rows(problem: EmpiricalRisk) -> WorkingRows:
    """Every row."""
    return WorkingRows(ALL, np.zeros(problem.rows.n_columns), 0.0, 0.0)


def sample_sizes(rows: Rows) -> list[int]:
    """Numbers of rows, the smallest first, each large enough for the weights to be about right."""
    n, sizes = rows.n_rows, []
    count = n // SAMPLE_SHARE
    while count * rows.n_entries >= SAMPLE_ENTRIES * n and count >= ROWS_PER_COLUMN * rows.n_columns:
        sizes.append(count)
        count //= SAMPLE_SHARE
    return sizes[::-1]


def sampled_rows(problem: EmpiricalRisk, count: int, random: np.random.Generator) -> EmpiricalRisk:
    """A random sample as a problem of its own; rows of weight zero are not in it."""
    n = problem.rows.n_rows
    present = np.flatnonzero(problem.weights) if problem.weights.size else np.arange(n)
    index = np.sort(random.choice(present, min(count, present.size), replace=False))
    return problem.with_rows(index)


def unsettled_rows(problem: EmpiricalRisk, index: NDArray[np.int64], u: Vector) -> WorkingRows:
    """The rows of these numbers, while the others keep their u_i."""
    fixed = u * (problem.weights if problem.weights.size else 1.0) / problem.total_weight
    fixed[index] = 0.0
    constant = _constant(problem.loss, problem.labels, problem.weights, 1.0 / problem.total_weight, index, u)
    return WorkingRows(index, *weighted_sum(problem, fixed), constant)


@kernel
def _constant(loss, y, weights, scale, index, u):
    """-(1/S) sum_i s_i loss*(-u_i) over the rows that are not in the (sorted) index."""
    total = 0.0
    k = 0
    for i in range(y.size):
        if k < index.size and index[k] == i:
            k += 1
            continue
        s = scale * weights[i] if weights.size else scale
        if s > 0.0:
            total -= s * loss.conjugate(-u[i], y[i])
    return total
