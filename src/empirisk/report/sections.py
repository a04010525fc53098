"""The sections in words: the verdict, what was asked, and the footer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

import empirisk
from empirisk.capabilities import name_of
from empirisk.models.many_classes import uses_softmax
from empirisk.report.certificate import certificate_tiles
from empirisk.report.contents import Contents
from empirisk.report.document import tiles
from empirisk.report.markup import count, duration, number, safe, safe_command, share
from empirisk.texts import summary_of

MOST_CLASSES = 20  # that are listed
YES, NO = "✓ Certified", "✗ Not certified"


def header(contents: Contents) -> str:
    """The title and the numbers that matter most."""
    model = contents.model
    kind = "classifier" if contents.is_classifier else "regressor"
    if contents.has_many_classes:
        kind += f" of {model.weights.shape[0]} classes"
    nonzero = int(np.count_nonzero(model.weights))
    shown = [
        *certificate_tiles(model.certificate.words(model.options.tol)),
        ("Time", duration(contents.seconds), _work(contents)),
        *_compile_tiles(contents),
        ("Non-zero weights", f"{nonzero:,}", f"of {model.weights.size:,}"),
        _fit_tile(contents),
        *_future_tiles(contents),
    ]
    badge = f'<span class="badge yes">{YES}</span>' if model.certified else f'<span class="badge no">{NO}</span>'
    return (
        f'<header><p class="kicker">empirisk report</p>'
        f"<h1>{safe(contents.data_name)}</h1>"
        f'<p class="soft">Linear {kind}, {safe(_loss_text(model.options.loss))} loss, '
        f"{count(contents.n_rows, 'row')}, {count(model.n_features, 'column')}</p>"
        f'<p class="verdict">{badge}<span>{safe(_sentence(model.status.removeprefix("certified: ")))}</span></p>'
        f"{tiles(shown)}</header>"
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _work(contents: Contents) -> str:
    """The passes of the fit; where strengths were chosen first, with the time that it took by itself."""
    passes = contents.model.passes
    said = f"{passes:,.6g} pass{'' if passes == 1.0 else 'es'} over the data"
    if contents.model.cross_validation is None:
        return said
    return f"{said} in {duration(contents.solution.trace.last().seconds)}, after the cross-validation"


def _compile_tiles(contents: Contents) -> list[tuple[str, str, str]]:
    """Nothing where nothing was compiled."""
    if contents.compile_seconds == 0.0:
        return []
    return [("Compiling", duration(contents.compile_seconds), "once, and not in the time")]


def _fit_tile(contents: Contents) -> tuple[str, str, str]:
    margins = contents.margins
    if contents.is_classifier:
        wrong = int(np.count_nonzero(~(margins > 0.0)))
        return "Errors on these rows", f"{wrong:,}", f"{share(wrong, margins.size)} of {count(margins.size, 'row')}"
    size = float(np.sqrt(np.mean(margins**2))) if margins.size else math.nan
    return "Typical residual", number(size), "root mean square, on these rows"


def _future_tiles(contents: Contents) -> list[tuple[str, str, str]]:
    """Nothing where there is no bound on the error of new rows."""
    bound = contents.future_error
    if bound is None:
        return []
    if bound.is_vacuous:
        return [("Future error", "no statement", f"the bound {bound.kind} is vacuous")]
    return [("Future error", f"≤ {bound.at_most()}", f"with probability {1.0 - bound.delta:g}, by {bound.kind}")]


def asked_section(contents: Contents) -> str:
    """The problem, the options and the command."""
    model, options = contents.model, contents.model.options
    facts = [
        ("Data", safe(contents.data_name)),
        ("Size", f"{count(contents.n_rows, 'row')}, {count(model.n_features, 'column')}"),
        ("Task", safe(options.task)),
        ("Loss", safe(_loss_text(options.loss))),
        ("l1", number(options.l1, 6)),
        ("l2", number(options.l2, 6)),
        ("Intercept", "yes, not penalised" if options.fit_intercept else "no"),
        ("Standardised", "yes" if model.scaling is not None else "no"),
        ("Tolerance", f"{number(options.tol, 6)}{_asked_gap(contents)}"),
        ("Pass limit", f"{options.max_passes:,}"),
    ]
    if options.constraint is not None:
        facts.append(("Constraint", safe(summary_of(options.constraint))))
    if options.regularizer is not None:
        facts.append(("Regularizer", safe(summary_of(options.regularizer))))
    if model.classes is not None:
        facts.append(("Classes", _classes(model.classes)))
        facts.append(("Class weights", _class_weights(options.class_weight)))
    rows = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    rows += f'<div class="wide"><dt>Solver</dt><dd>{_solver_text(model.solver, model.reason)}</dd></div>'
    rows += f'<div class="wide"><dt>It ended</dt><dd>{safe(model.status)}</dd></div>'
    return (
        f"<section><h2>What was asked</h2>{_objective(contents)}"
        f'<dl class="facts">{rows}</dl><p>The command that made this fit:</p>'
        f"<pre><code>{safe_command(contents.command)}</code></pre></section>"
    )


def _objective(contents: Contents) -> str:
    """The formula that was minimised."""
    options, over = contents.model.options, "the weights w and the intercept b"
    risk, size = "weighted mean of loss(⟨w, x⟩ + b, y)", "l1 · ‖w‖₁ + l2/2 · ‖w‖₂²"
    formula = f"P(w, b) = {risk} + {size}"
    if contents.has_many_classes:
        over = "the weights and the intercept of each class"
        if uses_softmax(options):
            risk, size = "weighted mean of log Σₖ exp(zₖ) \u2212 z of the label", "l1 · ‖W‖₁ + l2/2 · ‖W‖₂²"
            formula = f"P(W, b) = {risk} + {size},   zₖ = ⟨wₖ, x⟩ + bₖ"
        else:
            formula = f"sum over the classes, each against the rest (y = +1 and \u22121), of\nP(w, b) = {risk} + {size}"
    formula += " + regularizer(w)" if options.regularizer is not None else ""
    formula += ",   w in the constraint" if options.constraint is not None else ""
    return f"<p>Make this objective as small as possible, over {over}:</p><pre>{formula}</pre>"


def _asked_gap(contents: Contents) -> str:
    return f" (gap: at most {number(contents.target, 3)})" if math.isfinite(contents.target) else ""


def _classes(classes: Any) -> str:
    named = [safe(label, 60) for label in classes[:MOST_CLASSES].tolist()]
    if len(classes) == 2:
        return f"{named[0]} (\u22121) and {named[1]} (+1)"
    more = len(classes) - len(named)
    return ", ".join(named) + (f" and {more:,} more" if more else "")


def _loss_text(loss: Any) -> str:
    """The loss by name, with the parameters that are not the usual ones."""
    usual: Mapping[str, Any] = getattr(type(loss), "_field_defaults", {})
    fields = getattr(type(loss), "_fields", ())
    given = [f"{f}={getattr(loss, f)!r}" for f in fields if getattr(loss, f) != usual.get(f)]
    return name_of(loss) + (":" + ",".join(given) if given else "")


def _class_weights(spec: Any) -> str:
    if spec is None:
        return "none: every row counts the same"
    if isinstance(spec, str):
        return f"{safe(spec)}: each class weighs the same in total"
    return ", ".join(f"{safe(label, 60)}: {number(float(weight), 6)}" for label, weight in list(spec.items())[:10])


def _solver_text(solver: str, reason: str) -> str:
    """The reason, which begins with the solver's name where selection wrote it."""
    said = reason.removeprefix(f"{solver}: ")
    return f"<strong>{safe(solver)}</strong>: {safe(said, 400)}"


def footer(contents: Contents) -> str:
    """The version and what the files are."""
    return (
        f"<footer><p>Written by empirisk {safe(empirisk.__version__)}. Fingerprint of the data: "
        f"<code>{safe(contents.model.data_fingerprint)}</code>.</p>"
        "<p>This page is one HTML file (UTF-8, charts as SVG): it runs no script, loads nothing and works offline. "
        "The model is a file of its own, in the safetensors format: the weights and the certificate as plain numbers, "
        "the options as JSON, and a SHA-256 over its bytes; loading it runs no code.</p></footer>"
    )
