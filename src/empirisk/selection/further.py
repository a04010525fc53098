"""Which solvers go on where the first one of an empirical risk gets nowhere: all that can and are not dear, in turn."""

from __future__ import annotations

from collections.abc import Iterator

from empirisk.capabilities import has_constant_curvature, has_kinks, is_convex, is_quadratic, missing
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Solver
from empirisk.solvers import (
    FISTA,
    LBFGS,
    SDCA,
    CompositeNewton,
    CoordinateDescent,
    DualNewton,
    LinearProgram,
    Newton,
    NormalEquations,
    ProximalNewton,
    SmoothedFISTA,
    SmoothedNewton,
    cholesky_is_cheap,
)
from empirisk.solvers.linear_systems.one_score_system import jumps
from empirisk.solvers.quadratic_models.row_model import takes_rows
from empirisk.solvers.relaxed import Relaxed

MATRIX_COLUMNS = 2500  # of a model of all columns: a matrix of 50 MB, and half a second to factor
# What a solver begins with, and what would be tried twice.
PARTS: dict[type, tuple[type, ...]] = {DualNewton: (DualNewton, SDCA), Newton: (Newton, LBFGS)}


def further_solvers(problem: EmpiricalRisk, first: Solver) -> tuple[Solver, ...]:
    """After the first; the fastest that is likely to certify what the first one did not comes first."""
    if not is_convex(problem.loss):
        return ()
    tried = PARTS.get(type(first), (type(first),))
    ordered = _for_kinks(problem) if has_kinks(problem.loss) else _for_smooth(problem)
    return tuple(solver for solver in ordered if not (_is_plain(solver, tried) or missing(solver, problem)))


def _is_plain(solver: Solver, kinds: tuple[type, ...]) -> bool:
    """Whether it is one of these, with nothing but the default parameters."""
    return type(solver) in kinds and solver == type(solver)()


def _for_kinks(problem: EmpiricalRisk) -> Iterator[Solver]:
    yield LinearProgram()  # without l2; collinear columns do not disturb it
    if problem.rows.n_columns <= MATRIX_COLUMNS:
        if not cholesky_is_cheap(problem.rows):
            yield ProximalNewton("cholesky")
        yield SmoothedNewton()
        if not problem.rows.is_in_memory:  # where the linear program is not to be had
            yield SmoothedFISTA()
        return
    if takes_rows(problem):
        yield ProximalNewton()
        if not is_quadratic(problem.regularizer) and not missing(ProximalNewton(), problem.without_constraint()):
            yield Relaxed(ProximalNewton())
        yield SmoothedNewton()
    yield SDCA()
    yield SmoothedFISTA()


def _for_smooth(problem: EmpiricalRisk) -> Iterator[Solver]:
    """Newton's own many steps, from one set of rows with curvature to the next, are fewer on the loss's envelope."""
    if problem.rows.n_columns > MATRIX_COLUMNS:
        if takes_rows(problem):
            yield CompositeNewton()
        yield LBFGS()
        yield FISTA()
        return
    if has_constant_curvature(problem.loss):
        yield NormalEquations()
    elif not missing(Newton(), problem):
        if jumps(problem):
            yield ProximalNewton("cholesky")
        elif not cholesky_is_cheap(problem.rows):
            yield Newton("cholesky")
    if is_quadratic(problem.regularizer):
        yield CoordinateDescent()  # each weight minimises: columns that depend on others do not disturb it
    yield CompositeNewton()
    yield SmoothedNewton()  # no row is without curvature for long
