"""The linear program of a piecewise linear loss, solved by HiGHS."""

from __future__ import annotations

import logging
import math
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.arithmetic.linear_programs import solve_linear_program
from empirisk.capabilities import name_of
from empirisk.designs import matrix_of
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Progress, Unsupported, Vector

log = logging.getLogger("empirisk")

METHODS = {"interior_point": "highs-ipm", "simplex": "highs-ds"}
TOLERANCE = 1e-9  # of HiGHS, in a program whose columns and costs are of size one


class LinearProgramState(NamedTuple):
    """Before the program is solved, or after."""

    w: Vector
    b: float
    u: Vector | None  # the dual point, once it is solved
    iterations: float
    has_failed: bool = False


class LinearProgram(NamedTuple):
    """The exact minimum, at a corner, for piecewise linear losses on l1 ||w||_1 with low <= w_j <= high.

    HiGHS gets the dual program. With the slopes of row i in order, a_0 < a_1 < ..., and the scores z_ik where one
    piece meets the next, it is, over g_i = a_i0 + sum_k m_ik with 0 <= m_ik <= a_ik - a_i,k-1,

        minimise (1/S) sum_i s_i sum_k z_ik m_ik + Omega*(v)  where  (1/S) sum_i s_i g_i x_i + v = 0, sum_i s_i g_i = 0:

    d + 1 rows and n bounded columns or more; w and b are the multipliers of the rows and u = -g the dual point.
    `method` is "interior_point", which ends with a walk to a corner, or "simplex": the dual simplex method.
    References: Portnoy and Koenker (1997); Huangfu and Hall (2018).
    """

    method: str = "interior_point"

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.pieces", "convex", "regularizer.interval", "l2 = 0", "rows in memory")

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> LinearProgramState:
        """Nothing is solved yet."""
        w, b = point.weights, point.intercept
        if self.method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, got {self.method!r}")
        return LinearProgramState(w, b, None, 0.0)

    def step(self, problem: EmpiricalRisk, state: LinearProgramState) -> LinearProgramState:
        """Solve the program."""
        rows = np.flatnonzero(problem.weights) if problem.weights.size else np.arange(problem.rows.n_rows)
        s = problem.weights[rows] if problem.weights.size else np.ones(rows.size)
        slopes, meetings = _pieces(problem.loss, problem.labels[rows])
        steepest = float(np.abs(slopes).max())
        steps = slopes / steepest  # in units of that: HiGHS has tolerances of its own
        widths = np.diff(steps, axis=0)
        X, sizes = _scaled_columns(problem, rows, s)
        unit = float(np.abs(meetings).max()) or _largest_score(problem, sizes)
        regular, right = _conjugate_columns(problem, sizes, unit, steepest)
        columns = scipy.sparse.hstack([X.multiply(width[None, :]) for width in widths] + [regular.matrix], format="csc")
        costs, sums = np.append((s * widths * meetings / unit).ravel(), regular.costs), right - X @ steps[0]
        if not all(np.all(np.isfinite(numbers)) for numbers in (costs, sums, columns.data)):
            return _failed(state, "its numbers are larger than float64 holds")  # linprog would raise its own error
        for method in sorted(METHODS, key=lambda name: name != self.method):  # the other where the one fails
            found = solve_linear_program(
                costs,
                A_eq=columns,
                b_eq=sums,
                bounds=np.vstack([np.tile([0.0, 1.0], (widths.size, 1)), regular.bounds]),
                method=METHODS[method],
                options={
                    "presolve": False,
                    "primal_feasibility_tolerance": TOLERANCE,
                    "dual_feasibility_tolerance": TOLERANCE,
                },
            )
            if found.status == 0:
                break
        if not _is_solved(problem, found, slopes):
            return _failed(state, f"HiGHS did not solve it; it says: {found.message}")
        with np.errstate(over="ignore"):
            multipliers = unit * found.eqlin.marginals / sizes
        if not np.all(np.isfinite(multipliers)):
            return _failed(state, "the weights that solve it are larger than float64 holds")
        shares = np.clip(found.x[: widths.size].reshape(widths.shape), 0.0, 1.0)
        u = np.full(problem.rows.n_rows, np.nan)
        u[rows] = -np.clip(steepest * (steps[0] + np.sum(shares * widths, axis=0)), slopes[0], slopes[-1])
        d = problem.rows.n_columns
        b = float(multipliers[d]) if problem.fit_intercept else 0.0
        _, low, high = problem.regularizer.interval()
        return LinearProgramState(np.clip(multipliers[:d], low, high), b, u, state.iterations + max(1.0, found.nit))

    def point(self, state: LinearProgramState) -> LinearPoint:
        """The corner and its dual point."""
        return LinearPoint(state.w, state.b, state.u)

    def progress(self, problem: EmpiricalRisk, state: LinearProgramState) -> Progress:
        """An iteration visits every row: a pass. Once solved there is nothing left to do."""
        return Progress(state.iterations, math.nan, math.nan, stalled=state.u is not None or state.has_failed)


