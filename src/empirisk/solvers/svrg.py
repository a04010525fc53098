"""Stochastic variance-reduced gradients: SVRG."""

from __future__ import annotations

from typing import NamedTuple

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Progress
from empirisk.solvers.sampling.row_draws import table_at, visit
from empirisk.solvers.sampling.variance_reduced import VarianceReducedState, begin, drawn, progress_of, settled

MOST_PASSES = 1000.0  # of an epoch


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
        return ("loss.derivative", "loss.smoothness", "convex", "regularizer.interval", "rows in memory")

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> VarianceReducedState:
        """The first snapshot."""
        if not 0.0 < self.epoch <= MOST_PASSES:
            raise ValueError(f"epoch must be a positive number of passes, at most {MOST_PASSES:g}, got {self.epoch!r}")
        return begin(problem, point, self.step_length, self.seed)

    def step(self, problem: EmpiricalRisk, state: VarianceReducedState) -> VarianceReducedState:
        """An epoch, and the gradient where it ends."""
        n = problem.rows.n_rows
        state, rows = drawn(state, max(1, round(self.epoch * n)))
        end = visit(problem, state.table, state.sampling, rows, state.step, moves=False)
        return settled(problem, state, table_at(problem, end.w, end.b), 1.0 + rows.size / n, self.step_length)

    def point(self, state: VarianceReducedState) -> LinearPoint:
        """The snapshot; the dual point follows from it."""
        return LinearPoint(state.table.w, state.table.b)

    def progress(self, problem: EmpiricalRisk, state: VarianceReducedState) -> Progress:
        """Objective and gap are known at a snapshot."""
        return progress_of(state)
