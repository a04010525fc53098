"""Stochastic variance-reduced gradients: SVRG."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Progress
from empirisk.solvers.sampling.lazy_rows import (
    STEPS,
    Rows,
    Table,
    check_step,
    estimates,
    row_sampling,
    shorter,
    table_at,
    visit,
)

MOST_PASSES = 1000.0  # of an epoch


class SVRGState(NamedTuple):
    """Where the method stands: at a snapshot, whose gradient is known."""

    table: Table
    sampling: Rows
    step: float  # in 1 / L
    objective: float
    gap: float
    random: np.random.Generator
    passes: float


class SVRG(NamedTuple):
    """w <- prox_t(w - t ((p_i / q_i) (loss'(z_i) - loss'(z_i at w0)) x_i + the gradient at w0)), row i drawn with q_i.

    The snapshot w0 is the point where the last epoch ended; an epoch is a full gradient and `epoch` n steps. Rows are
    drawn more often the larger they are. `step_length` is t in 1 / L, with L the largest smoothness of a term over its
    q_i; 0 starts with 1 and shortens it to the theory's 1/3 where the gap does not fall. Linear convergence for l2 > 0,
    in about 1 + L / (n l2) passes for a factor of e. References: Johnson and Zhang (2013); Xiao and Zhang (2014).
    """

    epoch: float = 2.0
    step_length: float = 0.0
    seed: int = 0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "loss.smoothness", "convex", "regularizer.interval")

    def init(self, problem: Any, point: LinearPoint) -> SVRGState:
        """The first snapshot."""
        w, b = point.weights, point.intercept
        if not 0.0 < self.epoch <= MOST_PASSES:
            raise ValueError(f"epoch must be a positive number of passes, at most {MOST_PASSES:g}, got {self.epoch!r}")
        table, random = table_at(problem, w, b), np.random.default_rng(self.seed)
        step = check_step(self.step_length)
        return SVRGState(table, row_sampling(problem), step, *estimates(problem, table), random, 2.0)

    def step(self, problem: Any, state: SVRGState) -> SVRGState:
        """An epoch, and the gradient where it ends."""
        n = problem.design.n_rows()
        rows = state.sampling.draw(state.random, max(1, round(self.epoch * n)))
        end = visit(problem, state.table, state.sampling, rows, state.step, moves=False)
        table = table_at(problem, end.w, end.b)
        objective, gap = estimates(problem, table)
        passes = state.passes + 1.0 + rows.size / n
        if self.step_length == 0.0 and not gap < state.gap and state.step > STEPS[-1]:
            return state._replace(step=shorter(state.step), passes=passes)
        return state._replace(table=table, objective=objective, gap=gap, passes=passes)

    def point(self, state: SVRGState) -> LinearPoint:
        """The snapshot; the dual point follows from it."""
        return LinearPoint(state.table.w, state.table.b)

    def progress(self, problem: Any, state: SVRGState) -> Progress:
        """Objective and gap are known at a snapshot."""
        return Progress(state.passes, state.objective, state.gap)
