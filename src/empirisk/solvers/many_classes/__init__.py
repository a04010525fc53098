"""Solvers for problems with many classes: the registry, and which one to take."""

from __future__ import annotations

from typing import Any

from empirisk.designs import Dense
from empirisk.parameters import check_fields
from empirisk.protocols import Unsupported, has_kinks, missing
from empirisk.solvers.composite_newton import CompositeNewton
from empirisk.solvers.fista import FISTA
from empirisk.solvers.lbfgs import LBFGS
from empirisk.solvers.linear_systems.multiclass_hessian import whole_is_cheap
from empirisk.solvers.linear_systems.multiclass_preconditioner import blocks_are_cheap
from empirisk.solvers.many_classes.composite_newton import MulticlassCompositeNewton
from empirisk.solvers.many_classes.fista import MulticlassFISTA
from empirisk.solvers.many_classes.lbfgs import MulticlassLBFGS
from empirisk.solvers.many_classes.newton import MulticlassNewton, mean_row_norm
from empirisk.solvers.many_classes.sdca import MulticlassSDCA
from empirisk.solvers.many_classes.smoothed_newton import MulticlassSmoothedNewton
from empirisk.solvers.newton import Newton
from empirisk.solvers.sdca import SDCA
from empirisk.solvers.smoothed_newton import SmoothedNewton

MODEL_COORDINATES = 300  # for which a system of as many equations costs nothing to speak of
STIFFEST = 30.0  # rows, beside l2, for dual ascent to be the faster one
MULTICLASS_SOLVERS: dict[str, Any] = {
    "newton": MulticlassNewton,
    "lbfgs": MulticlassLBFGS,
    "sdca": MulticlassSDCA,
    "fista": MulticlassFISTA,
    "composite_newton": MulticlassCompositeNewton,
    "smoothed_newton": MulticlassSmoothedNewton,
}
OF_ONE_CLASS: dict[str, Any] = {  # the same methods for one score
    "newton": Newton,
    "lbfgs": LBFGS,
    "sdca": SDCA,
    "fista": FISTA,
    "composite_newton": CompositeNewton,
    "smoothed_newton": SmoothedNewton,
}


def choose_multiclass(problem: Any, solver: Any = "auto", seed: int | None = None) -> tuple[Any, str]:
    """The solver to run on a MulticlassRisk and the reason; raises Unsupported with what would work.

    `seed` is for solvers that sample; a solver object brings its own.
    """
    if isinstance(solver, tuple(MULTICLASS_SOLVERS.values())):
        name = next(name for name, cls in MULTICLASS_SOLVERS.items() if isinstance(solver, cls))
        picked: Any = solver
        reason = f"{name}: as asked."
    elif isinstance(solver, str) and solver in MULTICLASS_SOLVERS:
        name, picked, reason = solver, MULTICLASS_SOLVERS[solver](), f"{solver}: as asked."
    elif isinstance(solver, str) and solver == "auto":
        name, reason = _automatic(problem)
        picked = MULTICLASS_SOLVERS[name]()
    else:
        names = ", ".join(repr(name) for name in ("auto", *MULTICLASS_SOLVERS))
        kind = ValueError if isinstance(solver, str) else TypeError
        raise kind(f"for many classes solver must be one of these names: {names}; got {solver!r}")
    lacking = lacks(name, problem)
    if lacking:
        able = [other for other in MULTICLASS_SOLVERS if not lacks(other, problem)]
        others = f"Solvers that can: {', '.join(able)}." if able else "No solver for many classes can."
        raise Unsupported(f"solver {name!r} {'; '.join(lacking)}. {others}")
    if seed is not None and "seed" in picked._fields and isinstance(solver, str):
        picked = picked._replace(seed=seed)
    check_fields(picked)
    return picked, reason


def lacks(name: str, problem: Any) -> list[str]:
    """Sentences, one for each capability that the method needs and the problem lacks."""
    if problem.loss.is_separable():  # the base must offer what the method needs of a loss of one score
        return missing(OF_ONE_CLASS[name](), problem.of_class(0))
    return missing(MULTICLASS_SOLVERS[name](), problem)


def _automatic(problem: Any) -> tuple[str, str]:
    n, d, n_classes = problem.design.n_rows(), problem.design.n_columns(), problem.n_classes
    smooth, dual, proximal = (not lacks(name, problem) for name in ("newton", "sdca", "fista"))
    coordinates = d if problem.loss.is_separable() else d * n_classes
    if not smooth and coordinates <= MODEL_COORDINATES and not (dual and stiffness(problem) <= STIFFEST):
        if not lacks("composite_newton", problem):
            said = f"the penalty has a kink, and a Hessian of {n_classes} x {d} columns is cheap"
            return "composite_newton", f"composite_newton: {said}."
        if has_kinks(problem.loss) and not lacks("smoothed_newton", problem):
            said = f"the loss has a kink, and models of {d} columns are minimised without the data"
            return "smoothed_newton", f"smoothed_newton: {said}."
    if problem.regularizer.l1 > 0.0 and proximal and not (dual and stiffness(problem) <= STIFFEST):
        return "fista", "fista: the loss is smooth, and l2 is too small beside the rows for dual ascent."
    if dual and not smooth:
        return "sdca", "sdca: it handles kinks of the loss and of the penalty."
    if smooth and whole_is_cheap(problem):
        return "newton", f"newton: the loss is smooth and a Hessian of {n_classes} x {d} columns is cheap to factor."
    wide = f"{n_classes} x {d} is too wide to factor"
    if smooth and (not dual or blocks_are_cheap(problem) or isinstance(problem.design, Dense)):
        return "newton", f"newton: the loss is smooth; {wide}, so by conjugate gradients."
    if dual and stiffness(problem) <= STIFFEST:
        return "sdca", f"sdca: {n} x {d} is sparse and wide, and each row is a small step for all classes at once."
    if smooth:
        return "newton", f"newton: l2 is small beside the rows, and {wide}, so by conjugate gradients."
    return "lbfgs", "lbfgs: the loss declares no second derivative."


def stiffness(problem: Any) -> float:
    """The mean ||x_i||^2 / (n l2): how much a dual step is held back by its own row."""
    return mean_row_norm(problem) ** 2 / (problem.design.n_rows() * problem.regularizer.l2)
