"""What a fit found, as plain numbers and texts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.certificates.fields import number_text
from empirisk.losses import loss_text
from empirisk.models import labels
from empirisk.models.examples import Examples
from empirisk.models.linear import LinearModel
from empirisk.models.linear_fit import Fit
from empirisk.models.many_classes import uses_softmax
from empirisk.models.scores import Scores
from empirisk.problems.conditioning import condition_number
from empirisk.problems.linear_risk import LinearRisk
from empirisk.protocols import Unsupported, Vector
from empirisk.texts import summary_of


def facts_of(
    fit: Fit, examples: Examples, scores: Scores, task_reason: str, seconds: float, compile_seconds: float
) -> dict[str, Any]:
    """Every fact about the fit; `scores` are those of the examples, `seconds` what it took, compiling left out."""
    model, certificate, options = fit.model, fit.model.certificate, fit.model.options
    n, d = examples.matrix.shape
    return {
        "task": options.task,
        "task_reason": task_reason,
        "classes": None if model.classes is None else model.classes.tolist(),
        "loss": loss_text(options.loss),
        "multiclass": _multiclass(model),
        "l1": options.l1,
        "l2": options.l2,
        "cross_validation": _cross_validation(model),
        "constraint": None if options.constraint is None else summary_of(options.constraint),
        "intercept": options.fit_intercept,
        "standardized": options.standardize,
        "rows": n,
        "features": d,
        "objective": certificate.objective,
        "gap": certificate.gap,
        "relative_gap": certificate.relative_gap,
        "headline": [list(one) for one in certificate.words(options.tol).headline],
        "tol": options.tol,
        "certified": model.certified,
        "status": model.status,
        "solver": model.solver,
        "reason": model.reason,
        "passes": model.passes,
        "seconds": seconds,
        "compile_seconds": compile_seconds,
        "fit_seconds": fit.solution.trace.last().seconds,
        **_training_error(model, examples, scores),
        "certificate": certificate.to_json(),
        "condition_number": _condition_number(fit.problem),
    }


def margins_of(model: LinearModel, examples: Examples, scores: Scores) -> Vector:
    """How far each row of a classification is on the right side; label minus prediction for each of a regression."""
    assert examples.labels is not None
    if model.classes is None:
        return np.asarray(examples.labels - model.answers(scores), dtype=np.float64)
    return labels.margins_of(scores, labels.class_numbers(examples.labels, model.classes))


def _condition_number(problem: LinearRisk) -> float | str | None:
    """L / mu, the text "inf" where it has no bound; None for problems of which it is not known."""
    try:
        return number_text(condition_number(problem).condition)
    except Unsupported:
        return None


def _cross_validation(model: LinearModel) -> dict[str, Any] | None:
    found = model.cross_validation
    if found is None:
        return None
    arrays = {name: _without_infinity(array.tolist()) for name, array in found.results().items()}
    return {
        "tuned": list(found.tuned),
        "folds": found.n_folds,
        "fewer_folds": found.fewer_folds,
        "extended": found.extended,
        "chosen": found.best,
        "note": found.at_the_end,
        "uncertified": found.uncertified,
        **arrays,
    }


def _without_infinity(values: list[Any]) -> list[Any]:
    """Numbers that JSON cannot hold as None."""
    return [
        _without_infinity(value) if isinstance(value, list) else value if math.isfinite(value) else None
        for value in values
    ]


def _multiclass(model: LinearModel) -> str | None:
    if not model.has_many_classes:
        return None
    return "softmax" if uses_softmax(model.options) else "one_vs_rest"


def _training_error(model: LinearModel, examples: Examples, scores: Scores) -> dict[str, Any]:
    """On the rows of positive weight, under these weights."""
    assert examples.labels is not None
    weights = np.ones(len(scores)) if examples.weights is None else examples.weights
    if model.classes is None:
        residuals = margins_of(model, examples, scores)
        return {"root_mean_squared_error": math.sqrt(np.average(residuals * residuals, weights=weights))}
    wrong = model.answers(scores) != examples.labels
    return {"training_error": float(np.average(wrong, weights=weights)), "errors": int(wrong[weights > 0.0].sum())}
