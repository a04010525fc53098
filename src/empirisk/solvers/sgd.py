"""Stochastic (sub)gradient descent."""

from __future__ import annotations

import math
import numbers
from typing import Any, NamedTuple

import numpy as np

from empirisk.compiled import kernel
from empirisk.designs import n_entries
from empirisk.problems.passes import penalty, squared_column_norms
from empirisk.protocols import Progress, Vector, is_quadratic, offers

SCHEDULES = {"constant": 0, "inverse_sqrt": 1, "inverse": 2}
LATE = 3.0  # of averages: the k-th point enters with weight (LATE + 1) / (LATE + k), so that the late ones count most
TRIAL_ROWS, TRIAL_BATCHES = 1000, 50
FACTOR, MOST_TRIALS = 4.0, 40  # of trial steps
LEAST_SCALE = 1e-50


class SGDState(NamedTuple):
    """Where the method stands."""

    w: Vector  # the weights are scale * w
    scale: float
    b: float
    mean: Vector  # of the weights
    mean_b: float
    u: Vector  # mean of -loss' as seen at each row: a dual point, because domains of conjugates are convex
    order: Any  # rows in the order of the next pass
    random: np.random.Generator
    plan: Plan
    steps: float  # so far
    means: float  # points in the mean
    n_passes: float  # over the rows
    passes: float  # trials included


class Plan(NamedTuple):
    """How the steps are taken."""

    schedule: int
    step: float  # the first one
    ratio: float  # the intercept's step, in steps of the weights
    batch: int
    stride: int  # steps from one point of the mean to the next


