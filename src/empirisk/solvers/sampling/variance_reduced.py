"""Where a variance-reduced method stands: SAGA and SVRG differ in what they keep, not in how they begin and settle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Progress
from empirisk.solvers.sampling.random_bits import Words, generator_of, seeded, words_of
from empirisk.solvers.sampling.row_draws import (
    STEPS,
    RowDraws,
    Table,
    check_step,
    estimates,
    row_sampling,
    shorter,
    table_at,
)


class VarianceReducedState(NamedTuple):
    """A table of derivatives, and how the next rows are drawn and visited."""

    table: Table
    sampling: RowDraws
    step: float  # in 1 / L
    objective: float
    gap: float
    random: Words
    passes: float


def begin(problem: EmpiricalRisk, point: LinearPoint, step_length: float, seed: int) -> VarianceReducedState:
    """With the derivatives at the start."""
    table, step = table_at(problem, point.weights, point.intercept), check_step(step_length)
    known = *estimates(problem, table), seeded(seed)
    return VarianceReducedState(table, row_sampling(problem), step, *known, 2.0)


def drawn(state: VarianceReducedState, size: int) -> tuple[VarianceReducedState, NDArray[np.int64]]:
    """The rows of the next steps, and the state that has drawn them."""
    random = generator_of(state.random)
    rows = state.sampling.draw(random, size)
    return state._replace(random=words_of(random)), rows


def settled(
    problem: EmpiricalRisk, state: VarianceReducedState, table: Table, passes: float, step_length: float
) -> VarianceReducedState:
    """At the new table; where the step is ours to choose and the gap did not fall, back with a shorter one."""
    objective, gap = estimates(problem, table)
    passes = state.passes + passes
    if step_length == 0.0 and not gap < state.gap and state.step > STEPS[-1]:
        return state._replace(step=shorter(state.step), passes=passes)
    return state._replace(table=table, objective=objective, gap=gap, passes=passes)


def progress_of(state: VarianceReducedState) -> Progress:
    """Objective and gap are those of the table."""
    return Progress(state.passes, state.objective, state.gap)
