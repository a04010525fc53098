"""Variance-reduced stochastic gradient steps on single rows, at the cost of the row's entries.

The step from row i, drawn with probability q_i, is

    w <- prox_t(w - t (c_i x_i + g)),   c_i = (p_i / q_i) (loss'(z_i) + u_i),   g = -sum_i p_i u_i x_i,   p_i = s_i / S,

where -u_i is a derivative of the loss kept for the row. All of it but c_i x_i is the same at every step, and where
Omega is a sum over coordinates, k such steps of a coordinate have a closed form: it is brought up to date when a row
touches it. Reference: Schmidt, Le Roux and Bach (2017), section 4.1.
"""

from __future__ import annotations

import math
import numbers
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.designs import n_entries
from empirisk.problems.passes import Gradient, implied_duals, risk_gradient, squared_column_norms
from empirisk.problems.passes import shares as row_shares
from empirisk.protocols import Vector
from empirisk.solvers.sdca import squared_row_norms
from empirisk.solvers.steps.proximal_step import gap_estimate

LEAST_UNIFORM = 0.1  # share of the draws: it bounds p_i / q_i by ten times that of uniform draws
LEAST_LAG = 256  # steps between two updates of all coordinates
LAG_ROWS = 8  # or as many as have this many times as many entries as there are columns
STEPS = (1.0, 0.5, 1.0 / 3.0)  # in 1 / L, the last is the theory's


