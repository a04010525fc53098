"""Where a proximal method on the dual stands: a point under an envelope, on all rows or on those that are at work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.one_score_passes import implied_duals
from empirisk.problems.passes import Gradient, penalty, scored, weighted_sum
from empirisk.protocols import Vector
from empirisk.solvers.smoothing.envelope import Envelope, Sums, evaluate, first_strength, unsettled
from empirisk.solvers.steps.smooth_progress import smooth_gap
from empirisk.solvers.working_sets.rows import WorkingRows, all_rows, unsettled_rows

SHARPEN = 0.6  # factor of the strength from one centre to the next
SOLVED = 1.0  # the smoothed problem is solved when its gap is this share of what the kinks leave
LEAST_STRENGTH = 1e-9  # of the first one

WORKING_SHARE = 0.25  # of the rows, which are copied: with more left, all are visited
WORKING_GAP = 0.1  # of the objective: further away, rows that look settled are not
SLACK = 1.0  # times the last change of its score, and the strength: within that a row must stay on its piece
ROUND = 0.05  # of its gap: then all rows are looked at again


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


def at_point(problem: EmpiricalRisk, w: Vector, b: float, strength: float) -> ProximalNewtonState:
    """The state at a point, with the dual variables that it implies; zero at zero."""
    n = problem.rows.n_rows
    scores, centers = np.zeros(n), np.zeros(n)
    if np.any(w) or b != 0.0:
        scores = scored(problem.rows, w, b)
        centers = implied_duals(problem, scores)
    return begin(problem, w, b, scores, Envelope(centers, strength))


def begin(problem: EmpiricalRisk, w: Vector, b: float, scores: Vector, envelope: Envelope) -> ProximalNewtonState:
    """The first state, on all rows, at the point of these scores and under this envelope."""
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
    return moved(problem, blank, w, b, scores, envelope)


def moved(
    problem: EmpiricalRisk, state: ProximalNewtonState, w: Vector, b: float, scores: Vector, envelope: Envelope
) -> ProximalNewtonState:
    """The state at another point or under another envelope; u and the curvatures are overwritten."""
    changes = np.empty(scores.size)
    sums = evaluate(problem, envelope, scores, state.u, state.curvatures, changes)
    v = state.v + weighted_sum(problem, changes)[0] if sums.moved else state.v
    passes = state.passes + share_at_work(state) * sums.moved / max(1, scores.size)
    return _measured(problem, state._replace(w=w, b=b, scores=scores, envelope=envelope, v=v, sums=sums, passes=passes))


def refreshed(problem: EmpiricalRisk, state: ProximalNewtonState) -> ProximalNewtonState:
    """Scores and sums without the rounding of their updates."""
    scores = scored(problem.rows, state.w, state.b)
    blank = state._replace(
        u=np.zeros(scores.size), v=np.zeros(state.w.size), passes=state.passes + share_at_work(state)
    )
    return moved(problem, blank, state.w, state.b, scores, state.envelope)


def recentred(problem: EmpiricalRisk, state: ProximalNewtonState) -> ProximalNewtonState:
    """The envelope moves to the dual point, and is sharpened."""
    envelope, gap = state.envelope, state.gap
    least = LEAST_STRENGTH * first_strength(problem)
    sharper = Envelope(state.u.copy(), max(least, SHARPEN * envelope.strength))
    counted = state._replace(
        best_gap=min(state.best_gap, gap), flat=0 if gap < 0.9 * state.best_gap else state.flat + 1, stuck=False
    )
    return moved(problem, counted, state.w, state.b, state.scores, sharper)


def reselected(problem: EmpiricalRisk, working: EmpiricalRisk, state: ProximalNewtonState) -> ProximalNewtonState:
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
    return moved(blank.rows.problem(problem), blank, state.w, state.b, state.scores[index], sharp)


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
    return moved(problem, blank, state.w, state.b, scores, Envelope(centers, state.envelope.strength))


def share_at_work(state: ProximalNewtonState) -> float:
    """Of the rows, at work."""
    return state.scores.size / state.seen.size


def is_solved(state: ProximalNewtonState) -> bool:
    """Whether the smoothed problem is solved as well as the kinks that it smooths deserve."""
    kinks = state.sums.kinks
    return state.stuck or state.gap - kinks <= SOLVED * kinks


def _measured(problem: EmpiricalRisk, state: ProximalNewtonState) -> ProximalNewtonState:
    """With the gradient and the gap of its sums."""
    rows, sums, w, b = state.rows, state.sums, state.w, state.b
    objective = sums.risk + rows.others(w, b) + penalty(problem, w)
    slope = -sums.balance - rows.balance if problem.fit_intercept else 0.0
    at = Gradient(objective, np.append(problem.regularizer.l2 * w - state.v - rows.v, slope))
    return state._replace(at=at, gap=sums.kinks + smooth_gap(problem, at, np.append(w, b)))
