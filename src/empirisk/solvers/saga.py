"""Stochastic average gradients: SAGA."""

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


class SAGAState(NamedTuple):
    """Where the method stands."""

    table: Table
    sampling: Rows
    step: float  # in 1 / L
    objective: float
    gap: float
    random: np.random.Generator
    passes: float


class SAGA(NamedTuple):
    """w <- prox_t(w - t ((p_i / q_i) (loss'(z_i) + u_i) x_i + g)), then u_i = -loss'(z_i); row i drawn with q_i.

    g = -sum_i p_i u_i x_i is the gradient at the points where the rows were last seen; u is a dual point. One number is
    kept for each row. Rows are drawn more often the larger they are. `step_length` is t in 1 / L, with L the largest
    smoothness of a term over its q_i; 0 starts with 1 and shortens it to the theory's 1/3 where the gap does not fall.
    Linear convergence for l2 > 0, in about 1 + L / (n l2) passes for a factor of e.
    References: Defazio, Bach and Lacoste-Julien (2014); Gower, Richtarik and Bach (2021) for the draws.
    """

    step_length: float = 0.0
    seed: int = 0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "loss.smoothness", "convex", "regularizer.interval")

    def init(self, problem: Any, point: LinearPoint) -> SAGAState:
        """The derivatives at the start."""
        w, b = point.weights, point.intercept
        table, random = table_at(problem, w, b), np.random.default_rng(self.seed)
        step = check_step(self.step_length)
        return SAGAState(table, row_sampling(problem), step, *estimates(problem, table), random, 2.0)

    def step(self, problem: Any, state: SAGAState) -> SAGAState:
        """n steps."""
        rows = state.sampling.draw(state.random, problem.design.n_rows())
        table = visit(problem, state.table, state.sampling, rows, state.step, moves=True)
        objective, gap = estimates(problem, table)
        passes = state.passes + 1.0
        if self.step_length == 0.0 and not gap < state.gap and state.step > STEPS[-1]:
            return state._replace(step=shorter(state.step), passes=passes)
        return state._replace(table=table, objective=objective, gap=gap, passes=passes)

    def point(self, state: SAGAState) -> LinearPoint:
        """The iterate and the derivatives as last seen."""
        return LinearPoint(state.table.w, state.table.b, state.table.u)

    def progress(self, problem: Any, state: SAGAState) -> Progress:
        """Both are estimated from what the last pass saw."""
        return Progress(state.passes, state.objective, state.gap)
