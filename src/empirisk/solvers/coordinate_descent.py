"""Coordinate descent for l1 and the elastic net, on working sets of columns."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import has_constant_curvature
from empirisk.compiled import kernel
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import scored, shares, squared_column_norms, weighted_sum
from empirisk.protocols import Progress, Vector
from empirisk.rows.protocol import Rows
from empirisk.solvers.quadratic_models.column_models import AllColumns, FewColumns, HessianAt, model_on, takes_all
from empirisk.solvers.quadratic_models.interval_penalty import IntervalPenalty
from empirisk.solvers.quadratic_models.model_step import Place, model_step, place_of, violation_of
from empirisk.solvers.sampling.row_sample import sample_of, stride_of
from empirisk.solvers.working_sets.columns import working_set
from empirisk.solvers.working_sets.gap_safe import floor_of, inside, sphere_of

FASTEST, FASTEST_DENSE = 8.0, 1.0  # growth of a working set, by the size of the last; dense columns cost the square
SCREENED = 0.1  # of the columns must go at once: leaving out a few costs more than it saves
LEFT = 0.1  # of the violation, when a working set is done with
MODEL_LEFT, MATRIX_LEFT = 0.1, 1e-3  # of the violation, when a model is; epochs on a matrix are cheap
EXACT_LEFT = 1e-8  # where the model is the problem itself
MOST_MODELS, STEP_PASSES = 10, 20.0  # on one working set, and in one step
SAMPLED_ROWS, SAMPLED_ENTRIES = 32, 1 << 18  # for each column, in a sample, and of the data, where it pays
SAMPLE_LEFT, SAMPLE_STEPS = 0.03, 10  # the relative gap where the sample has told what it can, and the most steps
MOST_FLAT = 10  # steps without a better gap or objective
ROUNDING = 1e-14  # of the objective


class CoordinateDescentState(NamedTuple):
    """Where the method stands."""

    at: Place
    columns: NDArray[np.int64]  # those that are not screened off
    g: Vector  # the gradient of the mean loss on them
    penalty: IntervalPenalty
    norms: Vector  # sqrt((1/S) sum_i s_i x_ij^2)
    floor: float
    ids: NDArray[np.int64]  # columns of the last model; empty before
    hessian: HessianAt | None  # of the last model, where it takes all columns at each step; None on working sets
    objective: float
    gap: float
    violation: float
    damping: float
    best_gap: float
    flat: int  # steps since that or the objective got better
    passes: float


class CoordinateDescent(NamedTuple):
    """Minimise Newton's model of the mean loss, plus the penalty, one weight at a time on a working set of columns.

    The working set holds the weights that are not zero and other columns, those nearest to their dual constraint
    |v_j| <= l1 or furthest beyond; columns that the duality gap proves to be unused are left out for good, and only
    those of the working set are copied. Coordinate descent on the model is accelerated by Anderson's extrapolation, and
    uses the Hessian where it is cheap (few columns, rows with few entries), else the residual. On many rows it starts
    from the answer for a sample of them.
    References: Friedman, Hastie and Tibshirani (2010); Yuan, Ho and Lin (2012); Massias, Gramfort and Salmon (2018);
    Ndiaye, Fercoq, Gramfort and Salmon (2017); Bertrand and Massias (2021).
    """

    first_size: int = 20  # of the working set, at least
    screening: bool = True
    sampling: bool = True  # start from the answer for a sample of the rows, where there are many
    seed: int = 0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        loss = ("loss.derivative", "loss.second_derivative", "loss.conjugate")
        return (*loss, "no kinks", "convex", "regularizer.interval", "rows in memory")

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> CoordinateDescentState:
        """Evaluate the start."""
        w, b = point.weights, point.intercept
        n, d, passes = problem.rows.n_rows, problem.rows.n_columns, 2.0
        stride = stride_of(problem, SAMPLED_ROWS, SAMPLED_ENTRIES)
        if stride and self.sampling and not np.any(w) and _is_hard(problem):
            w, b, extra = self._from_sample(problem, w, b, stride)
            passes += extra
        scores = scored(problem.rows, w, b) if np.any(w) else np.full(n, b)
        at = place_of(problem, w.copy(), b, scores)
        norms = np.sqrt(squared_column_norms(problem, shares(problem)))
        penalty = IntervalPenalty.of(problem.regularizer)
        unknown = (math.nan, math.inf, math.inf, 0.0, math.inf, 0)
        state = CoordinateDescentState(
            at,
            np.arange(d),
            weighted_sum(problem, at.slopes)[0],
            penalty,
            norms,
            floor_of(problem),
            np.arange(0),
            HessianAt() if takes_all(problem) else None,
            *unknown,
            passes,
        )
        return self._measured(problem, state)

    def step(self, problem: EmpiricalRisk, state: CoordinateDescentState) -> CoordinateDescentState:
        """Newton's models on one working set until its violation is small, then the gradient of all columns."""
        at, damping, passes, violation = state.at, state.damping, state.passes, state.violation
        ids, hessian = self._working_set(problem.rows, state), state.hessian
        if hessian is not None:
            whole = AllColumns(problem, hessian)
            left = EXACT_LEFT if has_constant_curvature(problem.loss) else MATRIX_LEFT
            at, damping, took = model_step(problem, whole, at, state.g, state.penalty, damping, left * violation)
            g, hessian, passes = whole.gradient(at.slopes), whole.hessian, passes + took + 2.0
        else:
            model = model_on(problem, ids)
            left = MATRIX_LEFT if isinstance(model, FewColumns) else MODEL_LEFT
            part = state.g[np.searchsorted(state.columns, ids)]
            for _ in range(MOST_MODELS):
                at, damping, took = model_step(problem, model, at, part, state.penalty, damping, left * violation)
                part, passes = model.gradient(at.slopes), passes + took + 2.0 * model.share
                violation = violation_of(problem, at, ids, part, state.penalty, state.norms)
                if violation <= LEFT * state.violation or passes - state.passes >= STEP_PASSES:
                    break
            g = part
            if ids.size < state.columns.size:
                g, passes = weighted_sum(problem, at.slopes)[0], passes + 1.0
                g = g if state.columns.size == g.size else g[state.columns]
        moved = state._replace(at=at, g=g, ids=ids, hessian=hessian, damping=damping, passes=passes)
        return self._measured(problem, moved)

    def point(self, state: CoordinateDescentState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint(state.at.w.copy(), state.at.b)

    def progress(self, problem: EmpiricalRisk, state: CoordinateDescentState) -> Progress:
        """The gap of the dual point that the slopes imply."""
        is_sure = math.isfinite(state.gap)
        return Progress(state.passes, state.objective, state.gap, state.flat >= MOST_FLAT, is_sure=is_sure)

    def _from_sample(self, problem: EmpiricalRisk, w: Vector, b: float, stride: int) -> tuple[Vector, float, float]:
        """About the answer for every few rows, and the passes that it took."""
        smaller = sample_of(problem, stride, self.seed)
        if smaller is None:
            return w, b, 0.0
        state = self._replace(sampling=False).init(smaller, LinearPoint(w, b))
        for _ in range(SAMPLE_STEPS):
            if state.gap <= SAMPLE_LEFT * state.objective:
                break
            state = self.step(smaller, state)
        if not math.isfinite(state.objective):
            return w, b, state.passes / stride
        return state.at.w, state.at.b, state.passes / stride

    def _working_set(self, rows: Rows, state: CoordinateDescentState) -> NDArray[np.int64]:
        if state.penalty.l1 == 0.0 or state.hessian is not None:
            return state.columns
        l1, most = state.penalty.l1, FASTEST if rows.is_sparse else FASTEST_DENSE
        return working_set(state.columns, state.ids, state.at.w, state.g, state.norms, l1, self.first_size, most)

    def _measured(self, problem: EmpiricalRisk, state: CoordinateDescentState) -> CoordinateDescentState:
        """With objective, gap and violation, and without the columns that the gap excludes."""
        at, columns, g, penalty = state.at, state.columns, state.g, state.penalty
        omega, along = _omega(penalty, at.w, columns, g)
        objective = at.risk + omega
        sphere = sphere_of(
            problem, penalty, at.slopes, g, objective, omega, along, float(state.norms.max()), state.floor
        )
        if self.screening and state.hessian is None:
            keep = inside(problem, penalty, sphere, columns, g, at.w, state.norms, objective)
            if np.count_nonzero(keep) < (1.0 - SCREENED) * columns.size:
                columns, g = columns[keep], g[keep]
        falls = not objective >= state.objective - ROUNDING * abs(objective)
        is_flat = not (falls or sphere.gap < 0.99 * state.best_gap)
        return state._replace(
            columns=columns,
            g=g,
            objective=objective,
            gap=sphere.gap,
            violation=violation_of(problem, at, columns, g, penalty, state.norms),
            best_gap=min(sphere.gap, state.best_gap),
            flat=state.flat + 1 if is_flat else 0,
        )


def _is_hard(problem: EmpiricalRisk) -> bool:
    """Whether it takes more than a step or two; and something holds the weights, which may run off on few rows."""
    return not has_constant_curvature(problem.loss) and problem.regularizer.growth() + problem.regularizer.l2 > 0.0


@kernel
def _omega(penalty, w, ids, g):
    """Omega(w), and <w, g> over the columns of g."""
    omega = 0.0
    along = 0.0
    for k in range(ids.size):
        value = w[ids[k]]
        if value != 0.0:
            omega += penalty.l1 * abs(value) + 0.5 * penalty.l2 * value * value
            along += value * g[k]
    return omega, along
