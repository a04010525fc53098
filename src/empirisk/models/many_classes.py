"""Three classes or more: which risk they pose; and the minimisation of what data and options pose."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import is_convex, name_of
from empirisk.certificates import lightened
from empirisk.driver import Callback, minimize
from empirisk.losses import Logistic
from empirisk.models.limit import NO_LIMIT, Limit
from empirisk.models.options import FitOptions
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.protocols import Unsupported, Vector
from empirisk.solution import Solution
from empirisk.vector_losses import OneVersusRest, Softmax


def uses_softmax(options: FitOptions) -> bool:
    """Whether three classes or more share one likelihood; else it is one against the rest for each of them."""
    if options.multiclass == "auto":
        return isinstance(options.loss, Logistic)
    return options.multiclass == "softmax"


def many_class_risk(
    X: Any, labels: NDArray[np.int64], n_classes: int, options: FitOptions, weights: Vector | None
) -> MulticlassRisk:
    """The problem of three classes or more; `labels` are their numbers."""
    loss = options.loss
    common: dict[str, Any] = {
        "l1": options.l1,
        "l2": options.l2,
        "regularizer": options.regularizer,
        "constraint": options.constraint,
        "sample_weight": weights,
        "fit_intercept": options.fit_intercept,
        "n_threads": options.n_threads,
    }
    if uses_softmax(options):
        if not isinstance(loss, Logistic):
            said = "softmax is the loss of many classes for logistic"
            raise Unsupported(f"{said}; for {name_of(loss)} use multiclass='one_vs_rest'")
        return MulticlassRisk(X, labels, n_classes, Softmax(loss.scale), **common)
    if not is_convex(loss):
        said = f"the loss {name_of(loss)!r} is not convex, and one-versus-rest is certified for convex losses only"
        raise Unsupported(f"{said}: wrap the estimator in scikit-learn's OneVsRestClassifier")
    return MulticlassRisk(X, labels, n_classes, OneVersusRest(loss), **common)


def minimize_posed(
    problem: LinearRisk,
    options: FitOptions,
    callback: Callback | None,
    start: Any,
    limit: Limit = NO_LIMIT,
    keep_points: bool = False,
) -> Solution:
    """Minimise what data and options pose; the certificate stores no dual point where it needs none, for the file."""
    found = minimize(
        problem,
        options.solver,
        callback=callback,
        start=start,
        tol=options.tol,
        max_passes=options.max_passes,
        seed=options.random_state,
        keep_points=keep_points,
        time_limit=limit.seconds_left(),
        stop=limit.stop,
    )
    return found._replace(certificate=lightened(problem, found.certificate, found.point, options.tol))
