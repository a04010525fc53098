"""Every few rows of a problem: a start that costs a fraction of the passes it saves."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.multiclass_risk import MulticlassRisk

LONGEST_STRIDE, LEAST_STRIDE = 8, 3  # rows of which a sample has one

Risk = TypeVar("Risk", EmpiricalRisk, MulticlassRisk)


def stride_of(problem: LinearRisk, rows_per_column: int, entries: int) -> int:
    """One of how many rows makes a sample; 0 where the data have fewer entries than these, or it fewer rows.

    Many rows for each column tell much, and a sample of little data costs no less than the steps that it saves.
    """
    n, d = problem.rows.n_rows, problem.rows.n_columns
    stride = min(LONGEST_STRIDE, n // (rows_per_column * d))
    return stride if stride >= LEAST_STRIDE and problem.rows.n_entries >= entries else 0


def sample_of(problem: Risk, stride: int, seed: int) -> Risk | None:
    """The problem on one of `stride` rows; None where they have no weight."""
    firsts = np.arange(0, problem.rows.n_rows - stride + 1, stride)
    rows = firsts + np.random.default_rng(seed).integers(0, stride, firsts.size)  # data may be periodic
    if problem.weights.size and not np.any(problem.rows.pick(problem.weights, rows)):
        return None
    return problem.with_rows(rows)
