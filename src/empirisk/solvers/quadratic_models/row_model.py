"""The minimiser of Newton's model through its rows, for more columns than rows with curvature.

With R the rows x_i sqrt(c_i) that have curvature, r the roots sqrt(c_i) and g the gradient of the mean loss, the model
is  <g, p> + g_b p_b + 1/2 ||R p + r p_b||^2 + Omega(w_0 + p). Its dual, over a number a_i for each of these rows, is

    maximise  min_w <q, w - w_0> + Omega(w) - 1/2 ||a||^2  with  q = g + R^T a  where  <r, a> + g_b = 0,

and where Omega is l1 |w| + l2/2 w^2 on an interval, for each weight, the inner minimiser w(q) is in closed form. It is
smooth and of two pieces or three for each column, so that Newton's method, in which the columns at a bound or at zero
drop out, ends after a few steps, whatever the scales and correlations. A step solves a system of as many equations as
there are such rows, or columns that are free, whichever are fewer. Reference: Li, Sun and Toh (2018).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse

from empirisk.capabilities import offers
from empirisk.designs import as_design, matrix_of
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.passes import LossAt
from empirisk.protocols import Array, Matrix, Vector
from empirisk.rows.protocol import RowVector
from empirisk.rows.vectors import nonzero_count, nonzero_rows, with_entries
from empirisk.solvers.quadratic_models.interval_penalty import IntervalPenalty
from empirisk.solvers.steps.line_search import root_of_slope

LEAST_COLUMNS = 300  # for which the d x d model costs something
L1_COLUMNS = 2500  # with l1, whose kinks at zero make the steps short where l2 is small: more than a matrix can have
MOST_EQUATIONS = 2500  # a matrix of 50 MB, and some tenths of a second to factor
MOST_STEPS = 60


class RowSolution(NamedTuple):
    """The best point that was found, the slopes of the rows that the dual gives it, and the passes that it took."""

    x: Vector
    slopes: RowVector
    passes: float


class _At(NamedTuple):
    """What belongs to the dual variables a."""

    a: Vector
    q: Vector  # g + R^T a
    w: Vector
    is_free: Vector  # neither at a bound nor held at zero
    rest: Vector  # R (w - w_0) - a: the gradient of the dual
    value: float


def takes_rows(problem: LinearRisk, curvatures: Array | None = None) -> bool:
    """Whether the model is minimised through its rows: with these curvatures, or whatever they are."""
    d = problem.rows.n_columns
    if not offers(problem.regularizer, "interval") or (curvatures is not None and curvatures.ndim > 1):
        return False
    count = problem.rows.n_rows if curvatures is None else nonzero_count(problem.rows, curvatures)
    least = L1_COLUMNS if problem.regularizer.interval()[0] > 0.0 else LEAST_COLUMNS
    is_wide = d > least and count < min(d, MOST_EQUATIONS)
    return is_wide and float(problem.regularizer.strong_convexity()) > 0.0


def minimize_through_rows(
    problem: LinearRisk,
    x: Vector,
    loss: LossAt,
    slope: Vector,
    curvatures: RowVector,
    last: RowVector | None,
    tol: float,
) -> RowSolution | None:
    """The minimiser of the model at x, to within tol of its value; None where it overflowed, or bends nowhere.

    `last` are slopes of the rows that a model nearby ended with.
    """
    model = _RowModel(problem, x, slope, curvatures)
    if not (np.all(np.isfinite(model.roots)) and (model.total > 0.0 or not problem.fit_intercept)):
        return None
    at = model.at(model.balanced(np.zeros(model.roots.size)))
    if last is not None:
        moved = problem.rows.pick(last - loss.slopes, model.active)
        other = model.at(model.balanced(moved / model.roots))
        at = other if other.value > at.value else at
    best, least, steps = x, math.inf, 0
    while steps < MOST_STEPS and math.isfinite(at.value):
        steps += 1
        point, value = model.primal(at)
        if value < least:
            best, least = point, value
        direction = model.direction(at) if least - at.value > tol else None
        new = None if direction is None else model.searched(at, direction)
        if new is None or not new.value > at.value:
            break
        at = new
    if not math.isfinite(least):
        return None
    moved = problem.rows.pick(loss.slopes, model.active) + model.roots * at.a
    slopes = with_entries(problem.rows, loss.slopes, model.active, moved)
    return RowSolution(best, slopes, 3.0 * steps * model.roots.size / problem.rows.n_rows)


class _RowModel:
    """The model at a point."""

    def __init__(self, problem: LinearRisk, x: Vector, slope: Vector, curvatures: RowVector) -> None:
        self.active = nonzero_rows(problem.rows, curvatures)
        self.roots = np.sqrt(problem.rows.pick(curvatures, self.active))
        rows = matrix_of(problem.rows.take(self.active))
        if scipy.sparse.issparse(rows):
            self.rows: Any = scipy.sparse.diags_array(self.roots) @ rows.astype(np.float64)
        else:
            self.rows = rows * self.roots[:, None]
        self.columns = as_design(self.rows.T)
        self.omega = IntervalPenalty.of(problem.regularizer)
        self.has_intercept = problem.fit_intercept
        self.w, self.b, self.slope, self.slope_b = x[:-1], float(x[-1]), slope[:-1], float(slope[-1])
        self.total = float(self.roots @ self.roots)

    def balanced(self, a: Vector) -> Vector:
        """The nearest dual variables that the intercept allows."""
        if not self.has_intercept:
            return a
        return a - (self.slope_b + float(self.roots @ a)) / self.total * self.roots

    def at(self, a: Vector) -> _At:
        """The inner minimiser, the gradient and the value of the dual."""
        q = self.slope + self.rows.T @ a
        w = self._least(q)
        is_free = ((w > self.omega.low) & (w < self.omega.high)).astype(np.float64)
        if self.omega.l1 > 0.0:  # held at zero by its kink
            is_free[w == 0.0] = 0.0
        p = w - self.w
        return _At(a, q, w, is_free, self.rows @ p - a, float(q @ p) + self._penalty(w) - 0.5 * float(a @ a))

    def searched(self, at: _At, direction: Vector) -> _At:
        """The best place on the line, on which the slope of the dual takes no look at the rows."""
        change, along, length = self.rows.T @ direction, float(at.a @ direction), float(direction @ direction)

        def slope(t: float) -> float:
            return along + t * length - float(change @ (self._least(at.q + t * change) - self.w))

        return self.at(at.a + root_of_slope(slope) * direction)

    def _least(self, q: Vector) -> Vector:
        """The w that minimises <q, w> + Omega(w)."""
        shrunk = -np.sign(q) * np.maximum(np.abs(q) - self.omega.l1, 0.0) / self.omega.l2
        return np.clip(shrunk, self.omega.low, self.omega.high)

    def primal(self, at: _At) -> tuple[Vector, float]:
        """The point that belongs to it, with the best intercept, and the model there."""
        p = at.w - self.w
        moved = at.rest + at.a
        step = -(self.slope_b + float(self.roots @ moved)) / self.total if self.has_intercept else 0.0
        off = moved + step * self.roots
        value = float(self.slope @ p) + self.slope_b * step + 0.5 * float(off @ off) + self._penalty(at.w)
        return np.append(at.w, self.b + step), value

    def direction(self, at: _At) -> Vector | None:
        """Newton's for the dual variables; None where the system cannot be solved."""
        right = np.column_stack((at.rest, self.roots)) if self.has_intercept else at.rest[:, None]
        try:
            solved = self._solved(at.is_free, right)
        except scipy.linalg.LinAlgError:
            return None
        if not np.all(np.isfinite(solved)):
            return None
        if not self.has_intercept:
            return solved[:, 0]
        first, second = solved.T
        return first - float(self.roots @ first) / float(self.roots @ second) * second

    def _solved(self, is_free: Vector, right: Matrix) -> Matrix:
        """(I + R_F R_F^T / l2)^-1 right, with F the free columns, by whichever side is smaller (Woodbury)."""
        count, free, l2 = self.roots.size, np.flatnonzero(is_free), self.omega.l2
        if free.size < count:
            part = self.rows[:, free]
            part = part.toarray() if scipy.sparse.issparse(part) else part
            gram = part.T @ part
            gram[np.diag_indices(free.size)] += l2
            factor = scipy.linalg.cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
            return right - part @ scipy.linalg.cho_solve(factor, part.T @ right, check_finite=False)
        gram = np.zeros((count, count))
        self.columns.add_gram(is_free / l2, gram)
        gram[np.diag_indices(count)] += 1.0
        factor = scipy.linalg.cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
        found: Matrix = scipy.linalg.cho_solve(factor, right, check_finite=False)
        return found

    def _penalty(self, w: Vector) -> float:
        return self.omega.l1 * float(np.abs(w).sum()) + 0.5 * self.omega.l2 * float(w @ w)
