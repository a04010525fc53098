"""Newton's method for losses with kinks: a proximal method on the dual, each step solved by Newton's method."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.one_score_passes import implied_duals
from empirisk.problems.passes import Gradient, penalty, scored, weighted_sum
from empirisk.protocols import Progress, Vector
from empirisk.solvers.linear_systems import row_gram
from empirisk.solvers.linear_systems.factored_hessian import factored_hessian
from empirisk.solvers.linear_systems.one_score_system import direction_by_products, gives_up, takes_cholesky
from empirisk.solvers.smoothing.envelope import (
    Envelope,
    Sums,
    evaluate,
    first_strength,
    slope_along,
    unsettled,
)
from empirisk.solvers.steps.line_search import root_of_slope
from empirisk.solvers.steps.smooth_progress import smooth_gap
from empirisk.solvers.working_sets.rows import WorkingRows, all_rows, sample_sizes, sampled_rows, unsettled_rows

SHARPEN = 0.6  # factor of the strength from one centre to the next
SOLVED = 1.0  # the smoothed problem is solved when its gap is this share of what the kinks leave
LEAST_STRENGTH = 1e-9  # of the first one
WARM_STRENGTH = 0.1  # of the first one, at a given start
MOST_FLAT = 8  # centres in a row without a better gap, after which rounding is all that is left
FLAT, STEEP = 0.5, 0.1  # slopes, of the first one, with which the full step is taken: still falling, already rising

PATIENCE = 3.0  # with conjugate gradients, in factorisations of the rows' Gram matrix: several follow the first one
MOST_SPENT = 400.0  # passes in conjugate gradients, where these cost less still: limits are on passes
MOST_ROWS = 6500  # with curvature: a Gram matrix of 340 MB, and three seconds to factor

SAMPLE_GAP = 0.01  # to which a sample is solved
MOST_SAMPLE_STEPS = 30

WORKING_SHARE = 0.5  # of the rows: with more left, all are visited
WORKING_GAP = 0.1  # of the objective: further away, rows that look settled are not
SLACK = 1.0  # times the last change of its score, and the strength: within that a row must stay on its piece
ROUND = 0.05  # of its gap: then all rows are looked at again
REFRESH = 20  # steps, after which scores and sums are computed anew


class ProximalNewtonState(NamedTuple):
    """Where the method stands. Vectors of rows are those of the working rows, but for the last two."""

    rows: WorkingRows
    w: Vector
    b: float
    envelope: Envelope
    scores: Vector
    u: Vector
    curvatures: Vector
    v: Vector  # (1/S) sum_i s_i u_i x_i over the working rows
    sums: Sums
    at: Gradient  # of the smoothed problem, with the objective of the problem itself
    gap: float  # what the kinks leave, and that of the smoothed problem; known up to the repair of the intercept
    passes: float
    steps: int
    spent: float  # passes in conjugate gradients; infinite once a Gram matrix was factored
    stuck: bool  # the smoothed problem cannot be solved further
    best_gap: float
    flat: int  # centres since the best gap
    round_gap: float  # of the last look at all rows
    u_everywhere: Vector  # dual variables at that look
    seen: Vector  # scores at that look


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
            sample = sampled_rows(problem, count, random)
            state = _at_point(sample, w, b, strength)
            while state.gap > SAMPLE_GAP * state.at.objective and state.steps < MOST_SAMPLE_STEPS:
                state = _recentred(sample, state) if _is_solved(state) else state
                state = self._newton_step(problem, sample, state)
            w, b, strength = state.w, state.b, state.envelope.strength
            passes += state.passes * count / problem.rows.n_rows
        state = _at_point(problem, w, b, strength)
        return state._replace(passes=state.passes + passes)

    def from_dual(
        self, problem: EmpiricalRisk, w: Vector, b: float, u: Vector, strength: float = WARM_STRENGTH
    ) -> ProximalNewtonState:
        """Start at a point with its dual variables, under an envelope of this strength (1 is the first one's)."""
        strength *= first_strength(problem)
        scores = scored(problem.rows, w, b)
        return _begin(problem, w, b, scores, Envelope(u.copy(), strength))

    def step(self, problem: EmpiricalRisk, state: ProximalNewtonState) -> ProximalNewtonState:
        """One Newton step; before, when the smoothed problem is solved well enough, a new centre."""
        working = state.rows.problem(problem)
        if _is_solved(state):
            state = _reselected(problem, working, state)
            working = state.rows.problem(problem)
            state = _recentred(working, state)
        elif state.steps % REFRESH == REFRESH - 1:
            state = _refreshed(working, state)
        return self._newton_step(problem, working, state)

    def point(self, state: ProximalNewtonState) -> LinearPoint:
        """The iterate and its dual point."""
        return LinearPoint(state.w, state.b, state.rows.spread(state.u, state.u_everywhere))

    def progress(self, problem: EmpiricalRisk, state: ProximalNewtonState) -> Progress:
        """The gap, as if rows that are left out stayed where they are."""
        return Progress(state.passes, state.at.objective, state.gap, state.flat >= MOST_FLAT)

    def _newton_step(
        self, whole: EmpiricalRisk, problem: EmpiricalRisk, state: ProximalNewtonState
    ) -> ProximalNewtonState:
        at = state.at
        direction, passes, spent = self._direction(whole, problem, state, at)
        p, p_b = direction[:-1], float(direction[-1])
        passes = state.passes + _share(state) * (float(passes) + 1.0)
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
        return _moved(problem, state, state.w + t * p, state.b + t * p_b, state.scores + t * change, state.envelope)

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
                return p, passes, state.spent + _share(state) * passes
        solved = factored_hessian(problem, curvatures, at.slope).solve(at.slope)
        return -solved, np.count_nonzero(curvatures) / max(1, curvatures.size), state.spent


def _at_point(problem: EmpiricalRisk, w: Vector, b: float, strength: float) -> ProximalNewtonState:
    """The state at a point, with the dual variables that it implies; zero at zero."""
    n = problem.rows.n_rows
    scores, centers = np.zeros(n), np.zeros(n)
    if np.any(w) or b != 0.0:
        scores = scored(problem.rows, w, b)
        centers = implied_duals(problem, scores)
    return _begin(problem, w, b, scores, Envelope(centers, strength))


def _begin(problem: EmpiricalRisk, w: Vector, b: float, scores: Vector, envelope: Envelope) -> ProximalNewtonState:
    n = scores.size
    blank = ProximalNewtonState(
        rows=all_rows(problem),
        w=w,
        b=b,
        envelope=envelope,
        scores=scores,
        u=np.zeros(n),
        curvatures=np.empty(n),
        v=np.zeros(w.size),
        sums=Sums(0.0, 0.0, 0.0, 0, 0),
        at=Gradient(np.nan, np.empty(0)),
        gap=np.inf,
        passes=1.0,
        steps=0,
        spent=0.0,
        stuck=False,
        best_gap=np.inf,
        flat=0,
        round_gap=np.inf,
        u_everywhere=envelope.centers,
        seen=np.full(n, np.nan),
    )
    return _moved(problem, blank, w, b, scores, envelope)


def _moved(
    problem: EmpiricalRisk, state: ProximalNewtonState, w: Vector, b: float, scores: Vector, envelope: Envelope
) -> ProximalNewtonState:
    """The state at another point or under another envelope; u and the curvatures are overwritten."""
    changes = np.empty(scores.size)
    sums = evaluate(problem, envelope, scores, state.u, state.curvatures, changes)
    v = state.v + weighted_sum(problem, changes)[0] if sums.moved else state.v
    passes = state.passes + _share(state) * sums.moved / max(1, scores.size)
    moved = state._replace(w=w, b=b, scores=scores, envelope=envelope, v=v, sums=sums, passes=passes)
    return _measured(problem, moved)


def _refreshed(problem: EmpiricalRisk, state: ProximalNewtonState) -> ProximalNewtonState:
    """Scores and sums without the rounding of their updates."""
    scores = scored(problem.rows, state.w, state.b)
    blank = state._replace(u=np.zeros(scores.size), v=np.zeros(state.w.size), passes=state.passes + _share(state))
    return _moved(problem, blank, state.w, state.b, scores, state.envelope)


def _recentred(problem: EmpiricalRisk, state: ProximalNewtonState) -> ProximalNewtonState:
    """The envelope moves to the dual point, and is sharpened."""
    envelope, gap = state.envelope, state.gap
    least = LEAST_STRENGTH * first_strength(problem)
    sharper = Envelope(state.u.copy(), max(least, SHARPEN * envelope.strength))
    counted = state._replace(
        best_gap=min(state.best_gap, gap), flat=0 if gap < 0.9 * state.best_gap else state.flat + 1, stuck=False
    )
    return _moved(problem, counted, state.w, state.b, state.scores, sharper)


def _reselected(problem: EmpiricalRisk, working: EmpiricalRisk, state: ProximalNewtonState) -> ProximalNewtonState:
    """With the rows to work on chosen anew: every time while all are visited, else after a few digits."""
    if not state.rows.are_all:
        if state.gap > ROUND * state.round_gap and not state.stuck:
            return state
        state = _with_all_rows(problem, state)
    strength = state.envelope.strength
    slack = SLACK * (np.abs(state.scores - state.seen) + strength)
    looked = state._replace(seen=state.scores, round_gap=state.gap, u_everywhere=state.u.copy())
    if not state.gap <= WORKING_GAP * abs(state.at.objective):
        return looked
    index = unsettled(problem, strength, state.scores, state.u, slack)
    if index.size > WORKING_SHARE * state.scores.size or not index.size:
        return looked
    blank = looked._replace(
        rows=unsettled_rows(problem, index, state.u),
        u=np.zeros(index.size),
        curvatures=np.empty(index.size),
        v=np.zeros(state.w.size),
        passes=state.passes + 1.0,
    )
    sharp = Envelope(state.envelope.centers[index], strength)
    return _moved(blank.rows.problem(problem), blank, state.w, state.b, state.scores[index], sharp)


def _with_all_rows(problem: EmpiricalRisk, state: ProximalNewtonState) -> ProximalNewtonState:
    """The state on all rows; those left out are centred at the dual variables that they had."""
    u = state.rows.spread(state.u, state.u_everywhere)
    centers = state.rows.spread(state.envelope.centers, state.u_everywhere)
    scores = scored(problem.rows, state.w, state.b)
    blank = state._replace(
        rows=all_rows(problem),
        u=np.zeros(u.size),
        curvatures=np.empty(u.size),
        v=np.zeros(state.w.size),
        passes=state.passes + 1.0,
    )
    return _moved(problem, blank, state.w, state.b, scores, Envelope(centers, state.envelope.strength))


def _share(state: ProximalNewtonState) -> float:
    """Of the rows, at work."""
    return state.scores.size / state.seen.size


def _is_solved(state: ProximalNewtonState) -> bool:
    kinks = state.sums.kinks
    return state.stuck or state.gap - kinks <= SOLVED * kinks


def _measured(problem: EmpiricalRisk, state: ProximalNewtonState) -> ProximalNewtonState:
    """With the gradient and the gap of its sums."""
    rows, sums, w, b = state.rows, state.sums, state.w, state.b
    objective = sums.risk + rows.others(w, b) + penalty(problem, w)
    slope = -sums.balance - rows.balance if problem.fit_intercept else 0.0
    at = Gradient(objective, np.append(problem.regularizer.l2 * w - state.v - rows.v, slope))
    return state._replace(at=at, gap=sums.kinks + smooth_gap(problem, at, np.append(w, b)))
