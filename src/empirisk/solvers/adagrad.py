"""AdaGrad: stochastic subgradient steps with a length for each coordinate."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import TINY
from empirisk.capabilities import offers
from empirisk.compiled import kernel
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import penalty, risk_gradient, shares, squared_column_norms
from empirisk.protocols import Progress, Vector
from empirisk.solvers.sampling.averages import Average, begin_average
from empirisk.solvers.sampling.random_bits import Words, generator_of, seeded, words_of
from empirisk.solvers.sampling.schedules import FACTOR, best_step, check_alpha, trial_rows
from empirisk.update_rules.adagrad import adagrad_rule

LEAST_SQUARE = 1e-16  # of the largest sum of squares, for columns of zeros
SPARSE = 0.25  # share of entries below which a step visits those of its row only


class AdagradState(NamedTuple):
    """Where the method stands."""

    w: Vector
    b: float
    squares: Vector  # sums of squared derivatives, one a column
    square_b: float
    average: Average  # of the weights, the intercept and -loss' as seen at each row
    order: Any  # rows in the order of the next pass
    random: Words
    alpha: float
    ratio: float  # the intercept's alpha, in those of the weights
    passes: float  # trials included


class Adagrad(NamedTuple):
    """x = w - g / h, then w <- the minimiser of Omega(w) + sum_j h_j (w_j - x_j)^2 / 2.

    Here g is a (sub)gradient of the loss at one row and h_j = sqrt(sum g_j^2) / alpha, summed over the steps so far,
    and with the mean over the rows at the start to begin with: columns that are rarely non-zero keep long steps. A
    constraint is projected onto in the norm of h, which the steps are taken in. On sparse rows, where Omega is l1 and
    l2 on a box, a step costs the row's non-zeros. alpha = 0 finds one by trials on a sample. `average` is "weighted",
    "suffix", "uniform" or "none", as for SGD; the objective at the mean falls like 1/sqrt(t). `shuffle` = False visits
    the rows in their order.
    Reference: Duchi, Hazan and Singer (2011).
    """

    alpha: float = 0.0
    average: str = "weighted"
    seed: int = 0
    shuffle: bool = True

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "convex", "regularizer.prox_scaled", "rows in memory")

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> AdagradState:
        """The mean squares of the derivatives at the start, and a step length that suits them."""
        w, b = point.weights, point.intercept
        check_alpha(self.alpha)
        n = problem.rows.n_rows
        average = begin_average(self.average, w.copy(), np.array([b]), np.zeros(n))
        squares, square_b = _mean_squares(problem, w, b)
        columns = squared_column_norms(problem, shares(problem))
        guess, ratio = 1.0 / math.sqrt(float(columns.sum()) or 1.0), math.sqrt(float(columns.max()) or 1.0)
        guess = max(guess, math.sqrt(TINY))  # where squares overflow
        alpha, ratio = (self.alpha, 1.0) if self.alpha > 0.0 else (guess, ratio)
        order = np.arange(n, dtype=np.int32 if n < 2**31 else np.int64)
        random = seeded(self.seed)
        state = AdagradState(w.copy(), b, squares, square_b, average, order, random, alpha, ratio, 3.0)
        return state if self.alpha > 0.0 else _tuned(problem, state)

    def step(self, problem: EmpiricalRisk, state: AdagradState) -> AdagradState:
        """One pass over the rows."""
        if self.shuffle:
            random = generator_of(state.random)
            state = state._replace(order=random.permutation(state.order), random=words_of(random))
        new, pass_mean, _ = _pass(problem, state, state.order)
        if self.alpha == 0.0 and not math.isfinite(float(new.w.sum()) + new.b):
            # The sample of the trials was too kind, which happens where slopes grow without bound: shorter steps.
            return state._replace(alpha=state.alpha / FACTOR, passes=new.passes)
        return new._replace(average=state.average.after(*pass_mean))

    def point(self, state: AdagradState) -> LinearPoint:
        """The mean and that of the dual variables; or the last point."""
        if self.average == "none" or state.average.is_empty:
            return LinearPoint(state.w.copy(), state.b)
        w, b, u = state.average.mean.parts
        return LinearPoint(w, float(b[0]), u)

    def progress(self, problem: EmpiricalRisk, state: AdagradState) -> Progress:
        """Neither objective nor gap is known without a pass."""
        return Progress(state.passes, math.nan, math.nan)


def _mean_squares(problem: EmpiricalRisk, w: Vector, b: float) -> tuple[Vector, float]:
    """The mean over the rows of each squared derivative at (w, b), none of them zero."""
    scores = np.empty(problem.rows.n_rows)
    risk_gradient(problem, np.append(w, b), scores)
    slopes = shares(problem)
    _times_squared_slopes(problem.loss, problem.labels, slopes * problem.rows.n_rows, scores, slopes)
    squares = squared_column_norms(problem, slopes)
    least = LEAST_SQUARE * float(squares.max()) or 1.0
    return np.maximum(squares, least), max(float(slopes.sum()), least)


def _tuned(problem: EmpiricalRisk, state: AdagradState) -> AdagradState:
    """With the alpha that lowers the losses on the way most, over a sample of rows."""
    random = generator_of(state.random)
    rows = trial_rows(random, state.order)
    state = state._replace(random=words_of(random))

    def value_after(alpha: float) -> float:
        after, _, losses = _pass(problem, state._replace(alpha=alpha), rows)
        return losses + penalty(problem, after.w)

    _, alpha, trials = best_step(value_after, state.alpha)
    return state._replace(alpha=alpha, passes=state.passes + trials * rows.size / problem.rows.n_rows)


def _pass(
    problem: EmpiricalRisk, state: AdagradState, rows: Any
) -> tuple[AdagradState, tuple[Vector, Vector, Vector], float]:
    """Visit these rows in turn; the mean of the points on the way, and of the losses met."""
    data, regularizer = problem.rows, problem.regularizer
    n, d = data.n_rows, data.n_columns
    intercept_alpha = state.ratio * state.alpha if problem.fit_intercept else 0.0
    is_lazy = offers(regularizer, "interval") and data.n_entries < SPARSE * n * d
    at = state.w, state.b, state.squares, state.square_b
    rule, u = adagrad_rule(regularizer, is_lazy, state.alpha, intercept_alpha, *at), np.zeros(n)
    losses = _descend(
        problem.loss, data.whole(), problem.labels, problem.weights, n / problem.total_weight, rule, rows, u
    )
    b, square_b, sum_b, steps, *_ = rule.numbers.tolist()
    new = state._replace(w=rule.w, b=b, squares=rule.squares, square_b=square_b, passes=state.passes + rows.size / n)
    return new, (rule.w_mean, np.array([sum_b / steps]), u), losses / rows.size


@kernel
def _times_squared_slopes(loss, y, weights, scores, out):
    for i in range(out.size):
        if weights[i] > 0.0:
            slope = weights[i] * loss.derivative(scores[i], y[i])
            out[i] *= slope * loss.derivative(scores[i], y[i])


@kernel(borrows=True)
def _descend(loss, X, y, weights, share, rule, rows, u):
    losses = 0.0
    for k in range(rows.size):
        i = rows[k]
        s = share * weights[i] if weights.size else 1.0
        slope = 0.0
        if s > 0.0:
            z = rule.score(X, i)
            g = loss.derivative(z, y[i])
            losses += s * loss.value(z, y[i])
            u[i] = -g
            slope = s * g
        rule.learn(X, i, slope)
    rule.settle()
    return losses
