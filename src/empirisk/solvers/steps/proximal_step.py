"""The proximal gradient step x <- prox(x - t grad), with its line search and momentum, in one read of the data."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import TINY
from empirisk.capabilities import offers, splits
from empirisk.compiled import kernel
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.passes import (
    Gradient,
    blank_scores,
    extrapolated_gradient,
    prox,
    shares,
    squared_column_norms,
)
from empirisk.protocols import Array, Regularizer

GROW, SHRINK = 1.1, 0.5
MOST_TRIALS = 60
NOISE = 1e-12  # of the risk: below it, differences of risks are rounding
NOISE_LEFT = 1e-15  # of the objective: what rounding makes of it
MOST_FLAT = 50  # steps in a row that change it by no more, and do not improve the gap
RISES, GROWN = 10, 1e3  # the rule of divergence


class Best(NamedTuple):
    """The best point of a run with constant steps, and what tells that it diverges."""

    x: Array
    objective: float
    start: float = math.nan  # the objective at the start
    last: float = math.inf
    rises: int = 0  # in a row

    def after(self, x: Array, objective: float) -> Best:
        """With one more point."""
        start = self.objective if math.isnan(self.start) else self.start
        rises = self.rises + 1 if objective > self.last else 0
        point = (x, objective) if objective < self.objective else self[:2]
        return Best(*point, start, objective, rises)


def has_diverged(best: Best, objective: float) -> bool:
    """Not finite, or risen ten steps in a row to a thousand times the size of the start and of the fall since.

    A convergent run may rise for a few steps where the curvature differs from place to place, and a loss that grows
    linearly may throw it far in one step; neither does both.
    """
    size = max(abs(best.start), best.start - best.objective)
    return not math.isfinite(objective) or (best.rises >= RISES and objective - best.start > GROWN * size)


class ProximalState(NamedTuple):
    """Where a proximal gradient method stands: at x, about to step from the base y."""

    x: Array
    scores: Array  # at x
    objective: float
    gap: float  # estimate
    y: Array  # the base: x moved on by the momentum
    at: Gradient  # mean loss and its gradient at the base
    spare: Array  # a buffer for scores
    step: float  # the next one to try
    ratio: float  # the intercepts' step, in steps of the weights
    theta: float  # the momentum's sequence; 1 where it starts
    best_objective: float
    best_gap: float
    flat: int  # steps since either got better
    passes: float


def begin(problem: LinearRisk, x: Array, step: float = 0.0) -> ProximalState:
    """Evaluate the start.

    Without a given step the first one is the longest that a single column allows. The curvature in the intercept
    is that of a column of ones: its step is longer by the mean square of the longest column.
    """
    passes, ratio = 1.0, 1.0
    if step == 0.0:
        square = float(squared_column_norms(problem, shares(problem)).max())
        ratio = square if 0.0 < square < math.inf else 1.0
        step, passes = 1.0 / max(_bend(problem.loss) * ratio, TINY), 2.0
    scores, spare = blank_scores(problem, x), blank_scores(problem, x)
    _, at = extrapolated_gradient(problem, x, 0.0, spare, scores)
    omega, gap = gap_estimate(problem, x, at)
    objective = at.objective + omega
    return ProximalState(x, scores, objective, gap, x, at, spare, step, ratio, 1.0, objective, gap, 0, passes)


def advance(
    problem: LinearRisk, state: ProximalState, *, momentum: bool = False, restart: bool = False, constant: bool = False
) -> ProximalState:
    """One step of length t from the base: x' = prox_t(y - t g); the intercepts, not penalised, have their own length.

    Unless `constant`, t is halved until  risk(x') <= risk(y) + <g, x' - y> + ||x' - y||^2 / (2 t)  (Beck and
    Teboulle, 2009); where rounding hides that, until the gradient's change agrees with it. The same read of the data
    gives risk(x') and the gradient at the next base x' + beta (x' - x), because its scores follow from theirs.
    `restart` drops the momentum where it points uphill, <y - x', x' - x> > 0 (O'Donoghue and Candes, 2015).
    """
    t, ratio, passes = state.step, state.ratio, state.passes
    may_grow = restart or not (momentum or constant)  # momentum alone needs steps that never grow
    for _ in range(MOST_TRIALS):
        if t == 0.0:  # shorter than floats tell
            return state._replace(passes=passes, flat=MOST_FLAT)
        x = proximal_point(problem.regularizer, state.y, state.at.slope, t, ratio)
        uphill = _dot(state.y - x, x - state.x, ratio) > 0.0
        # The invariant is t theta^2: a step that turns out shorter than its base assumed makes theta larger.
        theta = 1.0 if restart and uphill else state.theta * math.sqrt(state.step / t)
        longer = GROW * t if may_grow else t
        next_theta = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * theta * theta * t / longer))
        beta = (theta - 1.0) / next_theta if momentum else 0.0
        risk, at = extrapolated_gradient(problem, x, beta, state.scores, state.spare)
        passes += 1.0
        y = x + beta * (x - state.x)
        if constant or _is_short_enough(state, t, x, risk, y, at):
            break
        t *= SHRINK
    else:
        return state._replace(passes=passes, flat=MOST_FLAT)
    if not math.isfinite(at.objective) and math.isfinite(risk):  # the momentum went where the loss overflows
        risk, at = extrapolated_gradient(problem, x, 0.0, state.scores, state.spare)
        y, next_theta, passes = x, 1.0, passes + 1.0
    omega, gap = gap_estimate(problem, x, at)
    objective = risk + omega
    is_flat = abs(objective - state.best_objective) <= NOISE_LEFT * abs(objective) and gap >= 0.99 * state.best_gap
    return state._replace(
        x=x,
        scores=state.spare,
        objective=objective,
        gap=gap,
        y=y,
        at=at,
        spare=state.scores,
        step=longer if t == state.step else t,
        theta=next_theta,
        best_objective=min(objective, state.best_objective),
        best_gap=gap if gap < 0.99 * state.best_gap else state.best_gap,
        flat=state.flat + 1 if is_flat else 0,
        passes=passes,
    )


def proximal_point(regularizer: Regularizer, x: Array, slope: Array, t: float, ratio: float) -> Array:
    """prox_t(x - t slope); the intercepts take a plain step, `ratio` times as long."""
    shifted = x - t * slope
    point = np.empty(x.shape)
    prox(regularizer, shifted[:-1].ravel(), t, point[:-1].reshape(-1))
    point[-1] = x[-1] - t * ratio * slope[-1]
    return point


def gap_estimate(problem: LinearRisk, x: Array, at: Gradient) -> tuple[float, float]:
    """Omega, and about the gap at x where `at` holds the mean loss and its gradient nearby.

    With v = -gradient it is Omega(w) + Omega*(v) - <w, v>. Where Omega* is infinite at v, either v is scaled down by c,
    which costs at most (1 - c) times the mean loss, or moved to the nearest finite point, which costs the distance
    times the size of the weights. The slope in the intercepts is charged for ones of about their size.
    """
    w, v = x[:-1].ravel(), -at.weights.ravel()
    omega, gap = _omega_and_gap(problem.regularizer, w, v, abs(at.objective), np.empty(w.size))
    return float(omega), float(gap) + float(np.abs(at.slope[-1]).sum() * np.abs(x[-1]).max(initial=1.0))


def _bend(loss: Any) -> float:
    """A bound on the curvature of the loss; 1 where it declares none."""
    base = loss.base if splits(loss) else loss  # one-versus-rest bends as its base does
    return (float(base.smoothness()) if offers(base, "smoothness") else 0.0) or 1.0


def _is_short_enough(state: ProximalState, t: float, x: Array, risk: float, y: Array, at: Gradient) -> bool:
    """risk(x) <= risk(y) + <g, x - y> + ||x - y||^2 / (2 t); by the change of g where rounding hides that."""
    moved = x - state.y
    room = _dot(moved, moved, state.ratio) / (2.0 * t)
    if not room <= NOISE * abs(state.at.objective):
        return bool(risk <= state.at.objective + float(np.vdot(state.at.slope, moved)) + room)
    moved = y - state.y
    return float(np.vdot(at.slope - state.at.slope, moved)) <= _dot(moved, moved, state.ratio) / t


def _dot(p: Array, q: Array, ratio: float) -> float:
    """The inner product in which the intercepts' step is as long as that of the weights."""
    return float(np.vdot(p[:-1], q[:-1])) + float(np.vdot(p[-1], q[-1])) / ratio


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
    square = 0.0
    for j in range(w.size):
        along += near[j] * w[j]
        square += (v[j] - near[j]) ** 2
    moved = regularizer.conjugate(near) - along + math.sqrt(square) * max(1.0, math.sqrt(size))
    return omega, max(0.0, omega + min(scaled, moved))
