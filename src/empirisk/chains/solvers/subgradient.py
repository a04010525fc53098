"""The subgradient method for margins of chains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.chains.kept.pool import Pool, empty_pool, with_labels
from empirisk.chains.margin import mean_margin
from empirisk.chains.point import ChainPoint
from empirisk.chains.risk import ChainRisk, margin_of
from empirisk.protocols import Progress, Vector


class SubgradientState(NamedTuple):
    """Where the method stands; the weights of the pool are counts of passes."""

    total: Vector  # l2 t u_t
    best: Vector  # the u_t with the least objective that was met
    pool: Pool
    cost: float  # of the labelings, the sum over passes
    least: float  # objective that was met
    passes: float


class ChainSubgradient(NamedTuple):
    """u <- u - 1/(l2 t) g with a subgradient g of P at u; the best u that was met is the answer.

    From the first step on u_t = (1/(l2 t)) sum_s v_s, with v_s the mean difference of features of the labelings that
    pass s met: u_t is itself a mean of all that was met, and the mean of the labelings is a dual point that costs
    nothing. An average of the u_t was worse than the best one at every pass that was measured. Slow, and without a
    parameter. Ratliff, Bagnell and Zinkevich (2007); Shalev-Shwartz, Singer, Srebro and Cotter (2011).
    """

    @property
    def needs(self) -> tuple[str, ...]:
        """Said by the choice of solvers."""
        return ()

    def init(self, problem: ChainRisk, point: ChainPoint) -> SubgradientState:
        """The first step leads to the same point from every start."""
        pool, nothing = empty_pool(problem.data.n_sequences), np.zeros_like(point.weights)
        return SubgradientState(nothing, point.weights.copy(), pool, 0.0, np.inf, 0.0)

    def step(self, problem: ChainRisk, state: SubgradientState) -> SubgradientState:
        """One pass of decoding."""
        t, l2 = state.passes + 1.0, problem.regularizer.l2
        at = state.total / (l2 * state.passes) if state.passes else state.best
        found = mean_margin(problem.passes, margin_of(problem), at)
        total = state.total - found.gradient
        value = found.value + problem.penalty(at)
        best, least = (state.best, state.least) if value >= state.least else (at, value)
        cost = state.cost + float(np.sum(problem.shares * found.costs))
        pool = with_labels(state.pool, problem.data, found.labels, 1.0)
        return SubgradientState(total, best, pool, cost, least, t)

    def point(self, state: SubgradientState) -> ChainPoint:
        """The best weights, with the mean of the labelings."""
        if not state.passes:
            return ChainPoint(state.best.copy())
        shares = state.pool.weights / state.passes
        return ChainPoint(state.best.copy(), state.pool._replace(weights=shares).labelings())

    def progress(self, problem: ChainRisk, state: SubgradientState) -> Progress:
        """The least objective that was met, less the dual value of the mean of the labelings."""
        if not state.passes:
            return Progress(0.0, np.nan, np.nan)
        square = float(np.sum(state.total * state.total))
        dual = state.cost / state.passes - square / (2.0 * problem.regularizer.l2 * state.passes**2)
        return Progress(state.passes, state.least, state.least - dual, is_sure=True)
