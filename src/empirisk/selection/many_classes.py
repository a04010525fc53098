"""Which solver a problem with many classes gets: all classes together, or class by class."""

from __future__ import annotations

from empirisk.capabilities import missing, name_of, offers
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import mean_row_norm
from empirisk.problems.several_targets import SeveralTargets
from empirisk.protocols import Solver, Unsupported
from empirisk.regularizers import ElasticNet
from empirisk.selection.choose import choose
from empirisk.selection.one_score import asked_for
from empirisk.solvers import FISTA, LBFGS, SDCA, SOLVERS, CompositeNewton, Newton
from empirisk.solvers.handover import Handover
from empirisk.solvers.in_units import InUnits
from empirisk.solvers.linear_systems.multiclass_hessian import whole_is_cheap
from empirisk.solvers.linear_systems.multiclass_preconditioner import blocks_are_cheap
from empirisk.solvers.many_classes.class_by_class import ClassByClass
from empirisk.solvers.many_classes.sdca import MulticlassSDCA

MODEL_COORDINATES = 300  # for which a system of as many equations costs nothing to speak of
STIFFEST = 30.0  # rows, beside l2, for dual ascent to be the faster one
EASIEST = 1.0  # times the smoothness of the loss, for all classes at once rather than class by class


@choose.register
def _(problem: MulticlassRisk, solver: str | Solver = "auto", seed: int | None = None) -> tuple[Solver, str]:
    """All classes together where a solver can, else one class beside the other, where the loss splits."""
    if isinstance(solver, str) and solver == "auto":
        method, reason = _automatic(problem)
        if problem.loss.splits() and not _gains_together(problem, method):
            return _class_by_class(problem, solver, seed)
        chosen, reason = together(asked_for(name_of(method), seed)), f"{name_of(method)}: {reason}"
        if method is Newton and problem.loss.splits() and not whole_is_cheap(problem):
            chosen = Handover((chosen, _class_by_class(problem, solver, seed)[0]))  # conjugate gradients can get slow
        return chosen, reason
    chosen = asked_for(solver, seed)
    lacking = lacks(chosen, problem)
    if not lacking:
        return together(chosen), f"{name_of(chosen)}: as asked."
    if problem.loss.splits():
        return _class_by_class(problem, solver, seed)
    if not has_form(chosen):
        raise _no_form(chosen)
    able = [name for name, cls in SOLVERS.items() if not lacks(cls(), problem)]
    others = f"Solvers that can: {', '.join(able)}." if able else "No solver for many classes can."
    raise Unsupported(f"solver {name_of(chosen)!r} {'; '.join(lacking)}. {others}")


@choose.register
def _(problem: SeveralTargets, solver: str | Solver = "auto", seed: int | None = None) -> tuple[Solver, str]:
    """What the first target gets, for each of them."""
    return _class_by_class(problem, solver, seed, "target by target")


def _class_by_class(
    problem: MulticlassRisk | SeveralTargets, solver: str | Solver, seed: int | None, said: str = "class by class"
) -> tuple[Solver, str]:
    chosen, reason = choose(problem.of_class(0), solver, seed)
    return ClassByClass(chosen), f"{reason.removesuffix('.')}, {said}."


def together(solver: Solver) -> Solver:
    """The solver itself, but for dual ascent, which has another iteration for many classes."""
    return MulticlassSDCA(solver.seed) if isinstance(solver, SDCA) else solver


def has_form(solver: Solver) -> bool:
    """Whether it takes all classes together: it says so by asking for the gradient of a loss of many scores."""
    return any("loss.gradient" in need.split(" or ") for need in together(solver).needs)


def _no_form(solver: Solver) -> Unsupported:
    said = " with these parameters" if SOLVERS.get(name_of(solver)) is type(solver) and has_form(type(solver)()) else ""
    names = ", ".join(repr(name) for name, cls in SOLVERS.items() if has_form(cls()))
    return Unsupported(f"solver {name_of(solver)!r}{said} has no form for softmax; use 'auto' or one of {names}")


def lacks(solver: Solver, problem: MulticlassRisk) -> list[str]:
    """Sentences, one for each capability that the solver needs, for all classes together, and the problem lacks."""
    if not has_form(solver):
        return ["takes one score a row"]
    if not isinstance(problem.regularizer, ElasticNet):
        return ["takes all classes together under l1 and l2 alone"]
    lacking = missing(together(solver), problem)
    # Of one-versus-rest, the base must offer what the method needs of a loss of one score.
    return missing(solver, problem.of_class(0)) if not lacking and problem.loss.splits() else lacking


def _gains_together(problem: MulticlassRisk, method: type[Solver]) -> bool:
    """Whether taking all classes together is the better way.

    Newton's method and L-BFGS gain from it, and dual ascent where it needs few passes. Of the others one class has more
    to choose from, and together they run only where that is the choice for one class too.
    """
    if lacks(method(), problem):
        return False
    one = problem.of_class(0)
    if method is SDCA and not lacks(Newton(), problem) and offers(one.loss, "smoothness"):
        return stiffness(problem) * float(one.loss.smoothness()) <= EASIEST
    return method in (Newton, LBFGS) or isinstance(_plain(choose(one)[0]), method)


def _plain(solver: Solver) -> Solver:
    """Whatever the units that it works in."""
    return solver.solver if isinstance(solver, InUnits) else solver


def _automatic(problem: MulticlassRisk) -> tuple[type[Solver], str]:
    """The method, and the reason."""
    n, d, n_classes = problem.rows.n_rows, problem.rows.n_columns, problem.n_classes
    smooth, dual, proximal = (not lacks(method(), problem) for method in (Newton, SDCA, FISTA))
    can_model = not lacks(CompositeNewton(), problem) and d * n_classes <= MODEL_COORDINATES
    if can_model and not smooth and not (dual and stiffness(problem) <= STIFFEST):
        return CompositeNewton, f"the penalty has a kink, and a Hessian of {n_classes} x {d} columns is cheap."
    if proximal and problem.regularizer.l1 > 0.0 and not (dual and stiffness(problem) <= STIFFEST):
        return FISTA, "the loss is smooth, and l2 is too small beside the rows for dual ascent."
    if dual and not smooth:
        return SDCA, "it handles kinks of the loss and of the penalty."
    if smooth and whole_is_cheap(problem):
        return Newton, f"the loss is smooth and a Hessian of {n_classes} x {d} columns is cheap to factor."
    wide = f"a Hessian of {n_classes} x {d} columns is too dear to factor"
    if smooth and (not dual or blocks_are_cheap(problem) or not problem.rows.is_sparse):
        return Newton, f"the loss is smooth; {wide}, so by conjugate gradients."
    if dual and stiffness(problem) <= STIFFEST:
        return SDCA, f"{n} x {d} is sparse and wide, and each row is a small step for all classes at once."
    if smooth:
        return Newton, f"l2 is small beside the rows, and {wide}, so by conjugate gradients."
    return LBFGS, "the loss declares no second derivative."


def stiffness(problem: MulticlassRisk) -> float:
    """The mean ||x_i||^2 / (n l2): how much a dual step is held back by its own row."""
    return mean_row_norm(problem) ** 2 / (problem.rows.n_rows * problem.regularizer.l2)
