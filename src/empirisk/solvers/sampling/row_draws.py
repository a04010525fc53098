"""Variance-reduced stochastic gradient steps on rows that are drawn.

The step from row i, drawn with probability q_i, is

    w <- prox_t(w - t (c_i x_i + g)),   c_i = (p_i / q_i) (loss'(z_i) + u_i),   g = -sum_i p_i u_i x_i,   p_i = s_i / S,

where -u_i is a derivative of the loss kept for the row (`update_rules.variance_reduced`).
"""

from __future__ import annotations

import math
import numbers
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.one_score_passes import implied_duals
from empirisk.problems.passes import Gradient, risk_gradient, squared_column_norms, squared_row_norms
from empirisk.problems.passes import shares as row_shares
from empirisk.protocols import Vector
from empirisk.solvers.steps.proximal_step import gap_estimate
from empirisk.update_rules.variance_reduced import INTERCEPT, INTERCEPT_SLOPE, variance_reduced_rule

LEAST_UNIFORM = 0.1  # share of the draws: it bounds p_i / q_i by ten times that of uniform draws
LEAST_OWED = 256  # steps between two updates of all coordinates
OWED_ROWS = 8  # or as many as have this many times as many entries as there are columns
STEPS = (1.0, 0.5, 1.0 / 3.0)  # in 1 / L, the last is the theory's


class RowDraws(NamedTuple):
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
        """RowDraws in random order, row i as often as `size` q_i says, rounded up or down at random.

        Each place of the list holds row i with probability q_i. Equal q_i give a permutation.
        """
        before = np.floor(size * self.ends + random.random())
        rows = np.repeat(np.arange(self.ends.size), np.diff(before, prepend=0.0).astype(np.int64))
        random.shuffle(rows)
        return rows


def row_sampling(problem: EmpiricalRisk) -> RowDraws:
    """Probabilities from the rows' smoothness."""
    n = problem.rows.n_rows
    shares = row_shares(problem)
    norms = squared_row_norms(problem)
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
    return RowDraws(shares, shares * inverse, ends / ends[-1], float((curvatures * inverse).max()) or 1.0, ratio)


@kernel(borrows=True)
def _descend(loss, smoothness, X, y, rows, sampling, rule, moves, u):
    """One step for each of these rows; with `moves` u_i and g follow, as in SAGA.

    Returns what was seen on the way: the mean loss and sum_i p_i change_i^2 / (2 smoothness), which estimates the
    losses' part of the duality gap.
    """
    shares, factors = sampling.shares, sampling.factors
    risk = 0.0
    stale = 0.0
    for m in range(rows.size):
        i = rows[m]
        z = rule.score(X, i)
        new = -loss.derivative(z, y[i])
        change = new - u[i]
        pull = factors[i] * change
        moved = 0.0
        if moves:
            risk += factors[i] * loss.value(z, y[i])
            stale += pull * change
            u[i] = new
            moved = shares[i] * change
        rule.move(X, i, pull, moved)
    rule.settle()
    return risk / rows.size, stale / (2.0 * smoothness * rows.size)


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


def table_at(problem: EmpiricalRisk, w: Vector, b: float) -> Table:
    """u_i = -loss'(z_i) at (w, b), by one pass."""
    scores = problem.rows.blank()
    at = risk_gradient(problem, np.append(w, b), scores)
    return Table(w, b, implied_duals(problem, scores), at.weights, at.intercept, at.objective)


def visit(
    problem: EmpiricalRisk, table: Table, sampling: RowDraws, rows: NDArray[np.int64], step: float, moves: bool
) -> Table:
    """One step for each of these rows; with `moves` u and g follow, else they stay what they were at the start."""
    u, g = (table.u.copy(), table.g.copy()) if moves else (table.u, table.g)
    n, d = problem.rows.n_rows, problem.rows.n_columns
    most_owed = min(n, max(LEAST_OWED, OWED_ROWS * d * n // max(1, problem.rows.n_entries)))
    at, t = (table.w.copy(), table.b, g, table.g_b), step / sampling.smoothness
    rule = variance_reduced_rule(problem.regularizer, t, sampling.ratio, most_owed, *at)
    smoothness = float(problem.loss.smoothness()) or 1.0
    seen = _descend(problem.loss, smoothness, problem.rows.whole(), problem.labels, rows, sampling, rule, moves, u)
    return Table(rule.w, float(rule.numbers[INTERCEPT]), u, g, float(rule.numbers[INTERCEPT_SLOPE]), *seen)


def estimates(problem: EmpiricalRisk, table: Table) -> tuple[float, float]:
    """Objective and duality gap: exact where u_i = -loss'(z_i), else as seen on the way."""
    at = Gradient(table.risk, np.append(table.g, table.g_b))
    omega, gap = gap_estimate(problem, np.append(table.w, table.b), at)
    return table.risk + omega, gap + table.stale
