"""Stochastic average gradients: SAGA."""

from __future__ import annotations

from typing import NamedTuple

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Progress
from empirisk.solvers.sampling.row_draws import visit
from empirisk.solvers.sampling.variance_reduced import VarianceReducedState, begin, drawn, progress_of, settled


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
        return ("loss.derivative", "loss.smoothness", "convex", "regularizer.interval", "rows in memory")

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> VarianceReducedState:
        """The derivatives at the start."""
        return begin(problem, point, self.step_length, self.seed)

    def step(self, problem: EmpiricalRisk, state: VarianceReducedState) -> VarianceReducedState:
        """n steps."""
        state, rows = drawn(state, problem.rows.n_rows)
        table = visit(problem, state.table, state.sampling, rows, state.step, moves=True)
        return settled(problem, state, table, 1.0, self.step_length)

    def point(self, state: VarianceReducedState) -> LinearPoint:
        """The iterate and the derivatives as last seen."""
        return LinearPoint(state.table.w, state.table.b, state.table.u)

    def progress(self, problem: EmpiricalRisk, state: VarianceReducedState) -> Progress:
        """Both are estimated from what the last pass saw."""
        return progress_of(state)
