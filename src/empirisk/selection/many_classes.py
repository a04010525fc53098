"""Which solver a problem with many classes gets: all classes together, or class by class."""

from __future__ import annotations

from typing import Any

from empirisk.designs import Dense
from empirisk.parameters import check_fields
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.protocols import Unsupported, missing, name_of
from empirisk.regularizers import ElasticNet
from empirisk.selection.choose import choose
from empirisk.selection.one_score import asked_for
from empirisk.solvers import as_solver
from empirisk.solvers.composite_newton import CompositeNewton
from empirisk.solvers.fista import FISTA
from empirisk.solvers.lbfgs import LBFGS
from empirisk.solvers.linear_systems.multiclass_hessian import whole_is_cheap
from empirisk.solvers.linear_systems.multiclass_preconditioner import blocks_are_cheap
from empirisk.solvers.many_classes.class_by_class import ClassByClass
from empirisk.solvers.many_classes.composite_newton import MulticlassCompositeNewton
from empirisk.solvers.many_classes.fista import MulticlassFISTA
from empirisk.solvers.many_classes.lbfgs import MulticlassLBFGS
from empirisk.solvers.many_classes.newton import MulticlassNewton, mean_row_norm
from empirisk.solvers.many_classes.sdca import MulticlassSDCA
from empirisk.solvers.newton import Newton
from empirisk.solvers.sdca import SDCA

MODEL_COORDINATES = 300  # for which a system of as many equations costs nothing to speak of
STIFFEST = 30.0  # rows, beside l2, for dual ascent to be the faster one
MULTICLASS_SOLVERS: dict[str, Any] = {
    "newton": MulticlassNewton,
    "lbfgs": MulticlassLBFGS,
    "sdca": MulticlassSDCA,
    "fista": MulticlassFISTA,
    "composite_newton": MulticlassCompositeNewton,
}
OF_ONE_CLASS: dict[str, Any] = {  # the same methods for one score
    "newton": Newton,
    "lbfgs": LBFGS,
    "sdca": SDCA,
    "fista": FISTA,
    "composite_newton": CompositeNewton,
}


@choose.register
def _(problem: MulticlassRisk, solver: Any = "auto", seed: int | None = None) -> tuple[Any, str]:
    """All classes together where a solver can, else one class beside the other, where the loss splits."""
    if isinstance(solver, str) and solver == "auto":
        name, reason = _automatic(problem)
        if problem.loss.splits() and not _gains_together(problem, name):
            return _class_by_class(problem, solver, seed)
        return _seeded(MULTICLASS_SOLVERS[name](), seed), reason
    together = _together(solver, seed)
    if together is None or (problem.loss.splits() and lacks(name_for_one(together), problem)):
        if problem.loss.splits():
            return _class_by_class(problem, solver, seed)
        raise _no_form(solver)
    name = name_for_one(together)
    lacking = lacks(name, problem)
    if lacking:
        able = [other for other in MULTICLASS_SOLVERS if not lacks(other, problem)]
        others = f"Solvers that can: {', '.join(able)}." if able else "No solver for many classes can."
        raise Unsupported(f"solver {name!r} {'; '.join(lacking)}. {others}")
    return together, f"{name}: as asked."


def _class_by_class(problem: MulticlassRisk, solver: Any, seed: int | None) -> tuple[Any, str]:
    chosen, reason = choose(problem.of_class(0), solver, seed)
    return ClassByClass(chosen), f"{reason.removesuffix('.')}, class by class."


def name_for_one(solver: Any) -> str:
    """What the form for many classes is called."""
    return next(name for name, cls in MULTICLASS_SOLVERS.items() if isinstance(solver, cls))


def _together(solver: Any, seed: int | None) -> Any:
    """The form of a solver that takes all classes together; None where it has none."""
    if isinstance(solver, tuple(MULTICLASS_SOLVERS.values())):
        check_fields(solver)
        return solver
    one = asked_for(solver, seed)
    cls = MULTICLASS_SOLVERS.get(name_of(one))
    fields = getattr(one, "_fields", ())
    shared = {} if cls is None else {name: getattr(one, name) for name in cls._fields if name in fields}
    if cls is None or type(one)(**shared) != one:  # it has another parameter, which was set
        return None
    return cls(**shared)


def _no_form(solver: Any) -> Unsupported:
    given = as_solver(solver)
    said = "" if given == type(given)() else " with these parameters"
    names = ", ".join(map(repr, MULTICLASS_SOLVERS))
    return Unsupported(f"solver {name_of(given)!r}{said} has no form for softmax; use 'auto' or one of {names}")


def _seeded(solver: Any, seed: int | None) -> Any:
    return solver if seed is None or "seed" not in solver._fields else solver._replace(seed=seed)


def _gains_together(problem: MulticlassRisk, name: str) -> bool:
    """Whether taking all classes together is the better way.

    Newton's method and L-BFGS gain from it. Of the others one class has more to choose from, and together they run
    only where that is the choice for one class too.
    """
    if lacks(name, problem):
        return False
    return name in ("newton", "lbfgs") or isinstance(choose(problem.of_class(0))[0], OF_ONE_CLASS[name])


def lacks(name: str, problem: MulticlassRisk) -> list[str]:
    """Sentences, one for each capability that the method needs and the problem lacks."""
    if not isinstance(problem.regularizer, ElasticNet):
        return ["takes all classes together under l1 and l2 alone"]
    if problem.loss.splits():  # the base must offer what the method needs of a loss of one score
        needs = "classes together" in MULTICLASS_SOLVERS[name]().needs
        return ["is for softmax"] if needs else missing(OF_ONE_CLASS[name](), problem.of_class(0))
    return missing(MULTICLASS_SOLVERS[name](), problem)


def _automatic(problem: MulticlassRisk) -> tuple[str, str]:
    n, d, n_classes = problem.design.n_rows(), problem.design.n_columns(), problem.n_classes
    smooth, dual, proximal = (not lacks(name, problem) for name in ("newton", "sdca", "fista"))
    can_model = not lacks("composite_newton", problem) and d * n_classes <= MODEL_COORDINATES
    if can_model and not smooth and not (dual and stiffness(problem) <= STIFFEST):
        said = f"the penalty has a kink, and a Hessian of {n_classes} x {d} columns is cheap"
        return "composite_newton", f"composite_newton: {said}."
    if proximal and problem.regularizer.l1 > 0.0 and not (dual and stiffness(problem) <= STIFFEST):
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


def stiffness(problem: MulticlassRisk) -> float:
    """The mean ||x_i||^2 / (n l2): how much a dual step is held back by its own row."""
    return mean_row_norm(problem) ** 2 / (problem.design.n_rows() * problem.regularizer.l2)