class _Columns(NamedTuple):
    """Columns of the program besides those of the rows of the data."""

    matrix: Any
    costs: Vector
    bounds: NDArray[np.float64]


def _pieces(loss: Any, y: Vector) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Slopes in rising order, a line for each piece, and the scores where each piece meets the next."""
    lines = [(np.broadcast_to(slope, y.shape), np.broadcast_to(offset, y.shape)) for slope, offset in loss.pieces(y)]
    slopes, offsets = (np.array([line[k] for line in lines], dtype=np.float64) for k in (0, 1))
    order = np.argsort(slopes, axis=0, kind="stable")
    slopes, offsets = (np.take_along_axis(values, order, axis=0) for values in (slopes, offsets))
    widths = np.diff(slopes, axis=0)
    meetings = -np.diff(offsets, axis=0) / np.where(widths > 0.0, widths, 1.0)
    if len(lines) < 2 or not np.all(widths > 0.0) or np.any(np.diff(meetings, axis=0) < 0.0):
        said = "must be two or more, of different slopes, each the largest for some score"
        raise Unsupported(f"the pieces of the loss {name_of(loss)!r} {said}")
    return slopes, meetings


def _scaled_columns(problem: EmpiricalRisk, rows: NDArray[np.int64], s: Vector) -> tuple[Any, Vector]:
    """(X^T, with ones for the intercept) diag(s), each line divided by its largest |x|; and those."""
    parts = [scipy.sparse.csr_array(matrix_of(problem.rows.take(rows)), dtype=np.float64)]
    if problem.fit_intercept:
        parts.append(scipy.sparse.csr_array(np.ones((rows.size, 1))))
    X = scipy.sparse.hstack(parts, format="csr").T.tocsc()
    sizes = abs(X).max(axis=1).toarray().ravel()
    sizes[sizes == 0.0] = 1.0
    X.data = X.data / sizes[X.indices] * np.repeat(s, np.diff(X.indptr))  # one over a subnormal size would be infinite
    return X, sizes


def _largest_score(problem: EmpiricalRisk, sizes: Vector) -> float:
    """Of one column, at an end of the interval of its weight, where the pieces of the loss give no unit; else 1."""
    _, low, high = problem.regularizer.interval()
    ends = [abs(end) for end in (low, high) if math.isfinite(end)]
    largest = float(max(ends, default=0.0) * sizes[: problem.rows.n_columns].max())
    return largest if 0.0 < largest < math.inf else 1.0


def _conjugate_columns(problem: EmpiricalRisk, sizes: Vector, unit: float, steepest: float) -> tuple[_Columns, Vector]:
    """Columns whose least cost is S Omega*(v) with v their sum, and the right-hand side, both in scaled units.

    Between -l1 and l1 the conjugate is flat; beyond, its slope is the end of the interval. With weights of one sign
    only, the flat part shrinks to the point l1 (or -l1). No v is larger than S, so that a larger l1 is as good as 2 S.
    """
    d = problem.rows.n_columns
    l1, low, high = problem.regularizer.interval()
    flat = np.minimum(l1 / steepest / sizes[:d], 2.0) * problem.total_weight
    matrices, costs, bounds = [], [], []
    right = np.zeros(sizes.size)
    if low < 0.0 < high:
        matrices.append(scipy.sparse.eye_array(sizes.size, d))
        costs.append(np.zeros(d))
        bounds.append(np.column_stack([-flat, flat]))
    else:
        right[:d] = -flat if low >= 0.0 else flat
    for end, sign in ((high, 1.0), (low, -1.0)):
        if math.isfinite(end):
            matrices.append(sign * scipy.sparse.eye_array(sizes.size, d))
            with np.errstate(over="ignore"):
                costs.append(sign * end * sizes[:d] / unit)
            bounds.append(np.tile([0.0, np.inf], (d, 1)))
    return _Columns(scipy.sparse.hstack(matrices), np.concatenate(costs), np.vstack(bounds)), right


def _is_solved(problem: EmpiricalRisk, found: Any, slopes: NDArray[np.float64]) -> bool:
    """Whether there is a solution; columns of very different size can be too much for the program.

    HiGHS may call a program infeasible that is not. Where every loss is bounded below, a minimum exists.
    """
    if found.status == 2 and bool(np.any(slopes[0] > 0.0) or np.any(slopes[-1] < 0.0)):
        raise Unsupported(
            f"the objective has no minimum: with this penalty the loss {name_of(problem.loss)!r} falls for ever"
        )
    return bool(found.status == 0 and found.eqlin.marginals is not None)


def _failed(state: LinearProgramState, why: str) -> LinearProgramState:
    log.warning("no answer of the linear program: %s", why)
    return state._replace(has_failed=True, iterations=state.iterations + 1.0)