class SGD(NamedTuple):
    """w <- prox_{t Omega}(w - t g), where g is a (sub)gradient of the mean loss over `batch` rows drawn in turn.

    The steps t_k are alpha ("constant"), alpha / sqrt(k) ("inverse_sqrt") or 1 / (m (k + k0)) with m the strong
    convexity of Omega and the first one equal to alpha ("inverse"); "auto" takes the last where m is large enough for
    it to matter, else the second. alpha = 0 finds one by trials on a sample, and for the intercept another one by
    the size of the columns. batch = 0 takes as many rows as pay for a proximal step over all columns: one, where
    the rows are full or where Omega is l2 alone, whose step is a change of scale. `average` returns a mean of the
    points that favours late ones, else the last point. `shuffle` = False visits the rows in their order.
    Any convex loss, kinks included, to a modest precision. With the perceptron loss, schedule="constant", alpha=1,
    average=False, shuffle=False and l2 = 0 it is the perceptron.
    References: Robbins and Monro (1951); Shamir and Zhang (2013) for the mean; Bottou (2012) for the trials.
    """

    schedule: str = "auto"
    alpha: float = 0.0
    average: bool = True
    batch: int = 0
    seed: int = 0
    shuffle: bool = True

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "convex", "regularizer.prox")

    def init(self, problem: Any, w: Vector, b: float) -> SGDState:
        """Choose the steps; the start is the first point."""
        self._check()
        n, d = problem.design.n_rows(), problem.design.n_columns()
        order = np.arange(n, dtype=np.int32 if n < 2**31 else np.int64)
        random = np.random.default_rng(self.seed)
        width = max(1, round(d * n / max(1, n_entries(problem.design))))  # rows with as many entries as columns
        batch = self.batch or (1 if is_quadratic(problem.regularizer) else min(width, n))
        step, ratio, passes = (self.alpha, 1.0, 0.0) if self.alpha > 0.0 else (*_first_guess(problem), 1.0)
        m = problem.regularizer.strong_convexity()
        if self.schedule == "inverse" and not m > 0.0:
            raise ValueError("schedule 'inverse' needs l2 > 0; take 'inverse_sqrt'")
        falls_soon = m * step * n >= batch  # the steps 1 / (m (k + k0)) halve within a pass
        schedule = ("inverse" if falls_soon else "inverse_sqrt") if self.schedule == "auto" else self.schedule
        plan = Plan(SCHEDULES[schedule], step, ratio, batch, max(1, min(width, n) // batch))
        state = SGDState(w.copy(), 1.0, b, w.copy(), b, np.zeros(n), order, random, plan, 0.0, 0.0, 0.0, passes)
        return state if self.alpha > 0.0 else _tuned(problem, state)

    def step(self, problem: Any, state: SGDState) -> SGDState:
        """One pass over the rows."""
        if self.shuffle:
            state.random.shuffle(state.order)
        late = LATE if self.average else math.inf
        fresh = state._replace(w=state.w.copy(), mean=state.mean.copy(), u=state.u.copy())
        new, _ = _pass(problem, fresh, state.order, late)
        if self.alpha == 0.0 and not math.isfinite(float(new.w.sum()) + new.b):
            # The sample of the trials was too kind, which happens where slopes grow without bound: shorter steps.
            return state._replace(plan=state.plan._replace(step=state.plan.step / FACTOR), passes=new.passes)
        return new

    def point(self, state: SGDState) -> tuple[Vector, float, Vector | None]:
        """The mean and that of the dual variables, which proves more than its own at kinks; or the last point."""
        return (state.mean.copy(), state.mean_b, state.u) if self.average else (state.scale * state.w, state.b, None)

    def progress(self, problem: Any, state: SGDState) -> Progress:
        """Neither objective nor gap is known without a pass."""
        return Progress(state.passes, math.nan, math.nan)

    def _check(self) -> None:
        if self.schedule not in ("auto", *SCHEDULES):
            names = ", ".join(("auto", *SCHEDULES))
            raise ValueError(f"schedule must be one of {names}, got {self.schedule!r}")
        if not (isinstance(self.alpha, numbers.Real) and 0.0 <= self.alpha < math.inf):
            raise ValueError(f"alpha must be a finite number >= 0, got {self.alpha!r}")
        if not (isinstance(self.batch, numbers.Integral) and self.batch >= 0):
            raise ValueError(f"batch must be a number of rows, or 0 to choose one, got {self.batch!r}")


def _first_guess(problem: Any) -> tuple[float, float]:
    """A step that fits the curvature in a row of mean size; the intercept's, as that of a column of ones."""
    shares = (problem.weights if problem.weights.size else np.ones(problem.design.n_rows())) / problem.total_weight
    squares = squared_column_norms(problem, shares)
    bend = (float(problem.loss.smoothness()) if offers(problem.loss, "smoothness") else 0.0) or 1.0
    return 1.0 / (bend * (float(squares.sum()) or 1.0)), float(squares.max()) or 1.0


def _tuned(problem: Any, state: SGDState) -> SGDState:
    """With the first step that lowers the losses on the way most, over a sample of rows and powers of four."""
    rows = state.random.permutation(state.order)[: max(TRIAL_ROWS, TRIAL_BATCHES * state.plan.batch)]

    def tried(step: float) -> tuple[float, Plan]:
        plan = state.plan._replace(step=step)
        fresh = state._replace(w=state.w.copy(), mean=state.mean.copy(), u=state.u.copy(), plan=plan)
        after, losses = _pass(problem, fresh, rows, math.inf, measured=True)
        value = losses + penalty(problem, after.scale * after.w)
        return (value if math.isfinite(value) else math.inf), plan

    best, trials = tried(state.plan.step), 1
    for factor in (FACTOR, 1.0 / FACTOR):
        while trials < MOST_TRIALS:
            new = tried(best[1].step * factor)
            trials += 1
            if not new[0] < best[0]:
                break
            best = new
    return state._replace(plan=best[1], passes=state.passes + trials * rows.size / problem.design.n_rows())


def _pass(problem: Any, state: SGDState, rows: Any, late: float, measured: bool = False) -> tuple[SGDState, float]:
    """Visit these rows in turn; also, where `measured`, the mean of the losses met on the way."""
    regularizer, plan = problem.regularizer, state.plan
    scale, b, mean_b, steps, means, losses = _descend(
        problem.loss,
        problem.design,
        problem.labels,
        problem.weights,
        problem.design.n_rows() / problem.total_weight,
        regularizer,
        is_quadratic(regularizer),
        regularizer.strong_convexity(),
        problem.fit_intercept,
        rows,
        plan,
        measured,
        late,
        state.n_passes,
        state.w,
        state.scale,
        state.b,
        state.mean,
        state.mean_b,
        state.u,
        state.steps,
        state.means,
        np.empty(plan.batch),
    )
    new = state._replace(
        scale=scale,
        b=b,
        mean_b=mean_b,
        steps=steps,
        means=means,
        n_passes=state.n_passes + 1.0,
        passes=state.passes + rows.size / problem.design.n_rows(),
    )
    return new, losses / rows.size


@kernel
def _descend(
    loss, X, y, weights, share, regularizer, is_l2, m, intercept, rows, plan, measured, late, n_passes,
    w, scale, b, mean, mean_b, u, steps, means, pulls,
):  # fmt: skip
    losses = 0.0
    seen = (late + 1.0) / (late + 1.0 + n_passes) if late < math.inf else 1.0
    first = 0
    while first < rows.size:
        size = min(plan.batch, rows.size - first)
        if plan.schedule == 0:
            t = plan.step
        elif plan.schedule == 1:
            t = plan.step / math.sqrt(steps + 1.0)
        else:
            t = 1.0 / (m * steps + 1.0 / plan.step)
        steps += 1.0
        for k in range(size):
            i = rows[first + k]
            s = share * weights[i] if weights.size else 1.0
            pulls[k] = 0.0
            if s == 0.0:
                continue
            z = scale * X.dot_row(i, w) + b
            g = loss.derivative(z, y[i])
            if measured:
                losses += s * loss.value(z, y[i])
            pulls[k] = t * s * g / size
            # Kept between its ends: a mean must not leave the domain of the conjugate by rounding.
            low = min(u[i], -g)
            high = max(u[i], -g)
            u[i] = min(high, max(low, u[i] - seen * (u[i] + g)))
        for k in range(size):
            if pulls[k] != 0.0:
                X.add_row(rows[first + k], -pulls[k] / scale, w)
                if intercept:
                    b -= plan.ratio * pulls[k]
        if is_l2:
            scale /= 1.0 + t * m
            if scale < LEAST_SCALE:
                for j in range(w.size):
                    w[j] *= scale
                scale = 1.0
        else:
            regularizer.prox(w, t, w)
        first += size
        if late < math.inf and steps % plan.stride == 0.0:
            means += 1.0
            part = (late + 1.0) / (late + means)
            for j in range(w.size):
                mean[j] += part * (scale * w[j] - mean[j])
            mean_b += part * (b - mean_b)
    return scale, b, mean_b, steps, means, losses
