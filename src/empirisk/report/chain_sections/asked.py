"""What was asked: the loss, the tokens' description, which weights there are, and the command."""

from __future__ import annotations

import math

from empirisk.report.chain_sections.contents import ChainContents
from empirisk.report.chain_sections.heading import loss_text
from empirisk.report.markup import count, number, safe, safe_command

MOST_FEATURES, MOST_LABELS = 80, 60  # that are listed
FORMULAS = {
    "likelihood": "lossⱼ(u) = log Z(xⱼ) \u2212 ⟨φ(xⱼ, sⱼ), u⟩",
    "margin": "lossⱼ(u) = max over s of  C(sⱼ, s) + ⟨φ(xⱼ, s) \u2212 φ(xⱼ, sⱼ), u⟩",
}


def asked_section(contents: ChainContents) -> str:
    """The objective, the options, the labels and the command."""
    facts = [*_training(contents), *_tokens(contents), *_weights(contents)]
    rows = "".join(f"<div><dt>{name}</dt><dd>{said}</dd></div>" for name, said in facts)
    rows += "".join(f'<div class="wide"><dt>{name}</dt><dd>{said}</dd></div>' for name, said in _wide(contents))
    return (
        f'<section><h2>What was asked</h2>{_objective(contents)}<dl class="facts">{rows}</dl>'
        "<p>The command that made this model and this page:</p>"
        f"<pre><code>{safe_command(contents.command)}</code></pre></section>"
    )


def _objective(contents: ChainContents) -> str:
    formula = FORMULAS.get(contents.model.options.loss)
    if formula is None:
        return ""
    return (
        "<p>Make this objective as small as possible, over the weights u:</p><pre>P(u) = mean over the sequences j of "
        f"lossⱼ(u) + l1 · ‖u‖₁ + l2/2 · ‖u‖₂²\n{formula}</pre>"
    )


def _training(contents: ChainContents) -> list[tuple[str, str]]:
    """The loss and the budget; like all of these, markup."""
    options = contents.model.options
    facts = [("Loss", safe(loss_text(contents)))]
    if options.is_convex:
        facts += [("l1", number(options.l1, 6)), ("l2", number(options.l2, 6))]
        asked = f" (gap: at most {number(contents.target, 3)})" if math.isfinite(contents.target) else ""
        facts.append(("Tolerance", f"{number(options.tol, 6)}{asked}"))
    if options.loss == "perceptron":
        facts.append(("Order", options.order))
    if options.order == "random" or options.is_convex:
        facts.append(("Seed", str(options.seed)))
    if options.loss == "generative":
        facts.append(("Smoothing", number(options.smoothing, 6)))
    else:
        facts.append(("Pass limit", f"{options.passes:,g}"))
    if options.time_limit is not None:
        facts.append(("Time limit", f"{options.time_limit:g} s"))
    return facts


def _tokens(contents: ChainContents) -> list[tuple[str, str]]:
    """The file, and how its tokens became attributes."""
    options, features, tokens = contents.model.options, contents.model.features, contents.tokens
    facts = [("Data", safe(contents.data_name)), ("Format", safe(tokens.format))]
    if contents.model.label_name is not None:
        facts.append(("Label column", safe(contents.model.label_name)))
    if features.hash_bits is None:
        facts.append(("Dictionary", count(features.n_attributes, "attribute")))
        facts.append(("Rarest kept", f"in {count(options.min_count, 'token')}"))
    else:
        facts.append(("Dictionary", f"none: hashed into 2^{features.hash_bits} places"))
    if features.n_dense:
        facts.append(("Dense", count(features.n_dense, "feature")))
    return facts


def _weights(contents: ChainContents) -> list[tuple[str, str]]:
    """Which weights there are."""
    options, layout = contents.model.options, contents.model.layout
    pairs = "all pairs" if options.states == "all" else "pairs that occur"
    free = int(layout.is_free.sum())
    return [
        ("States", f"{count(layout.state_labels.size, 'weight')}, {pairs} of attribute and label"),
        (
            "Transitions",
            f"{count(free, 'weight')}, {'all pairs' if options.transitions == 'all' else 'pairs that occur'}",
        ),
        ("Start and end", f"{count(2 * layout.n_labels, 'weight')}" if layout.has_ends else "none"),
        ("Scheme", "none: any label may follow any" if options.scheme is None else options.scheme),
    ]


def _wide(contents: ChainContents) -> list[tuple[str, str]]:
    """Lists and sentences, as markup."""
    model, shown = contents.model, []
    templates = model.features.templates
    if templates is not None:
        texts = [safe(template.text) for template in templates.features[:MOST_FEATURES]]
        more = len(templates.features) - len(texts)
        said = "  ".join(f"<code>{text}</code>" for text in texts) + (f" and {more:,} more" if more else "")
        name = f"{safe(model.options.templates)}: " if isinstance(model.options.templates, str) else ""
        shown.append(("Templates", f"{name}{said}"))
    labels = [f"<bdi>{safe(label, 60)}</bdi>" for label in contents.labels[:MOST_LABELS]]
    more = len(contents.labels) - len(labels)
    shown.append(("Labels", ", ".join(labels) + (f" and {more:,} more" if more else "")))
    said = model.reason.removeprefix(f"{model.solver}: ")
    shown.append(("Solver", f"<strong>{safe(model.solver)}</strong>{f': {safe(said, 2000)}' if said else ''}"))
    shown.append(("It ended", safe(model.status, 400)))
    return shown
