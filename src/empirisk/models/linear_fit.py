"""The fit of a linear model: strengths chosen first, the problem posed and solved, and the point folded back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from empirisk.certificates import certify
from empirisk.certificates.verification import digest
from empirisk.models.limit import limit_of
from empirisk.models.linear import EARLY, LinearModel
from empirisk.models.many_classes import minimize_posed
from empirisk.models.options import FitOptions
from empirisk.models.posing import pose
from empirisk.models.scaling import Scaling
from empirisk.models.validation.strength_choice import choose_strengths
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.linear_risk import LinearRisk
from empirisk.progress import Event, telling
from empirisk.protocols import OptimalityCertificate
from empirisk.solution import UNPROVEN, Solution, Status


class Fit(NamedTuple):
    """The model, the solution that it comes from, and the problem that was solved (the scaled one)."""

    model: LinearModel
    solution: Solution
    problem: LinearRisk


def fit_linear(
    X: Any,
    y: Any,
    options: FitOptions,
    *,
    sample_weight: Any = None,
    callback: Any = None,
    start: Any = None,
    feature_names: tuple[str, ...] | None = None,
    on_event: Callable[[Event], Any] | None = None,
    keep_points: bool = False,
    stop: Callable[[], Any] | None = None,
) -> Fit:
    """Fit a linear model; strengths that are "cv" are chosen first, and the options of the model have the numbers.

    `start` is a point (weights, intercept) in the columns as they are, used where it has the shape of this problem.
    `on_event` is told the progress of a cross-validation and of the fit that follows it; `callback(trace)` is called in
    that fit, and returning True stops it. With `keep_points` the trace of the solution has the path of that fit, in the
    columns of the problem. All of it ends early, with what is reached by then, once `stop()` is true.
    """
    options, choice = options.checked(), None
    limit = limit_of(options.time_limit, stop)
    problem, classes, scaling, print_of_data = pose(X, y, options.without_tuned(), sample_weight)
    if options.tuned:
        choice = choose_strengths(problem, options, classes, on_event, limit)
        problem = problem.with_strengths(choice.l1, choice.l2)
        options = options._replace(l1=choice.l1, l2=choice.l2)
    if start is not None and np.shape(start[0]) != problem.zero().weights.shape:
        start = None
    if start is not None and scaling is not None:
        start = scaling.unfold(*start)
    if choice is not None and choice.start is not None:
        start = choice.start
    solution = minimize_posed(problem, options, telling(on_event, callback), start, limit, keep_points)
    point, certificate = solution.point, solution.certificate
    if scaling is not None:
        point, certificate = _fold_back(problem, scaling, solution)
    certified = bool(solution.certified and certificate.is_within(options.tol))
    model = LinearModel(
        options=options,
        weights=point.weights,
        intercept=point.intercept,
        classes=classes,
        certificate=certificate,
        certified=certified,
        status=str(_status(solution, certified)),
        solver=solution.solver,
        reason=solution.reason if choice is None or not choice.why else f"{solution.reason}{EARLY}{choice.why}.",
        passes=solution.passes,
        data_fingerprint=print_of_data,
        scaling=scaling,
        feature_names=feature_names,
        subject=digest(point),
        cross_validation=None if choice is None else choice.validation,
    )
    return Fit(model, solution, problem)


def _status(solution: Solution, certified: bool) -> Status:
    """That of the solution, where the model is as certified as that."""
    if solution.certified and not certified:
        return Status.FLOATING_POINT
    # A solver with a rule of its own goes on where the gap is within the tolerance, until a limit ends it.
    return Status.CERTIFIED if certified and solution.status in UNPROVEN else solution.status


def _fold_back(problem: LinearRisk, scaling: Scaling, solution: Solution) -> tuple[LinearPoint, OptimalityCertificate]:
    """The point for the columns as they were, and the certificate at exactly the one that it unfolds to."""
    point = LinearPoint(*scaling.fold(solution.weights, solution.intercept))
    unfolded = LinearPoint(*scaling.unfold(point.weights, point.intercept))
    if solution.status == Status.UNATTAINED:  # speaks of a direction, not of a point
        return point, solution.certificate.about(unfolded)
    return point, certify(problem, solution.certificate.with_evidence(unfolded)).about(unfolded)
