"""Three classes or more: which risk they pose, and its minimisation, together or one class after the other."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.certificates import ClassGaps, certify, without_dual_point
from empirisk.driver import minimize
from empirisk.losses import Logistic
from empirisk.models.options import FitOptions
from empirisk.paths import sticky
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.protocols import Unsupported, Vector, is_convex, name_of
from empirisk.selection import choose
from empirisk.solution import Check, Solution, Status, Trace
from empirisk.solvers.many_classes import MULTICLASS_SOLVERS, OF_ONE_CLASS
from empirisk.vector_losses import OneVersusRest, Softmax


def uses_softmax(options: FitOptions) -> bool:
    """Whether three classes or more share one likelihood; else it is one against the rest for each of them."""
    if options.multiclass == "auto":
        return isinstance(options.loss, Logistic)
    return options.multiclass == "softmax"


class SeparateRisks(NamedTuple):
    """One class against the rest, K problems that share their data, where a constraint or regularizer is given."""

    first: EmpiricalRisk  # that of class 0
    labels: NDArray[np.int64]
    n_classes: int

    @property
    def loss(self) -> OneVersusRest:
        """The sum over the classes."""
        return OneVersusRest(self.first.loss)

    @property
    def design(self) -> Any:
        """The rows."""
        return self.first.design

    @property
    def weights(self) -> Vector:
        """The sample weights, empty where there are none."""
        return self.first.weights

    @property
    def n_threads(self) -> int:
        """As many as the problems have."""
        return self.first.n_threads

    def zero(self) -> tuple[NDArray[np.float64], Vector]:
        """Weights (K x d) and intercepts of zero."""
        return np.zeros((self.n_classes, self.design.n_columns())), np.zeros(self.n_classes)

    def of_class(self, j: int) -> EmpiricalRisk:
        """The problem of class j against the rest."""
        return self.first.with_loss(self.first.loss, np.where(self.labels == j, 1.0, -1.0))

    def with_strengths(self, l1: float | None = None, l2: float | None = None) -> SeparateRisks:
        """The same under other strengths; None keeps one."""
        return self._replace(first=self.first.with_strengths(l1, l2))

    def with_weights(self, weights: Vector) -> SeparateRisks:
        """The same under other sample weights."""
        return self._replace(first=self.first.with_weights(weights))


def many_class_risk(
    X: Any, labels: NDArray[np.int64], n_classes: int, options: FitOptions, weights: Vector | None
) -> MulticlassRisk | SeparateRisks:
    """The problem of three classes or more; `labels` are their numbers."""
    loss, is_plain = options.loss, options.constraint is None and options.regularizer is None
    common: dict[str, Any] = {
        "l1": options.l1,
        "l2": options.l2,
        "sample_weight": weights,
        "fit_intercept": options.fit_intercept,
        "n_threads": options.n_threads,
    }
    if uses_softmax(options):
        if not isinstance(loss, Logistic):
            said = "softmax is the loss of many classes for logistic"
            raise Unsupported(f"{said}; for {name_of(loss)} use multiclass='one_vs_rest'")
        if not is_plain:
            said = "softmax takes neither a constraint nor a regularizer beside l1 and l2"
            raise Unsupported(f"{said}; with one, use multiclass='one_vs_rest'")
        return MulticlassRisk(X, labels, n_classes, Softmax(loss.scale), **common)
    if not is_convex(loss):
        said = f"the loss {name_of(loss)!r} is not convex, and one-versus-rest is certified for convex losses only"
        raise Unsupported(f"{said}: wrap the estimator in scikit-learn's OneVsRestClassifier")
    if is_plain:
        return MulticlassRisk(X, labels, n_classes, OneVersusRest(loss), **common)
    signs = np.where(labels == 0, 1.0, -1.0)
    first = EmpiricalRisk(X, signs, loss, regularizer=options.regularizer, constraint=options.constraint, **common)
    return SeparateRisks(first, labels, n_classes)


def minimize_posed(problem: Any, options: FitOptions, callback: Any, start: tuple[Any, Any] | None) -> Solution:
    """Minimise what data and options pose; many classes together where a solver can, else one after the other."""
    if isinstance(problem, EmpiricalRisk):
        found = minimize(problem, options.solver, callback=callback, start=start, **_limits(options))
        return _lighter(problem, found, options)
    if isinstance(problem, MulticlassRisk):
        solver = _for_many_classes(options.solver)
        if uses_softmax(options) and solver is None:
            given, solver = name_of(options.solver), options.solver
            said = "" if solver == type(solver)() else " with these parameters"
            names = ", ".join(map(repr, MULTICLASS_SOLVERS))
            raise Unsupported(f"solver {given!r}{said} has no form for softmax; use 'auto' or one of {names}")
        if uses_softmax(options) or (solver is not None and _runs_together(problem, solver, options)):
            found = minimize(problem, solver, callback=callback, start=start, **_limits(options))
            return _lighter(problem, found, options)
    return _class_after_class(problem, options, callback, start)


def _for_many_classes(solver: Any) -> Any:
    """The form of a solver that takes all classes together; None where it has none."""
    if solver == "auto":
        return solver
    cls = MULTICLASS_SOLVERS.get(name_of(solver))
    shared = {} if cls is None else {name: getattr(solver, name) for name in cls._fields if name in solver._fields}
    if cls is None or type(solver)(**shared) != solver:  # it has another parameter, which was set
        return None
    return cls(**shared)


def _runs_together(problem: MulticlassRisk, solver: Any, options: FitOptions) -> bool:
    """Whether a solver can, and for "auto" whether it is the better way.

    Newton's method and L-BFGS gain from it. Of the others one class has more to choose from, and together they run
    only where that is the choice for one class too.
    """
    try:
        picked, _ = choose(problem, solver, options.random_state)
    except Unsupported:
        return False
    name = next(name for name, cls in MULTICLASS_SOLVERS.items() if isinstance(picked, cls))
    if solver != "auto" or name in ("newton", "lbfgs"):
        return True
    return isinstance(choose(problem.of_class(0), solver)[0], OF_ONE_CLASS[name])


def _lighter(problem: Any, found: Solution, options: FitOptions) -> Solution:
    """With a certificate that stores no dual point, where it needs none: models are written to files."""
    certificate = without_dual_point(problem, found.certificate, found.weights, found.intercept, options.tol)
    return found._replace(certificate=certificate.about(found.weights, found.intercept))


def _limits(options: FitOptions) -> dict[str, Any]:
    return {"tol": options.tol, "max_passes": options.max_passes, "seed": options.random_state}


def _class_after_class(problem: Any, options: FitOptions, callback: Any, start: tuple[Any, Any] | None) -> Solution:
    """K runs, each with the tolerance and the passes of the options; certified when each is.

    Once the callback stops one of them, the others stop at their first check.
    """
    weights, intercepts = problem.zero()
    callback, gaps, solutions = sticky(callback), [], []
    for j in range(problem.n_classes):
        risk = problem.of_class(j)
        begin = None if start is None else (start[0][j], float(start[1][j]))
        found = _lighter(
            risk, minimize(risk, options.solver, callback=callback, start=begin, **_limits(options)), options
        )
        weights[j], intercepts[j] = found.weights, found.intercept
        if found.status == Status.UNATTAINED:  # a gap all the same, over a radius
            gaps.append(certify(risk, found.weights, found.intercept).about(found.weights, found.intercept))
        else:
            gaps.append(found.certificate)
        solutions.append(found)
    certificate = ClassGaps(tuple(gaps)).about(weights, intercepts)
    certified = all(found.certified for found in solutions)
    worst = next((found for found in solutions if not found.certified), solutions[0])
    return Solution(
        weights=weights,
        intercept=intercepts,
        objective=certificate.objective,
        certificate=certificate,
        certified=certified,
        status=worst.status,
        trace=_joined(solutions, certificate, options),
        solver=solutions[0].solver,
        reason=f"{solutions[0].reason.removesuffix('.')}, one class after the other.",
        passes=sum(found.passes for found in solutions),
        error=next((found.error for found in solutions if found.error is not None), None),
    )


def _joined(solutions: list[Solution], certificate: Any, options: FitOptions) -> Trace:
    """The runs end to end; the objective is that of all classes, as far as they have come."""
    ways = [found.trace.checks for found in solutions]
    now = [next((check.objective for check in way if math.isfinite(check.objective)), math.nan) for way in ways]
    checks: list[Check] = []
    passes = seconds = 0.0
    for j, way in enumerate(ways):
        for check in way:
            now[j] = check.objective
            checks.append(Check(passes + check.passes, seconds + check.seconds, sum(now), math.nan))
        passes, seconds = passes + way[-1].passes, seconds + way[-1].seconds
    checks[-1] = checks[-1]._replace(objective=certificate.objective, gap=certificate.gap)
    return Trace(checks, options.tol * certificate.scale, options.max_passes, math.nan)
