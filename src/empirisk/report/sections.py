"""The sections in words: the verdict, the certificate, what was asked, and the footer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import empirisk
from empirisk.protocols import name_of
from empirisk.report.contents import Contents
from empirisk.report.markup import count, duration, exact, number, safe, safe_command, share

YES, NO = "✓ Certified", "✗ Not certified"


def header(contents: Contents) -> str:
    """The title and the numbers that matter most."""
    model, certificate = contents.model, contents.model.certificate
    kind = "classifier" if contents.is_classifier else "regressor"
    nonzero = int(np.count_nonzero(model.weights))
    tiles = [
        ("Objective reached", number(certificate.objective, 6), f"proven floor {number(_floor(contents), 6)}"),
        ("Relative gap", number(certificate.relative_gap, 3), f"asked: at most {number(model.options.tol, 3)}"),
        ("Time", duration(contents.seconds), f"{_passes(model.passes)} over the data"),
        ("Non-zero weights", f"{nonzero:,}", f"of {model.weights.size:,}"),
        _fit_tile(contents),
    ]
    badge = f'<span class="badge yes">{YES}</span>' if model.certified else f'<span class="badge no">{NO}</span>'
    shown = "".join(f'<div><dt>{a}</dt><dd>{b}</dd><dd class="soft">{c}</dd></div>' for a, b, c in tiles)
    return (
        f'<header><p class="kicker">empirisk report</p>'
        f"<h1>{safe(contents.data_name)}</h1>"
        f'<p class="soft">Linear {kind}, {safe(_loss_text(model.options.loss))} loss, '
        f"{count(contents.n_rows, 'row')}, {count(model.weights.size, 'column')}</p>"
        f'<p class="verdict">{badge}<span>{safe(_sentence(model.status.removeprefix("certified: ")))}</span></p>'
        f'<dl class="tiles">{shown}</dl></header>'
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _passes(passes: float) -> str:
    return f"{passes:,.6g} pass{'' if passes == 1.0 else 'es'}"


def _fit_tile(contents: Contents) -> tuple[str, str, str]:
    margins = contents.margins
    if contents.is_classifier:
        wrong = int(np.count_nonzero(~(margins > 0.0)))
        return "Errors on these rows", f"{wrong:,}", f"{share(wrong, margins.size)} of {count(margins.size, 'row')}"
    size = float(np.sqrt(np.mean(margins**2))) if margins.size else math.nan
    return "Typical residual", number(size), "root mean square, on these rows"


def _floor(contents: Contents) -> float:
    """What the minimum cannot be below, rounding included."""
    return contents.model.certificate.objective - contents.model.certificate.gap


def certificate_section(contents: Contents) -> str:
    """The claim, whether it is what was asked, what it means and how to check it."""
    model, certificate = contents.model, contents.model.certificate
    parts = [
        "<section><h2>The certificate</h2>",
        f'<p class="claim{"" if model.certified else " no"}">{safe(certificate.sentence(), 400)}</p>',
    ]
    parts += [f"<p>{note}</p>" for note in _notes(contents)]
    parts.append(f'<div class="pair"><div><h3>What it means</h3><p>{_meaning(contents)}</p></div>')
    parts.append(
        "<div><h3>What it does not mean</h3><p>It does not say that predictions on new data will be good, that the "
        "loss and the penalties were well chosen, or that the data are right. It says how well the question that was "
        "asked has been answered.</p>"
        "<h3>Check it yourself</h3><p>This command computes the objective and the floor again, from the data and the "
        f"model file alone:</p><pre><code>{safe_command(contents.verify_command)}</code></pre></div></div></section>"
    )
    return "".join(parts)


def _meaning(contents: Contents) -> str:
    """The duality gap for a reader who has never heard of it."""
    certificate = contents.model.certificate
    said = (
        "Fitting a model is a search for the weights that make one number, the objective, as small as it can be. How "
        "small that is, nobody knows beforehand. But a second computation on the same data can prove a floor that no "
        "weights whatever get below. "
    )
    if not math.isfinite(certificate.gap):
        return said + "Here it found none, so how far these weights are from the best ones is not known."
    return said + (
        f"Here the floor is {exact(_floor(contents))}, and the weights found reach {exact(certificate.objective)}. The "
        "distance between the two is the duality gap: no other program, however long it runs, can beat this answer by "
        "more than that."
    )


def _notes(contents: Contents) -> Iterable[str]:
    """What a reader must know of this certificate in particular."""
    model, certificate = contents.model, contents.model.certificate
    if not math.isfinite(certificate.gap):
        yield "<strong>The gap is infinite:</strong> nothing was proven about these weights."
    elif not model.certified and certificate.gap >= abs(certificate.objective):
        yield (
            "The gap is no smaller than the objective itself: so far next to nothing is proven. More passes, "
            "standardised columns or a larger l2 can help."
        )
    elif not model.certified:
        yield (
            f"The relative gap is {number(certificate.relative_gap, 3)} and {number(model.options.tol, 3)} was asked "
            "for: these weights may be close to the best ones, but that is not proven to the tolerance. More passes, "
            "standardised columns, a larger l2 or a larger tolerance can help."
        )
    if contents.solution.certified and not model.certified:
        yield (
            "The solver did reach the tolerance on the standardised columns; rounding, when the weights were carried "
            "over to the columns as they are, took it away again."
        )
    if model.scaling is not None:
        what = "shifted to mean zero and divided by" if np.any(model.scaling.shift) else "divided by"
        yield (
            f"<strong>The columns were standardised</strong> ({what} their standard deviation), and the certificate is "
            "for that standardised problem: the penalties act on the standardised weights. The weights shown below are "
            "for the columns as they are; they predict the same."
        )
    if math.isfinite(certificate.radius):
        yield (
            f"The floor is proven for intercepts between {number(-certificate.radius)} and "
            f"{number(certificate.radius)}; beyond that nothing is claimed."
        )


def asked_section(contents: Contents) -> str:
    """The problem, the options and the command."""
    model, options = contents.model, contents.model.options
    facts = [
        ("Data", safe(contents.data_name)),
        ("Size", f"{count(contents.n_rows, 'row')}, {count(model.weights.size, 'column')}"),
        ("Task", safe(options.task)),
        ("Loss", safe(_loss_text(options.loss))),
        ("l1", number(options.l1, 6)),
        ("l2", number(options.l2, 6)),
        ("Intercept", "yes, not penalised" if options.fit_intercept else "no"),
        ("Standardised", "yes" if model.scaling is not None else "no"),
        ("Tolerance", f"{number(options.tol, 6)} (gap: at most {number(contents.target, 3)})"),
        ("Pass limit", f"{options.max_passes:,}"),
    ]
    if model.classes is not None:
        first, last = (safe(label, 60) for label in model.classes)
        facts.append(("Classes", f"{first} (\u22121) and {last} (+1)"))
        facts.append(("Class weights", _class_weights(options.class_weight)))
    rows = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    rows += f'<div class="wide"><dt>Solver</dt><dd>{_solver_text(model.solver, model.reason)}</dd></div>'
    rows += f'<div class="wide"><dt>It ended</dt><dd>{safe(model.status)}</dd></div>'
    return (
        "<section><h2>What was asked</h2>"
        "<p>Make this objective as small as possible, over the weights w and the intercept b:</p>"
        "<pre>P(w, b) = weighted mean of loss(⟨w, x⟩ + b, y) + l1 · ‖w‖₁ + l2/2 · ‖w‖₂²</pre>"
        f'<dl class="facts">{rows}</dl><p>The command that made this fit:</p>'
        f"<pre><code>{safe_command(contents.command)}</code></pre></section>"
    )


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
