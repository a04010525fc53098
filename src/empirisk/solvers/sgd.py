"""Stochastic (sub)gradient descent."""

from __future__ import annotations

import math
import numbers
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import is_quadratic
from empirisk.compiled import kernel
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import penalty
from empirisk.protocols import Progress, Vector
from empirisk.rows.protocol import Rows
from empirisk.solvers.sampling.averages import Average, begin_average
from empirisk.solvers.sampling.random_bits import Words, generator_of, seeded, words_of
from empirisk.solvers.sampling.schedules import (
    FACTOR,
    best_step,
    check_alpha,
    check_schedule,
    first_guess,
    named_schedule,
    trial_rows,
)
from empirisk.update_rules.subgradient import INTERCEPT, INTERCEPT_SUM, SCALE, STEPS, Schedule, subgradient_rule


class SGDState(NamedTuple):
    """Where the method stands."""

    w: Vector
    b: float
    average: Average  # of the weights, the intercept and -loss' as seen at each row
    order: Any  # rows in the order of the next pass
    random: Words
    schedule: Schedule
    ratio: float  # the intercept's step, in steps of the weights; 0 without one
    batch: int
    steps: float  # so far
    passes: float  # trials included


class SGD(NamedTuple):
    """w <- prox_{t Omega}(w - t g), where g is a (sub)gradient of the mean loss over `batch` rows drawn in turn.

    The steps t_k are alpha ("constant"), alpha / sqrt(k) ("inverse_sqrt") or 1 / (m (k + k0)) with m the strong
    convexity of Omega and the first one equal to alpha ("inverse"); "auto" takes the last where m is large enough for
    it to matter, else the second. alpha = 0 finds one by trials on a sample, and for the intercept another one by
    the size of the columns. batch = 0 takes as many rows as pay for a proximal step over all columns: one, where
    the rows are full or where Omega is l2 alone, whose step is a change of scale. `average` is "weighted", a mean of
    the points that favours late passes, "suffix", that of about the last half, "uniform", that of all, or "none", the
    last point. `shuffle` = False visits the rows in their order.
    Any convex loss, kinks included, to a modest precision. With the perceptron loss, schedule="constant", alpha=1,
    average="none", shuffle=False and l2 = 0 it is the perceptron.
    References: Robbins and Monro (1951); Shamir and Zhang (2013) for the mean; Bottou (2012) for the trials.
    """

    schedule: str = "auto"
    alpha: float = 0.0
    average: str = "weighted"
    batch: int = 0
    seed: int = 0
    shuffle: bool = True

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "convex", "regularizer.prox", "rows in memory")

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> SGDState:
        """Choose the steps; the start is the first point."""
        w, b = point.weights, point.intercept
        m = problem.regularizer.strong_convexity()
        check_alpha(self.alpha)
        check_schedule(self.schedule, m)
        if not (isinstance(self.batch, numbers.Integral) and self.batch >= 0):
            raise ValueError(f"batch must be a number of rows, or 0 to choose one, got {self.batch!r}")
        n = problem.rows.n_rows
        batch = min(self.batch, n) or (1 if is_quadratic(problem.regularizer) else _rows_as_wide_as_all(problem.rows))
        step, ratio, passes = (self.alpha, 1.0, 0.0) if self.alpha > 0.0 else (*first_guess(problem), 1.0)
        schedule = named_schedule(self.schedule, m, step, n / batch)
        ratio = ratio if problem.fit_intercept else 0.0
        average = begin_average(self.average, w.copy(), np.array([b]), np.zeros(n))
        order = np.arange(n, dtype=np.int32 if n < 2**31 else np.int64)
        random = seeded(self.seed)
        state = SGDState(w.copy(), b, average, order, random, schedule, ratio, batch, 0.0, passes)
        return state if self.alpha > 0.0 else _tuned(problem, state)

    def step(self, problem: EmpiricalRisk, state: SGDState) -> SGDState:
        """One pass over the rows."""
        if self.shuffle:
            random = generator_of(state.random)
            state = state._replace(order=random.permutation(state.order), random=words_of(random))
        new, pass_mean, _ = _pass(problem, state, state.order)
        if self.alpha == 0.0 and not math.isfinite(float(new.w.sum()) + new.b):
            # The sample of the trials was too kind, which happens where slopes grow without bound: shorter steps.
            return _with_first(state, state.schedule.first / FACTOR)._replace(passes=new.passes)
        return new._replace(average=state.average.after(*pass_mean))

    def point(self, state: SGDState) -> LinearPoint:
        """The mean and that of the dual variables, which proves more than its own at kinks; or the last point."""
        if self.average == "none" or state.average.is_empty:
            return LinearPoint(state.w.copy(), state.b)
        w, b, u = state.average.mean.parts
        return LinearPoint(w, float(b[0]), u)

    def progress(self, problem: EmpiricalRisk, state: SGDState) -> Progress:
        """Neither objective nor gap is known without a pass."""
        return Progress(state.passes, math.nan, math.nan)


