"""The proximal gradient step w <- prox(w - t grad), with its line search and momentum, in one read of the data."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import exact_sum
from empirisk.compiled import kernel
from empirisk.problems.passes import Gradient, shares, squared_column_norms
from empirisk.protocols import Vector, offers
from empirisk.rows.blocks import Block, map_blocks, sum_parts

GROW, SHRINK = 1.1, 0.5
MOST_TRIALS = 60
NOISE = 1e-12  # of the risk: below it, differences of risks are rounding
NOISE_LEFT = 1e-15  # of the objective: what rounding makes of it
MOST_FLAT = 50  # steps in a row that change it by no more, and do not improve the gap
RISES, GROWN = 10, 1e3  # the rule of divergence


class Best(NamedTuple):
    """The best point of a run with constant steps, and what tells that it diverges."""

    w: Vector
    b: float
    objective: float
    start: float = math.nan  # the objective at the start
    last: float = math.inf
    rises: int = 0  # in a row

    def after(self, w: Vector, b: float, objective: float) -> Best:
        """With one more point."""
        start = self.objective if math.isnan(self.start) else self.start
        rises = self.rises + 1 if objective > self.last else 0
        point = (w, b, objective) if objective < self.objective else self[:3]
        return Best(*point, start, objective, rises)


def has_diverged(best: Best, objective: float) -> bool:
    """Not finite, or risen ten steps in a row to a thousand times the size of the start and of the fall since.

    A convergent run may rise for a few steps where the curvature differs from place to place, and a loss that grows
    linearly may throw it far in one step; neither does both.
    """
    size = max(abs(best.start), best.start - best.objective)
    return not math.isfinite(objective) or (best.rises >= RISES and objective - best.start > GROWN * size)


class ProximalState(NamedTuple):
    """Where a proximal gradient method stands: at (w, b), about to step from the base (y, y_b)."""

    w: Vector
    b: float
    scores: Vector  # at (w, b)
    objective: float
    gap: float  # estimate
    y: Vector  # the base: (w, b) moved on by the momentum
    y_b: float
    at: Gradient  # mean loss and its gradient at the base
    spare: Vector  # a buffer for scores
    step: float  # the next one to try
    ratio: float  # the intercept's step, in steps of the weights
    theta: float  # the momentum's sequence; 1 where it starts
    best_objective: float
    best_gap: float
    flat: int  # steps since either got better
    passes: float


def begin(problem: Any, w: Vector, b: float, step: float = 0.0) -> ProximalState:
    """Evaluate the start.

    Without a given step the first one is the longest that a single column allows. The curvature in the intercept
    is that of a column of ones: its step is longer by the mean square of the longest column.
    """
    passes, ratio = 1.0, 1.0
    if step == 0.0:
        square = float(squared_column_norms(problem, shares(problem)).max())
        ratio = square if 0.0 < square < math.inf else 1.0
        bend = (float(problem.loss.smoothness()) if offers(problem.loss, "smoothness") else 0.0) or 1.0
        step, passes = 1.0 / (bend * ratio), 2.0
    scores, spare = np.empty(problem.design.n_rows()), np.empty(problem.design.n_rows())
    _, at = _extrapolate(problem, w, b, 0.0, spare, scores)
    omega, gap = gap_estimate(problem, w, b, at)
    objective = at.objective + omega
    return ProximalState(w, b, scores, objective, gap, w, b, at, spare, step, ratio, 1.0, objective, gap, 0, passes)


def advance(
    problem: Any, state: ProximalState, *, momentum: bool = False, restart: bool = False, constant: bool = False
) -> ProximalState:
    """One step of length t from the base: w' = prox_t(y - t g), the intercept's likewise.

    Unless `constant`, t is halved until  risk(w') <= risk(y) + <g, w' - y> + ||w' - y||^2 / (2 t)  (Beck and
    Teboulle, 2009); where rounding hides that, until the gradient's change agrees with it. The same read of the data
    gives risk(w') and the gradient at the next base w' + beta (w' - w), because its scores follow from theirs.
    `restart` drops the momentum where it points uphill, <y - w', w' - w> > 0 (O'Donoghue and Candes, 2015).
    """
    t, ratio, passes = state.step, state.ratio, state.passes
    may_grow = restart or not (momentum or constant)  # momentum alone needs steps that never grow
    shifted, w = np.empty(state.w.size), np.empty(state.w.size)
    for _ in range(MOST_TRIALS):
        take_step(problem.regularizer, state.y, state.at.weights, t, shifted, w)
        b = state.y_b - t * ratio * state.at.intercept
        uphill = _dot(state.y - w, w - state.w, (state.y_b - b) * (b - state.b), ratio) > 0.0
        # The invariant is t theta^2: a step that turns out shorter than its base assumed makes theta larger.
        theta = 1.0 if restart and uphill else state.theta * math.sqrt(state.step / t)
        longer = GROW * t if may_grow else t
        next_theta = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * theta * theta * t / longer))
        beta = (theta - 1.0) / next_theta if momentum else 0.0
        risk, at = _extrapolate(problem, w, b, beta, state.scores, state.spare)
        passes += 1.0
        y, y_b = w + beta * (w - state.w), b + beta * (b - state.b)
        if constant or _is_short_enough(state, t, w, b, risk, y, y_b, at):
            break
        t *= SHRINK
    else:
        return state._replace(passes=passes, flat=MOST_FLAT)
    if not math.isfinite(at.objective) and math.isfinite(risk):  # the momentum went where the loss overflows
        risk, at = _extrapolate(problem, w, b, 0.0, state.scores, state.spare)
        y, y_b, next_theta, passes = w, b, 1.0, passes + 1.0
    omega, gap = gap_estimate(problem, w, b, at)
    objective = risk + omega
    is_flat = abs(objective - state.best_objective) <= NOISE_LEFT * abs(objective) and gap >= 0.99 * state.best_gap
    return state._replace(
        w=w,
        b=b,
        scores=state.spare,
        objective=objective,
        gap=gap,
        y=y,
        y_b=y_b,
        at=at,
        spare=state.scores,
        step=longer if t == state.step else t,
        theta=next_theta,
        best_objective=min(objective, state.best_objective),
        best_gap=gap if gap < 0.99 * state.best_gap else state.best_gap,
        flat=state.flat + 1 if is_flat else 0,
        passes=passes,
    )


def gap_estimate(problem: Any, w: Vector, b: float, at: Gradient) -> tuple[float, float]:
    """Omega(w), and about the gap at (w, b) where `at` holds the mean loss and its gradient nearby.

    With v = -gradient it is Omega(w) + Omega*(v) - <w, v>. Where Omega* is infinite at v, either v is scaled down by c,
    which costs at most (1 - c) times the mean loss, or moved to the nearest finite point, which costs its way times
    the size of the weights.
    """
    v = -at.weights
    omega, gap = _omega_and_gap(problem.regularizer, w, v, abs(at.objective), np.empty(w.size))
    return float(omega), float(gap) + abs(at.intercept) * max(1.0, abs(b))


def _is_short_enough(
    state: ProximalState, t: float, w: Vector, b: float, risk: float, y: Vector, y_b: float, at: Gradient
) -> bool:
    moved, moved_b = w - state.y, b - state.y_b
    room = _dot(moved, moved, moved_b * moved_b, state.ratio) / (2.0 * t)
    if not room <= NOISE * abs(state.at.objective):
        slope = float(state.at.weights @ moved) + state.at.intercept * moved_b
        return risk <= state.at.objective + slope + room
    moved, moved_b = y - state.y, y_b - state.y_b
    bend = float((at.weights - state.at.weights) @ moved) + (at.intercept - state.at.intercept) * moved_b
    return bend <= _dot(moved, moved, moved_b * moved_b, state.ratio) / t


def _dot(p: Vector, q: Vector, product_b: float, ratio: float) -> float:
    """The inner product in which the intercept's step is as long as that of the weights."""
    return float(p @ q) + product_b / ratio


def _extrapolate(
    problem: Any, w: Vector, b: float, beta: float, old_scores: Vector, scores: Vector
) -> tuple[float, Gradient]:
    """The mean loss at (w, b), whose scores are written; that and its gradient at scores + beta (scores - old)."""

    def task(block: Block) -> tuple[float, float, float, Vector]:
        out = np.zeros(w.size)
        here, there, slope = _risk_and_gradient(
            problem.loss,
            problem.design,
            problem.labels,
            problem.weights,
            1.0 / problem.total_weight,
            block[0],
            block[1],
            w,
            b,
            beta,
            old_scores,
            scores,
            out,
        )
        return here, there, slope, out

    parts = map_blocks(task, problem.blocks, problem.n_threads)
    here, there = (exact_sum(part[k] for part in parts) for k in (0, 1))
    slope = sum(part[2] for part in parts) if problem.fit_intercept else 0.0
    return here, Gradient(there, sum_parts(part[3] for part in parts), slope)


@kernel
def _risk_and_gradient(loss, X, y, weights, scale, start, stop, w, b, beta, old_scores, scores, out):
    here = 0.0
    there = 0.0
    slope = 0.0
    for i in range(start, stop):
        z = X.dot_row(i, w) + b
        scores[i] = z
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            continue
        value = loss.value(z, y[i])
        here += s * value
        if beta != 0.0:
            z += beta * (z - old_scores[i])
            value = loss.value(z, y[i])
        there += s * value
        g = s * loss.derivative(z, y[i])
        if g != 0.0:
            slope += g
            X.add_row(i, g, out)
    return here, there, slope


@kernel
def take_step(regularizer, w, g, step, shifted, out):
    """Write prox(w - step g) to out; `shifted` is for w - step g."""
    for j in range(w.size):
        shifted[j] = w[j] - step * g[j]
    regularizer.prox(shifted, step, out)


@kernel
def _omega_and_gap(regularizer, w, v, risk, near):
    omega = regularizer.value(w)
    scale = regularizer.dual_scale(v, 0.0)
    along = 0.0
    size = 0.0
    for j in range(w.size):
        near[j] = scale * v[j]
        along += near[j] * w[j]
        size += w[j] * w[j]
    scaled = regularizer.conjugate(near) - along + (1.0 - scale) * risk
    regularizer.nearest_dual(v, near)
    along = 0.0
    way = 0.0
    for j in range(w.size):
        along += near[j] * w[j]
        way += (v[j] - near[j]) ** 2
    moved = regularizer.conjugate(near) - along + math.sqrt(way) * max(1.0, math.sqrt(size))
    return omega, max(0.0, omega + min(scaled, moved))