class Rows(NamedTuple):
    """How rows are drawn: q_i proportional to m + 4 L_i, with m the strong convexity of Omega.

    L_i = p_i smoothness (||x_i||^2 + ratio) is the smoothness of the row's term; `ratio` is the intercept's step in
    steps of the weights. Reference: Gower, Richtarik and Bach (2021), section 5.
    """

    shares: Vector  # p_i
    factors: Vector  # p_i / q_i
    ends: Vector  # q_1 + ... + q_i
    smoothness: float  # the largest L_i / q_i: the step is at most about its inverse
    ratio: float

    def draw(self, random: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Rows in random order, row i as often as `size` q_i says, rounded up or down at random.

        Each place of the list holds row i with probability q_i. Equal q_i give a permutation.
        """
        before = np.floor(size * self.ends + random.random())
        rows = np.repeat(np.arange(self.ends.size), np.diff(before, prepend=0.0).astype(np.int64))
        random.shuffle(rows)
        return rows


def row_sampling(problem: Any) -> Rows:
    """Probabilities from the rows' smoothness."""
    n = problem.design.n_rows()
    shares = row_shares(problem)
    norms = np.empty(n)
    squared_row_norms(problem.design, norms)
    ratio = float(squared_column_norms(problem, shares).max()) or 1.0 if problem.fit_intercept else 0.0
    curvatures = shares * float(problem.loss.smoothness()) * (norms + ratio)
    present = shares > 0.0
    total, m = float(curvatures.sum()), float(np.count_nonzero(present)) * problem.regularizer.strong_convexity()
    if not math.isfinite(total):
        raise ValueError("the squares of X overflow; scale its columns down")
    uniform = max(LEAST_UNIFORM, m / (m + 4.0 * total)) if total > 0.0 else 1.0
    chances = uniform * present / np.count_nonzero(present)
    if total > 0.0:
        chances += (1.0 - uniform) / total * curvatures
    ends = np.cumsum(chances)
    chances /= ends[-1]
    inverse = np.divide(1.0, chances, out=np.zeros(n), where=present)
    return Rows(shares, shares * inverse, ends / ends[-1], float((curvatures * inverse).max()) or 1.0, ratio)


class Lag(NamedTuple):
    """The steps w_j <- prox_t(w_j - t g_j) that coordinates have yet to take.

    With Omega = l1 ||w||_1 + l2/2 ||w||^2 on low <= w_j <= high, and while w_j keeps its sign, k of them lead to
    w_j r^k - (g_j + sign l1) t (r + ... + r^k) with r = 1 / (1 + t l2).
    """

    since: NDArray[np.int64]  # the step that w_j waits for
    powers: Vector  # r^k
    sums: Vector  # t (r + ... + r^k)
    step: float  # t
    l2: float
    l1: float
    low: float
    high: float


def _lag(problem: Any, step: float) -> Lag:
    """Nothing to take yet."""
    l2 = float(problem.regularizer.strong_convexity())
    d, n = problem.design.n_columns(), problem.design.n_rows()
    k = np.arange(1 + min(n, max(LEAST_LAG, LAG_ROWS * d * n // max(1, n_entries(problem.design)))))
    rate = math.log1p(step * l2)
    powers, sums = np.exp(-k * rate), -np.expm1(-k * rate) / l2 if rate > 0.0 else step * k
    return Lag(np.zeros(d, np.int64), powers, sums, step, l2, *map(float, problem.regularizer.interval()))


@kernel
def _steps(x, g, k, power, total, step, l2, l1, low, high):
    """k steps from x. A step is an increasing function, so they go one way, and clipping the last is clipping each."""
    if not low <= x <= high:  # where a row pulled it: the first step brings it back
        x = min(max(_one_step(x, g, step, l2, l1), low), high)
        k -= 1
        power, total = _power_and_sum(k, step, l2)
    if l1 > 0.0:
        if x == 0.0 and abs(g) <= l1:
            return x
        sign = math.copysign(1.0, x if x != 0.0 else -g)
        slope = g + sign * l1
        if sign * (power * x - total * slope) < 0.0:
            return min(max(_cross_zero(x, g, k, sign, step, l2, l1), low), high)
        g = slope
    return min(max(power * x - total * g, low), high)


@kernel
def _cross_zero(x, g, k, sign, step, l2, l1):
    """k steps, with those that keep the sign of x, one to zero or across, and those away from it or none."""
    slope = g + sign * l1
    kept = math.log1p(l2 * x / slope) / math.log1p(step * l2) if step * l2 > 0.0 else x / (slope * step)
    kept = min(k - 1.0, math.floor(kept))
    power, total = _power_and_sum(kept, step, l2)
    x = sign * min(0.0, sign * _one_step(power * x - total * slope, g, step, l2, l1))
    power, total = _power_and_sum(k - 1.0 - kept, step, l2)
    return power * x - total * sign * max(0.0, sign * g - l1)


@kernel
def _one_step(x, g, step, l2, l1):
    moved = x - step * g
    return math.copysign(max(0.0, abs(moved) - step * l1) / (1.0 + step * l2), moved)


@kernel
def _power_and_sum(k, step, l2):
    rate = math.log1p(step * l2)
    return math.exp(-k * rate), (-math.expm1(-k * rate) / l2 if rate > 0.0 else step * k)


@kernel
def _descend(loss, smoothness, X, y, rows, sampling, lag, intercept, moves, w, b, g, g_b, u):
    """One step for each of these rows; with `moves` u_i and g follow, as in SAGA.

    Returns the intercept, its g, and what was seen on the way: the mean loss and
    sum_i p_i change_i^2 / (2 smoothness), which estimates the losses' part of the duality gap.
    """
    since, powers, sums, step, l2, l1, low, high = lag
    shares, factors, _, _, ratio = sampling
    risk = 0.0
    stale = 0.0
    clock = 0
    is_l2 = l1 == 0.0 and low == -math.inf and high == math.inf
    for m in range(rows.size):
        i = rows[m]
        for entry in range(X.row_size(i)):
            j = X.column_at(i, entry)
            k = clock - since[j]
            since[j] = clock
            if is_l2:
                w[j] = powers[k] * w[j] - sums[k] * g[j]
            else:
                w[j] = _steps(w[j], g[j], k, powers[k], sums[k], step, l2, l1, low, high)
        z = X.dot_row(i, w) + b
        new = -loss.derivative(z, y[i])
        change = new - u[i]
        pull = factors[i] * change
        if intercept:
            b += step * ratio * (pull - g_b)
        if moves:
            risk += factors[i] * loss.value(z, y[i])
            stale += pull * change
            u[i] = new
            change *= shares[i]
            if intercept:
                g_b -= change
            X.add_row(i, -change, g)
            pull -= change  # this step is still to be taken, with the g before
        X.add_row(i, step * pull, w)
        clock += 1
        if clock == powers.size - 1 or m == rows.size - 1:
            for j in range(w.size):
                k = clock - since[j]
                w[j] = _steps(w[j], g[j], k, powers[k], sums[k], step, l2, l1, low, high)
                since[j] = 0
            clock = 0
    return b, g_b, risk / rows.size, stale / (2.0 * smoothness * rows.size)


def check_step(value: float) -> float:
    """The first step in 1 / L: the given one, or for 0 the longest of STEPS."""
    if isinstance(value, bool) or not (isinstance(value, numbers.Real) and 0.0 <= value < math.inf):
        raise ValueError(f"step_length must be a finite number >= 0, in 1 / L, got {value!r}")
    return float(value) or STEPS[0]


def shorter(step: float) -> float:
    """The next of STEPS; the last one stays."""
    return next((other for other in STEPS if other < step), step)


class Table(NamedTuple):
    """A point (w, b), the dual variables u kept for the rows, and g = -sum_i p_i u_i x_i with that of the intercept."""

    w: Vector
    b: float
    u: Vector
    g: Vector
    g_b: float
    risk: float = math.nan  # the mean loss: at (w, b), or as seen on the way there
    stale: float = 0.0  # about sum_i p_i (u_i + loss'(z_i))^2 / (2 smoothness)


def table_at(problem: Any, w: Vector, b: float) -> Table:
    """u_i = -loss'(z_i) at (w, b), by one pass."""
    u = np.empty(problem.design.n_rows())
    at = risk_gradient(problem, np.append(w, b), u)
    implied_duals(problem.loss, problem.labels, u)
    return Table(w, b, u, at.weights, at.intercept, at.objective)


def visit(problem: Any, table: Table, sampling: Rows, rows: NDArray[np.int64], step: float, moves: bool) -> Table:
    """One step for each of these rows; with `moves` u and g follow, else they stay what they were at the start."""
    w = table.w.copy()
    u, g = (table.u.copy(), table.g.copy()) if moves else (table.u, table.g)
    lag = _lag(problem, step / sampling.smoothness)
    b, g_b, risk, stale = _descend(
        problem.loss,
        float(problem.loss.smoothness()) or 1.0,
        problem.design,
        problem.labels,
        rows,
        sampling,
        lag,
        problem.fit_intercept,
        moves,
        w,
        table.b,
        g,
        table.g_b,
        u,
    )
    return Table(w, b, u, g, g_b, risk, stale)


def estimates(problem: Any, table: Table) -> tuple[float, float]:
    """Objective and duality gap: exact where u_i = -loss'(z_i), else as seen on the way."""
    at = Gradient(table.risk, np.append(table.g, table.g_b))
    omega, gap = gap_estimate(problem, np.append(table.w, table.b), at)
    return table.risk + omega, gap + table.stale
