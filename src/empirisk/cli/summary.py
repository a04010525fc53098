"""What a fit found, as lines for people."""

from __future__ import annotations

from typing import Any

from empirisk.cli.compiling import and_compiling
from empirisk.cli.output import headline_rows
from empirisk.progress import duration

SHOWN = 5  # classes that a line lists
MOST_PAIRS, BEST_PAIRS = 40, 10  # strengths of a cross-validation: of more than so many, only so many are listed
MANY_CLASSES = {None: "", "softmax": " (softmax)", "one_vs_rest": " (one against the rest)"}


def as_rows(facts: dict[str, Any], data: str) -> list[tuple[str, str]]:
    """A name and what is to be said about it, for each line; `facts` are those of the fit and what was written."""
    what = "regression" if facts["classes"] is None else f"classification, {_listed(facts['classes'])}"
    penalty = f"l1 {facts['l1']:g}, l2 {facts['l2']:g}, {'with' if facts['intercept'] else 'without'} intercept"
    loss = facts["loss"] + MANY_CLASSES[facts["multiclass"]]
    if facts["constraint"] is not None:
        penalty += f", {facts['constraint']}"
    found = facts["cross_validation"]
    rows = [
        ("Data", f"{data}: {facts['rows']} rows, {facts['features']} features"),
        ("Task", what),
        ("Loss", f"{loss}, {penalty}"),
        *([] if found is None else _validation_rows(found)),
        *headline_rows(facts["headline"]),
        *([("", "of the standardised problem")] if facts["standardized"] else []),
        ("Status", facts["status"]),
        ("Solver", facts["reason"]),
        *([] if facts["condition_number"] is None else [("Condition", _condition_in_words(facts["condition_number"]))]),
        ("Passes", _work_in_words(facts)),
        ("Error", _error_in_words(facts)),
        *([] if facts["future_error"] is None else [("Future", _future_in_words(facts["future_error"]))]),
        ("Model", facts["model"]),
    ]
    if facts["report"] is not None:
        rows.append(("Report", facts["report"]))
    return [*rows, ("Verify", facts["verify"])]


def _condition_in_words(condition: float | str) -> str:
    if isinstance(condition, str):
        return "the number L / mu is infinite: the loss has no bound on its curvature, or the penalty none from below"
    return f"L / mu = {condition:.3g}, the smoothness of the mean loss over the strong convexity of the penalty"


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
    lines += [("", found[name]) for name in ("fewer_folds", "extended", "note") if found[name]]
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


def _work_in_words(facts: dict[str, Any]) -> str:
    """The passes are those of the fit with the chosen strengths, and so is the time beside them."""
    if facts["cross_validation"] is None:
        return f"{facts['passes']:.0f} in {duration(facts['seconds'])}{and_compiling(facts)}"
    said = f"{facts['passes']:.0f} in {duration(facts['fit_seconds'])}"
    return f"{said}, and {duration(facts['seconds'])} with the cross-validation{and_compiling(facts)}"


def _error_in_words(facts: dict[str, Any]) -> str:
    if facts["classes"] is None:
        return f"{facts['root_mean_squared_error']:.6g} root mean square on the training data"
    return f"{100.0 * facts['training_error']:.3g} % of the training data ({facts['errors']} rows)"


def _future_in_words(bound: dict[str, Any]) -> str:
    if bound["is_vacuous"]:
        return f"nothing is proven of new rows: too few rows for so many columns ({bound['kind']})"
    sure = f"with probability {1.0 - bound['delta']:g} ({bound['kind']})"
    return f"at most {bound['at_most']} of new rows, {sure}"


def _listed(classes: list[Any]) -> str:
    if len(classes) > SHOWN:
        return f"{len(classes)} classes: {', '.join(map(str, classes[:SHOWN]))}, ..."
    return f"{', '.join(map(str, classes[:-1]))} or {classes[-1]}"
