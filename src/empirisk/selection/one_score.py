"""Which solver an empirical risk gets: a score a row, a loss with or without kinks, few columns or many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import has_kinks, is_convex, is_quadratic, missing, name_of, offers
from empirisk.designs import matrix_of
from empirisk.parameters import check_fields
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.units import units_of
from empirisk.protocols import Solver, Unsupported
from empirisk.selection.choose import choose
from empirisk.selection.further import MATRIX_COLUMNS, further_solvers
from empirisk.solvers import (
    FISTA,
    LBFGS,
    SDCA,
    SOLVERS,
    CompositeNewton,
    CoordinateDescent,
    DualNewton,
    LinearProgram,
    Newton,
    NormalEquations,
    ProjectedGradient,
    ProximalNewton,
    SmoothedFISTA,
    SmoothedNewton,
    as_solver,
    cholesky_is_cheap,
)
from empirisk.solvers.handover import Handover
from empirisk.solvers.in_units import InUnits
from empirisk.solvers.linear_systems.preconditioner import sample_is_cheap
from empirisk.solvers.steps.line_search import best_constant

SAMPLED_ROWS = 1000  # that tell whether a solver suits the data
DUAL_PASSES = 30.0  # that dual coordinate ascent may take for a factor of e, before FISTA is the better choice
FEW_DUAL_PASSES = 3.0  # the same on wide data, before coordinate descent is
FEW_COLUMNS = 200  # of sparse data, for which Newton's method alone is faster than after dual passes
DESCENT_COLUMNS = 360  # for which coordinate descent on the whole Hessian is fast
UNSCALED = 100.0  # times the size of the column in the middle
MODEL_COLUMNS = 300  # for which a system of as many equations costs nothing to speak of
FEW_CURVED = 0.1  # share of rows with curvature at a start, below which Newton's method has nothing to go by


@choose.register
def _(problem: EmpiricalRisk, solver: str | Solver = "auto", seed: int | None = None) -> tuple[Solver, str]:
    """By name, an object, or "auto" with a second solver where the first may get slow."""
    if isinstance(solver, str) and solver == "auto":
        if not offers(problem.loss, "derivative"):
            raise Unsupported(f"no solver can minimise this problem. {_alternatives(problem)}")
        own = units_of(problem)
        problem = problem if own is None else own.problem
        chosen, reason = _automatic(problem)
        name, others = name_of(chosen), further_solvers(problem, chosen)
        chosen = _seeded(chosen, seed)
        if others:
            chosen = Handover((chosen, *others))
        return (chosen if own is None else InUnits(chosen)), f"{name}: {reason}"
    chosen = asked_for(solver, seed)
    lacking = missing(chosen, problem)
    if lacking:
        raise Unsupported(f"solver {name_of(chosen)!r} {'; '.join(lacking)}. {_alternatives(problem)}")
    return chosen, f"{name_of(chosen)}: as asked."


def asked_for(solver: str | Solver, seed: int | None) -> Solver:
    """The solver of this name, which samples with this seed, or the object itself; with parameters that can be."""
    chosen = _seeded(as_solver(solver), seed) if isinstance(solver, str) else as_solver(solver)
    if hasattr(chosen, "_fields"):  # an object, which may be a user's own
        check_fields(chosen)
    return chosen


def _seeded(solver: Any, seed: int | None) -> Any:
    seeded = solver if seed is None or "seed" not in solver._fields else solver._replace(seed=seed)
    check_fields(seeded)
    return seeded


def _automatic(problem: EmpiricalRisk) -> tuple[Solver, str]:
    if not is_convex(problem.loss):
        if not missing(LBFGS(), problem):
            return LBFGS(), "the loss is not convex; from zero to the nearest stationary point."
        return ProjectedGradient(), "the loss is not convex and the regularizer not l2 alone."
    return _for_kinks(problem) if has_kinks(problem.loss) else _for_smooth(problem)


def _for_kinks(problem: EmpiricalRisk) -> tuple[Solver, str]:
    said, d = f"the loss {name_of(problem.loss)} has a kink", problem.rows.n_columns
    is_sparse = problem.rows.is_sparse
    if not missing(DualNewton(), problem) and (d > problem.rows.n_rows or (is_sparse and d > FEW_COLUMNS)):
        return DualNewton(), f"{said}: dual passes, then Newton's method if they get slow."
    if not missing(ProximalNewton(), problem):
        if cholesky_is_cheap(problem.rows) or not is_sparse:
            return ProximalNewton(), f"{said}, and {d} columns are few enough to factor."
        if d > FEW_COLUMNS:  # without l2: dual steps need some, and a linear program of many columns takes long
            return ProximalNewton(), f"{said}, and few rows are at it for Newton's method to look at."
    if not missing(LinearProgram(), problem):
        return LinearProgram(), f"{said} and is piecewise linear, and without l2 so is the problem."
    if not missing(SmoothedNewton(), problem) and d <= MODEL_COLUMNS:
        return SmoothedNewton(), f"{said}, and a model of {d} columns is minimised without the data."
    if not missing(SDCA(), problem):
        return SDCA(), f"{said}, and its dual steps are in closed form."
    if not missing(SmoothedFISTA(), problem):
        return SmoothedFISTA(), f"{said}, and the regularizer is known by its prox alone."
    raise Unsupported(f"no solver can minimise this problem. {_alternatives(problem)}")


def _for_smooth(problem: EmpiricalRisk) -> tuple[Solver, str]:
    n, d = problem.rows.n_rows, problem.rows.n_columns
    fits_matrix = cholesky_is_cheap(problem.rows) and (is_quadratic(problem.regularizer) or d <= DESCENT_COLUMNS)
    if (fits_matrix or _is_dense_and_hard(problem)) and not missing(NormalEquations(), problem):
        return NormalEquations(), f"the loss is quadratic and a Hessian of {d} columns says all about it."
    if not is_quadratic(problem.regularizer):
        models = not missing(CompositeNewton(), problem) and d <= MODEL_COLUMNS
        if _has_l1(problem) and not missing(CoordinateDescent(), problem):
            if d > n and not missing(SDCA(), problem) and _dual_passes(problem) <= FEW_DUAL_PASSES:
                return SDCA(), "the penalty has a kink, the data are wide, and l2 is large enough for dual steps."
            if models and _is_unscaled(problem):
                return CompositeNewton(), f"the columns are of very different size, and a Hessian of {d} is cheap."
            return CoordinateDescent(), "l1 leaves few columns to work on."
        if not missing(SDCA(), problem) and _dual_passes(problem) <= (FEW_DUAL_PASSES if models else DUAL_PASSES):
            return SDCA(), "the penalty has a kink or a constraint, and l2 is large enough for dual steps."
        if models:
            return CompositeNewton(), f"the penalty has a kink or a constraint, and a Hessian of {d} columns is cheap."
        if not missing(CoordinateDescent(), problem):
            return CoordinateDescent(), "every weight has an interval of its own."
        return FISTA(), "the penalty has a kink or a constraint, and its prox handles them."
    if missing(Newton(), problem):
        return LBFGS(), "the loss is smooth but declares no second derivative."
    if not cholesky_is_cheap(problem.rows):
        said = f"the loss is smooth; {n} x {d} is too wide to factor"
        if missing(DualNewton(), problem) or sample_is_cheap(problem.rows):
            return Newton(), f"{said}, so by conjugate gradients."
        return DualNewton(), f"{said}: dual passes, then Newton's method if they get slow."
    if _curved_share(problem, 0.0) < FEW_CURVED:
        if problem.fit_intercept and _curved_share(problem, best_constant(problem)) >= FEW_CURVED:
            said = "the loss is linear at most rows for score zero, but not for the best constant, where it starts."
            return Newton(constant_start=True), said
        if not missing(ProximalNewton(), problem):
            return ProximalNewton(), "the loss is linear at most rows, where Newton's method sees no curvature."
    return Newton(reuse=True, sampling=True), f"the loss is smooth and a Hessian of {d} columns is cheap to factor."


def _is_dense_and_hard(problem: EmpiricalRisk) -> bool:
    """Dense rows, not many more than columns, under a penalty that is too weak for dual steps: factored after all."""
    n, d = problem.rows.n_rows, problem.rows.n_columns
    fits = not problem.rows.is_sparse and d <= min(n, MATRIX_COLUMNS) and is_quadratic(problem.regularizer)
    return fits and (missing(SDCA(), problem) != [] or _dual_passes(problem) > FEW_DUAL_PASSES)


def _has_l1(problem: EmpiricalRisk) -> bool:
    return offers(problem.regularizer, "interval") and problem.regularizer.interval()[0] > 0.0


def _sample(problem: EmpiricalRisk) -> NDArray[np.int64]:
    n = problem.rows.n_rows
    return np.linspace(0, n - 1, min(n, SAMPLED_ROWS)).astype(np.int64)


def _is_unscaled(problem: EmpiricalRisk) -> bool:
    """Whether dense columns differ so much in size that one weight at a time takes long; by a sample of the rows."""
    if problem.rows.is_sparse:
        return False
    rows = np.asarray(matrix_of(problem.rows.take(_sample(problem))), dtype=np.float64)
    squares = np.square(rows / max(np.abs(rows).max(), np.finfo(float).tiny)).mean(axis=0)
    return bool(squares.max() > UNSCALED**2 * np.median(squares))


def _dual_passes(problem: EmpiricalRisk) -> float:
    """About how many passes dual coordinate ascent takes for a factor of e: 1 + smoothness mean ||x||^2 / (n l2)."""
    if not offers(problem.loss, "smoothness"):
        return np.inf
    rows = matrix_of(problem.rows.take(_sample(problem)))
    squares = float((rows * rows).sum()) / rows.shape[0]
    strong = problem.rows.n_rows * problem.regularizer.strong_convexity()
    return 1.0 + float(problem.loss.smoothness()) * squares / strong


def _curved_share(problem: EmpiricalRisk, z: float) -> float:
    """The share of rows whose loss has curvature at this score."""
    labels, counts = np.unique(problem.rows.pick(problem.labels, _sample(problem)[::10]), return_counts=True)
    curved = [problem.loss.second_derivative(z, y) > 0.0 for y in labels.tolist()]
    return float(counts @ curved) / float(counts.sum())


def _alternatives(problem: EmpiricalRisk) -> str:
    able = [name for name, cls in SOLVERS.items() if not missing(cls(), problem)]
    if able:
        return "Solvers that can: " + ", ".join(able) + "."
    if not offers(problem.loss, "derivative"):
        return f"The loss {name_of(problem.loss)!r} is for evaluation only; fit with logistic, hinge or squared_hinge."
    lacking = "; ".join(f"{name} {', '.join(missing(cls(), problem))}" for name, cls in SOLVERS.items())
    return f"{lacking}."
