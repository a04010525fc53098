"""What a fit found, as numbers for programs and as lines for people."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.cli.loading import Examples
from empirisk.cli.progress import duration
from empirisk.constraints import constraint_text
from empirisk.losses import loss_text
from empirisk.models import labels
from empirisk.models.linear import LinearModel
from empirisk.models.many_classes import uses_softmax
from empirisk.protocols import Vector

SHOWN = 5  # classes that a line lists
MOST_PAIRS, BEST_PAIRS = 40, 10  # strengths of a cross-validation: of more than so many, only so many are listed
MANY_CLASSES = {None: "", "softmax": " (softmax)", "one_vs_rest": " (one against the rest)"}


def margins_of(model: LinearModel, examples: Examples, scores: Any) -> Vector:
    """How far each row of a classification is on the right side; label minus prediction for each of a regression."""
    assert examples.labels is not None
    if model.classes is None:
        return np.asarray(examples.labels - model.answers(scores), dtype=np.float64)
    return labels.margins_of(scores, labels.class_numbers(examples.labels, model.classes))


def as_object(model: LinearModel, examples: Examples, scores: Any, task_reason: str, seconds: float) -> dict[str, Any]:
    """Every fact about the fit, for JSON."""
    certificate, options = model.certificate, model.options
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
        "constraint": None if options.constraint is None else constraint_text(options.constraint),
        "intercept": options.fit_intercept,
        "standardized": options.standardize,
        "rows": n,
        "features": d,
        "objective": certificate.objective,
        "gap": certificate.gap,
        "relative_gap": certificate.relative_gap,
        "tol": options.tol,
        "certified": model.certified,
        "status": model.status,
        "solver": model.solver,
        "reason": model.reason,
        "passes": model.passes,
        "seconds": seconds,
        **_training_error(model, examples, scores),
        "certificate": certificate.to_json(),
    }


def as_rows(facts: dict[str, Any], data: str) -> list[tuple[str, str]]:
    """The same for people."""
    what = "regression" if facts["classes"] is None else f"classification, {_listed(facts['classes'])}"
    scaled = " of the standardised problem" if facts["standardized"] else ""
    penalty = f"l1 {facts['l1']:g}, l2 {facts['l2']:g}, {'with' if facts['intercept'] else 'without'} intercept"
    loss = facts["loss"] + MANY_CLASSES[facts["multiclass"]]
    if facts["constraint"] is not None:
        penalty += f", {facts['constraint']}"
    gap = f"{facts['relative_gap']:.2g} relative, {facts['tol']:g} was asked"
    found = facts["cross_validation"]
    rows = [
        ("Data", f"{data}: {facts['rows']} rows, {facts['features']} features"),
        ("Task", what),
        ("Loss", f"{loss}, {penalty}"),
        *([] if found is None else _validation_rows(found)),
        ("Objective", f"{facts['objective']:.10g}{scaled}"),
        ("Gap", gap if facts["certificate"]["kind"] != "unattained_infimum" else "none, as there is no minimum"),
        ("Status", facts["status"]),
        ("Solver", facts["reason"]),
        *([] if facts["condition_number"] is None else [("Condition", _condition_in_words(facts["condition_number"]))]),
        ("Passes", f"{facts['passes']:.0f} in {duration(facts['seconds'])}"),
        ("Error", _error_in_words(facts)),
        ("Model", facts["model"]),
    ]
    if facts["report"] is not None:
        rows.append(("Report", facts["report"]))
    return [*rows, ("Verify", facts["verify"])]


def _condition_in_words(condition: float | str) -> str:
    if isinstance(condition, str):
        return "the number L / mu is infinite: the loss has no bound on its curvature, or the penalty none from below"
    return f"L / mu = {condition:.3g}, the smoothness of the mean loss over the strong convexity of the penalty"


def _cross_validation(model: LinearModel) -> dict[str, Any] | None:
    found = model.cross_validation
    if found is None:
        return None
    arrays = {name: _without_infinity(array.tolist()) for name, array in found.results().items()}
    return {
        "tuned": list(found.tuned),
        "folds": found.fold_weights.size,
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


def _validation_rows(found: dict[str, Any]) -> list[tuple[str, str]]:
    """The choice, and a line for each pair of strengths; of many pairs the best."""
    many, best = len(found["l1"]), found["chosen"]
    losses = found["mean_loss"]
    shown = list(range(many))
    if many > MOST_PAIRS:
        shown = sorted((k for k in shown if losses[k] is not None), key=lambda k: losses[k])[:BEST_PAIRS]
    chosen = ", ".join(f"{name} {found[name][best]:g}" for name in found["tuned"])
    said = f"{chosen}: least mean loss on {found['folds']} held-out folds, of {many}"
    lines = [("Chosen", said + (f" (the best {len(shown)} are shown)" if len(shown) < many else ""))]
    if found["note"]:
        lines.append(("", found["note"]))
    if found["uncertified"]:
        lines.append(("", f"{found['uncertified']} of {many * found['folds']} fits on parts of the data not certified"))
    for k in shown:
        words = [f"{name} {found[name][k]:<12.6g}" for name in found["tuned"]]
        loss = "infinite" if losses[k] is None else f"{losses[k]:.6g} +- {found['standard_error'][k]:.2g}"
        words.append(f"loss {loss:<21}" if "mean_error" in found else f"loss {loss}")
        if "mean_error" in found:
            words.append(f"error {100.0 * found['mean_error'][k]:.3g} %")
        lines.append(("  *" if k == best else "", " ".join(words)))
    return lines


def _multiclass(model: LinearModel) -> str | None:
    if not model.has_many_classes:
        return None
    return "softmax" if uses_softmax(model.options) else "one_vs_rest"


def _training_error(model: LinearModel, examples: Examples, scores: Any) -> dict[str, Any]:
    """On the rows of positive weight, under these weights."""
    assert examples.labels is not None
    weights = np.ones(len(scores)) if examples.weights is None else examples.weights
    if model.classes is None:
        residuals = margins_of(model, examples, scores)
        return {"root_mean_squared_error": math.sqrt(np.average(residuals * residuals, weights=weights))}
    wrong = model.answers(scores) != examples.labels
    return {"training_error": float(np.average(wrong, weights=weights)), "errors": int(wrong[weights > 0.0].sum())}


def _error_in_words(facts: dict[str, Any]) -> str:
    if facts["classes"] is None:
        return f"{facts['root_mean_squared_error']:.6g} root mean square on the training data"
    return f"{100.0 * facts['training_error']:.3g} % of the training data ({facts['errors']} rows)"


def _listed(classes: list[Any]) -> str:
    if len(classes) > SHOWN:
        return f"{len(classes)} classes: {', '.join(map(str, classes[:SHOWN]))}, ..."
    return f"{', '.join(map(str, classes[:-1]))} or {classes[-1]}"
