"""Newton's method for losses with kinks: a proximal method on the dual, each step solved by Newton's method."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import Gradient, scored
from empirisk.protocols import Progress, Vector
from empirisk.solvers.linear_systems import row_gram
from empirisk.solvers.linear_systems.factored_hessian import factored_hessian
from empirisk.solvers.linear_systems.one_score_system import direction_by_products, gives_up, takes_cholesky
from empirisk.solvers.smoothing.envelope import Envelope, first_strength, slope_along
from empirisk.solvers.smoothing.proximal_state import (
    ProximalNewtonState,
    at_point,
    begin,
    is_solved,
    moved,
    recentred,
    refreshed,
    reselected,
    share_at_work,
)
from empirisk.solvers.steps.line_search import root_of_slope
from empirisk.solvers.working_sets.rows import sample_sizes, sampled_rows

WARM_STRENGTH = 0.1  # of the first one, at a given start
MOST_FLAT = 8  # centres in a row without a better gap, after which rounding is all that is left
FLAT, STEEP = 0.5, 0.1  # slopes, of the first one, with which the full step is taken: still falling, already rising

PATIENCE = 3.0  # with conjugate gradients, in factorisations of the rows' Gram matrix: several follow the first one
MOST_SPENT = 400.0  # passes in conjugate gradients, where these cost less still: limits are on passes
MOST_ROWS = 6500  # with curvature: a Gram matrix of 340 MB, and three seconds to factor

SAMPLE_GAP = 0.01  # to which a sample is solved
MOST_SAMPLE_STEPS = 30

REFRESH = 20  # steps, after which scores and sums are computed anew


class ProximalNewton(NamedTuple):
    """Replace the loss by its envelope around the dual point u, minimise by Newton's method, move u, sharpen.

    Each inner problem is smooth; only rows at a kink have curvature, so its Hessian is cheap. It starts on samples of
    the rows, and leaves rows out that stay on one side of the kink; all are looked at again every few digits. A few
    dozen steps reach high precision where dual coordinate ascent takes thousands of passes.
    References: Rockafellar (1976); Yan and Li (2020).
    """

    linear_solver: str = "auto"  # of the Newton steps

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "loss.conjugate", "loss.dual_step", "convex", "l2 alone", "rows in memory")

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> ProximalNewtonState:
        """Start at the given point, or where samples of the rows lead."""
        w, b = point.weights, point.intercept
        strength, passes = first_strength(problem), 0.0
        is_cold = not np.any(w) and b == 0.0
        if not is_cold:
            strength *= WARM_STRENGTH
        random = np.random.default_rng(0)
        for count in sample_sizes(problem.rows) if is_cold else []:
            w, b, strength, took = self._on_sample(problem, count, random, w, b, strength)
            passes += took
        state = at_point(problem, w, b, strength)
        return state._replace(passes=state.passes + passes)

    def from_dual(
        self, problem: EmpiricalRisk, w: Vector, b: float, u: Vector, strength: float = WARM_STRENGTH
    ) -> ProximalNewtonState:
        """Start at a point with its dual variables, under an envelope of this strength (1 is the first one's)."""
        strength *= first_strength(problem)
        scores = scored(problem.rows, w, b)
        return begin(problem, w, b, scores, Envelope(u.copy(), strength))

    def step(self, problem: EmpiricalRisk, state: ProximalNewtonState) -> ProximalNewtonState:
        """One Newton step; before, when the smoothed problem is solved well enough, a new centre."""
        working = state.rows.problem(problem)
        if is_solved(state):
            state = reselected(problem, working, state)
            working = state.rows.problem(problem)
            state = recentred(working, state)
        elif state.steps % REFRESH == REFRESH - 1:
            state = refreshed(working, state)
        return self._newton_step(problem, working, state)

    def point(self, state: ProximalNewtonState) -> LinearPoint:
        """The iterate and its dual point."""
        return LinearPoint(state.w, state.b, state.rows.spread(state.u, state.u_everywhere))

    def progress(self, problem: EmpiricalRisk, state: ProximalNewtonState) -> Progress:
        """The gap, as if rows that are left out stayed where they are."""
        return Progress(state.passes, state.at.objective, state.gap, state.flat >= MOST_FLAT)

    def _on_sample(
        self, problem: EmpiricalRisk, count: int, random: np.random.Generator, w: Vector, b: float, strength: float
    ) -> tuple[Vector, float, float, float]:
        """Point and strength where so many rows lead, and the passes that it took; the copy of the rows ends here."""
        sample = sampled_rows(problem, count, random)
        state = at_point(sample, w, b, strength)
        while state.gap > SAMPLE_GAP * state.at.objective and state.steps < MOST_SAMPLE_STEPS:
            state = recentred(sample, state) if is_solved(state) else state
            state = self._newton_step(problem, sample, state)
        return state.w, state.b, state.envelope.strength, state.passes * count / problem.rows.n_rows

    def _newton_step(
        self, whole: EmpiricalRisk, problem: EmpiricalRisk, state: ProximalNewtonState
    ) -> ProximalNewtonState:
        at = state.at
        direction, passes, spent = self._direction(whole, problem, state, at)
        p, p_b = direction[:-1], float(direction[-1])
        passes = state.passes + share_at_work(state) * (float(passes) + 1.0)
        state = state._replace(passes=passes, steps=state.steps + 1, spent=spent)
        l2, along, squared = problem.regularizer.l2, float(state.w @ p), float(p @ p)
        others = float(state.rows.v @ p) + state.rows.balance * p_b
        change = scored(problem.rows, p, p_b)

        def slope(t: float) -> float:
            here = slope_along(problem, state.envelope, state.scores, change, t)
            return here + l2 * (along + t * squared) - others

        first = float(at.slope @ direction)
        # Below this the objective cannot tell a better point: rounding of a sum of n positive terms.
        if not -first > 1e-15 * abs(at.objective):
            return state._replace(stuck=True)
        t = 1.0
        if not -FLAT * abs(first) <= slope(1.0) <= STEEP * abs(first):
            t = root_of_slope(slope)
        return moved(problem, state, state.w + t * p, state.b + t * p_b, state.scores + t * change, state.envelope)

    def _direction(
        self, whole: EmpiricalRisk, problem: EmpiricalRisk, state: ProximalNewtonState, at: Gradient
    ) -> tuple[Vector, float, float]:
        """A direction, its passes, and those spent in conjugate gradients so far."""
        curvatures = state.curvatures
        if not takes_cholesky(self.linear_solver, whole.rows):
            if row_gram.pays(
                problem, curvatures, at, state.spent, PATIENCE, MOST_ROWS, MOST_SPENT, whole.rows.n_entries
            ):
                found = row_gram.dual_direction(problem, curvatures, at)
                if found is not None:
                    return found, 2.0, np.inf  # from now on
            if not gives_up(self.linear_solver, whole.rows, state.spent):
                p, passes = direction_by_products(problem, curvatures, at.slope)
                return p, passes, state.spent + share_at_work(state) * passes
        solved = factored_hessian(problem, curvatures, at.slope).solve(at.slope)
        return -solved, np.count_nonzero(curvatures) / max(1, curvatures.size), state.spent