def _rows_as_wide_as_all(rows: Rows) -> int:
    """How many rows have as many entries as there are columns."""
    n = rows.n_rows
    return min(n, max(1, round(rows.n_columns * n / max(1, rows.n_entries))))


def _tuned(problem: EmpiricalRisk, state: SGDState) -> SGDState:
    """With the first step that lowers the losses on the way most, over a sample of rows."""
    random = generator_of(state.random)
    rows = trial_rows(random, state.order, state.batch)
    state = state._replace(random=words_of(random))

    def value_after(step: float) -> float:
        after, _, losses = _pass(problem, _with_first(state, step), rows, measured=True)
        return losses + penalty(problem, after.w)

    _, step, trials = best_step(value_after, state.schedule.first)
    passes = state.passes + trials * rows.size / problem.rows.n_rows
    return _with_first(state, step)._replace(passes=passes)


def _with_first(state: SGDState, step: float) -> SGDState:
    return state._replace(schedule=state.schedule._replace(first=step))


def _pass(
    problem: EmpiricalRisk, state: SGDState, rows: Any, measured: bool = False
) -> tuple[SGDState, tuple[Vector, Vector, Vector], float]:
    """Visit these rows in turn; the mean of the points on the way, and of the losses met where `measured`."""
    n, u = problem.rows.n_rows, np.zeros(problem.rows.n_rows)
    is_averaged = state.average.kind != "none" and not measured
    at = state.w, state.b, state.steps
    rule = subgradient_rule(problem.regularizer, state.schedule, state.ratio, is_averaged, *at)
    data = problem.loss, problem.rows.whole(), problem.labels, problem.weights, n / problem.total_weight
    losses = _descend(*data, rule, rows, measured, u, np.empty(state.batch))
    b, sum_b, steps = rule.numbers[[INTERCEPT, INTERCEPT_SUM, STEPS]].tolist()
    new = state._replace(w=rule.w, b=b, steps=steps, passes=state.passes + rows.size / n)
    return new, (rule.w_mean, np.array([sum_b / (steps - state.steps)]), u), losses / rows.size


@kernel(borrows=True)
def _descend(loss, X, y, weights, share, rule, rows, measured, u, pulls):
    """Steps from as many rows at once as `pulls` has places; the sum of the losses met, where `measured`."""
    losses = 0.0
    first = 0
    while first < rows.size:
        size = min(pulls.size, rows.size - first)
        t = rule.schedule.length(rule.numbers[STEPS])
        for k in range(size):
            i = rows[first + k]
            s = share * weights[i] if weights.size else 1.0
            pulls[k] = 0.0
            if s == 0.0:
                continue
            z = rule.score(X, i)
            g = loss.derivative(z, y[i])
            if measured:
                losses += s * loss.value(z, y[i])
            pulls[k] = t * s * g / (size * rule.numbers[SCALE])  # stored: see `SubgradientRule.learn`
            u[i] = -g
        for k in range(size):
            if pulls[k] != 0.0:
                rule.pull(X, rows[first + k], pulls[k])
        first += size
        rule.end_step(t)
    rule.settle()
    return losses
