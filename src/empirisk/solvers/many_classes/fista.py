"""The accelerated proximal gradient method FISTA for many classes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import exact_sum
from empirisk.compiled import kernel
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.multiclass_passes import MulticlassGradient, as_point, from_point, sum_over_rows
from empirisk.problems.passes import squared_column_norms
from empirisk.protocols import Matrix, Progress, offers
from empirisk.solvers.steps.proximal_step import GROW, MOST_FLAT, MOST_TRIALS, NOISE, NOISE_LEFT, SHRINK


class MulticlassFISTAState(NamedTuple):
    """Where the method stands: at x, about to step from the base y; points are (d + 1) x K, intercepts last."""

    x: Matrix
    scores: Matrix  # at x
    objective: float
    gap: float  # estimate
    y: Matrix  # the base: x moved on by the momentum
    at: MulticlassGradient  # mean loss and its gradient at the base
    spare: Matrix  # a buffer for scores
    step: float  # the next one to try
    ratio: float  # the intercepts' step, in steps of the weights
    theta: float  # the momentum's sequence; 1 where it starts
    best_objective: float
    best_gap: float
    flat: int  # steps since either got better
    passes: float


class MulticlassFISTA(NamedTuple):
    """X' = prox_{t Omega}(Y - t grad R(Y)), then Y = X' + beta_k (X' - X), for all classes with one step t.

    The intercepts are not penalised and have a longer step. Backtracking, growing steps and `restart` as in `fista.py`
    and `proximal_step.py`; one read of the data a step. References: Beck and Teboulle (2009); Scheinberg, Goldfarb and
    Bai (2014) for growing steps; O'Donoghue and Candes (2015) for restarts.
    """

    restart: bool = True

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.gradient", "no kinks", "convex", "regularizer.prox")

    def init(self, problem: Any, point: LinearPoint) -> MulticlassFISTAState:
        """Evaluate the start; the first step is the longest that a single column allows."""
        w, b = point.weights, point.intercept
        x = as_point(w, b)
        square = float(squared_column_norms(problem, problem.row_weights()).max())
        ratio = square if 0.0 < square < math.inf else 1.0
        base = problem.loss.base if problem.loss.splits() else problem.loss
        bend = float(problem.loss.smoothness()) if offers(base, "smoothness") else 1.0
        scores, spare = (np.empty((problem.design.n_rows(), problem.n_classes)) for _ in range(2))
        _, at = _extrapolate(problem, x, 0.0, spare, scores)
        omega, gap = omega_and_gap(problem, x, at)
        objective = at.objective + omega
        return MulticlassFISTAState(
            x, scores, objective, gap, x, at, spare, 1.0 / (bend * ratio), ratio, 1.0, objective, gap, 0, 2.0
        )

    def step(self, problem: Any, state: MulticlassFISTAState) -> MulticlassFISTAState:
        """One step of length t, halved until the risk falls as much as its bound says."""
        t, passes = state.step, state.passes
        for _ in range(MOST_TRIALS):
            x = _proximal(problem.regularizer, state, t)
            uphill = _dot(state.y - x, x - state.x, state.ratio) > 0.0
            # The invariant is t theta^2: a step that turns out shorter than its base assumed makes theta larger.
            theta = 1.0 if self.restart and uphill else state.theta * math.sqrt(state.step / t)
            longer = GROW * t if self.restart else t  # momentum alone needs steps that never grow
            next_theta = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * theta * theta * t / longer))
            beta = (theta - 1.0) / next_theta
            risk, at = _extrapolate(problem, x, beta, state.scores, state.spare)
            passes += 1.0
            y = x + beta * (x - state.x)
            if _is_short_enough(state, t, x, risk, y, at):
                break
            t *= SHRINK
        else:
            return state._replace(passes=passes, flat=MOST_FLAT)
        if not math.isfinite(at.objective) and math.isfinite(risk):  # the momentum went where the loss overflows
            risk, at = _extrapolate(problem, x, 0.0, state.scores, state.spare)
            y, next_theta, passes = x, 1.0, passes + 1.0
        omega, gap = omega_and_gap(problem, x, at)
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
            best_gap=min(gap, state.best_gap),
            flat=state.flat + 1 if is_flat else 0,
            passes=passes,
        )

    def point(self, state: MulticlassFISTAState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint(*from_point(state.x))

    def progress(self, problem: Any, state: MulticlassFISTAState) -> Progress:
        """The gap is estimated from the gradient at the base of the next step."""
        return Progress(state.passes, state.objective, state.gap, state.flat >= MOST_FLAT)


def _proximal(regularizer: Any, state: MulticlassFISTAState, t: float) -> Matrix:
    """prox_t(y - t grad); the intercepts take a plain step."""
    x = state.y - t * state.at.slope
    x[-1] = state.y[-1] - t * state.ratio * state.at.slope[-1]
    weights = x[:-1].ravel()
    _prox(regularizer, weights, t, weights)
    return x


def omega_and_gap(problem: Any, x: Matrix, at: MulticlassGradient) -> tuple[float, float]:
    """Omega, and about the gap at x where `at` holds the mean loss and its gradient nearby.

    As in `proximal_step`: Omega(W) + Omega*(V) - <W, V> with V = -gradient; for l2 = 0 that V is scaled or clipped.
    """
    l1, l2 = problem.regularizer.l1, problem.regularizer.l2
    w, v = x[:-1], -at.slope[:-1]
    size = math.sqrt(float(np.vdot(w, w)))
    omega = l1 * float(np.abs(w).sum()) + 0.5 * l2 * size * size
    near = np.clip(v, -l1, l1)
    way = float(np.vdot(v - near, v - near))  # the square of it
    if l2 > 0.0:
        gap = omega + way / (2.0 * l2) - float(np.vdot(w, v))
    else:
        scale = min(1.0, l1 / max(float(np.abs(v).max()), np.finfo(float).tiny))
        scaled = (1.0 - scale) * at.objective - scale * float(np.vdot(w, v))
        gap = omega + min(scaled, math.sqrt(way) * max(1.0, size) - float(np.vdot(w, near)))
    slope_b = float(np.abs(at.slope[-1]).sum())
    return omega, max(0.0, gap) + slope_b * max(1.0, float(np.abs(x[-1]).max()))


def _is_short_enough(
    state: MulticlassFISTAState, t: float, x: Matrix, risk: float, y: Matrix, at: MulticlassGradient
) -> bool:
    """risk(x) <= risk(y) + <g, x - y> + ||x - y||^2 / (2 t); by the change of g where rounding hides that."""
    moved = x - state.y
    room = _dot(moved, moved, state.ratio) / (2.0 * t)
    if not room <= NOISE * abs(state.at.objective):
        return risk <= state.at.objective + float(np.vdot(state.at.slope, moved)) + room
    moved = y - state.y
    return float(np.vdot(at.slope - state.at.slope, moved)) <= _dot(moved, moved, state.ratio) / t


def _dot(p: Matrix, q: Matrix, ratio: float) -> float:
    """The inner product in which the intercepts' step is as long as that of the weights."""
    return float(np.vdot(p[:-1], q[:-1])) + float(np.vdot(p[-1], q[-1])) / ratio


def _extrapolate(
    problem: Any, x: Matrix, beta: float, old_scores: Matrix, scores: Matrix
) -> tuple[float, MulticlassGradient]:
    """The mean loss at x, whose scores are written; that and its gradient at scores + beta (scores - old)."""
    here: list[float] = []  # in any order: the sum is exact

    def at_rows(first: int, last: int, out: Matrix) -> float:
        rows = slice(first, last)
        risk, ahead = _risks_and_gradients(
            problem.loss,
            problem.labels[rows],
            problem.weights[rows],
            1.0 / problem.total_weight,
            beta,
            old_scores[rows],
            scores[rows],
            out,
        )
        here.append(risk)
        return ahead

    slope, risks = sum_over_rows(problem, x, at_rows, scores)
    if not problem.fit_intercept:
        slope[-1] = 0.0
    return exact_sum(here), MulticlassGradient(exact_sum(risks), slope)


@kernel
def _risks_and_gradients(loss, labels, weights, scale, beta, old_scores, scores, out):
    here = 0.0
    there = 0.0
    z = np.empty(scores.shape[1])
    for i in range(labels.size):
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            out[i, :] = 0.0
            continue
        for j in range(z.size):
            z[j] = scores[i, j] + (beta * (scores[i, j] - old_scores[i, j]) if beta != 0.0 else 0.0)
        value = loss.gradient(z, labels[i], out[i])
        there += s * value
        here += s * (loss.value(scores[i], labels[i]) if beta != 0.0 else value)
        for j in range(z.size):
            out[i, j] *= s
    return here, there


@kernel
def _prox(regularizer, w, step, out):
    regularizer.prox(w, step, out)
