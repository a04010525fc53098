"""One self-contained HTML page about a run over a stream, written whole or not at all."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from empirisk.data.files import write_atomically
from empirisk.report.document import closing, document, tiles
from empirisk.report.markup import count, duration, number, safe, safe_command, share
from empirisk.report.rounds_chart import SPREAD, Curve, is_logarithmic, legend, rounds_chart

if TYPE_CHECKING:
    from empirisk.online.ledger import Ledger
    from empirisk.online.regret_bound import RegretBound

SENTENCE = 2000  # characters
NEGATIVE = "Where the regret has no dot, the learner has paid no more than the best fixed weights."


class StreamContents(NamedTuple):
    """Everything that the page shows."""

    facts: dict[str, Any]  # of the command, as --json has them
    ledgers: Sequence[Ledger]  # at the rounds 1, 2, 4, ..., and at the end
    looks: Sequence[RegretBound]  # at the same rounds, where regret was asked for
    theorem: str
    command: str
    verify_command: str | None  # of the certificate, where that was written


def write_stream_report(path: str | os.PathLike[str], contents: StreamContents) -> None:
    """Write the page of a run."""
    write_atomically(path, [stream_page(contents).encode("utf-8")])


def stream_page(contents: StreamContents) -> str:
    """The HTML text."""
    name = "standard input" if contents.facts["data"] == "-" else contents.facts["data"]
    sections = (_claim(contents), _rounds(contents), _promise(contents), _asked(contents))
    return document(
        f"{name} - empirisk stream", f"{_header(contents, name)}\n<main>{''.join(sections)}</main>\n{closing()}"
    )


def _header(contents: StreamContents, name: str) -> str:
    facts = contents.facts
    shown = [
        ("Rounds", f"{facts['rounds']:,}", f"{count(facts['features'], 'column')}, counted from 0"),
        ("Mean loss", number(facts["mean_loss"], 4), "each before the label was seen"),
    ]
    if facts["classes"] is not None:
        shown.append(("Errors", f"{facts['errors']:,}", share(facts["errors"], max(1, facts["rounds"]))))
    if contents.looks:
        last = contents.looks[-1]
        shown.append(("Regret", number(last.regret, 4), f"at most {number(last.most, 4)}"))
        bound = "none" if math.isnan(last.bound) else number(last.bound, 4)
        shown.append(("Bound", bound, "of the learner's theorem, for these rows"))
    shown.append(("Time", duration(facts["seconds"]), f"{facts['bytes'] / 1e6:,.3g} MB"))
    ended = ", interrupted" if facts["interrupted"] else ""
    return (
        f'<header><p class="kicker">empirisk stream</p><h1>{safe(name)}</h1><p class="soft">{safe(facts["learner"])}, '
        f"{safe(facts['loss'])} loss, {count(facts['rows'], 'row')}{ended}</p>{tiles(shown)}</header>"
    )


def _claim(contents: StreamContents) -> str:
    """The certificate of the regret, what it means and how to check it."""
    if not contents.looks or contents.facts["regret"] is None:
        return ""
    facts, last = contents.facts["regret"], contents.looks[-1]
    style = "claim" if facts["certified"] else "claim no"
    words = last.words(0.0)
    check = "<p>Written with --certificate FILE, it is checked by <code>empirisk verify FILE DATA</code>.</p>"
    if contents.verify_command is not None:
        check = f"<pre><code>{safe_command(contents.verify_command)}</code></pre>"
    return (
        f'<section><h2>Regret, and its certificate</h2><p class="{style}">{safe(facts["sentence"], SENTENCE)}</p>'
        f'<div class="pair"><div><h3>What it means</h3><p>{safe(words.meaning, SENTENCE)}</p><h3>The theorem of the '
        f"learner</h3><p>{safe(contents.theorem, SENTENCE)}</p></div><div><h3>What it does not mean</h3><p>A small "
        "regret does not say that the best fixed weights are good, or that rows to come will be like these. It says "
        f"how little was lost by not knowing the rows beforehand.</p><h3>Check it yourself</h3><p>This computes "
        f"{safe(words.checked)} again, from the data alone:</p>{check}</div></div></section>"
    )


def _rounds(contents: StreamContents) -> str:
    """Losses, errors, regret and bound over the rounds, drawn and as a table."""
    ledgers, looks = contents.ledgers, contents.looks
    recent = _since(ledgers)
    losses = [
        Curve("mean loss, each before its label was seen", "line", [(at.rounds, at.mean_loss) for at in ledgers]),
        Curve("mean since the line before", "span", recent),
    ]
    if looks:
        least = min(at.mean_loss for at in ledgers) / SPREAD  # what is far below would leave no room for the others
        best = [(at.rounds, at.gap.objective) for at in looks if at.gap.objective > least]
        losses.append(Curve("mean loss and penalty of the best fixed weights of these rounds", "guide", best))
    figures = [_figure("Progressive loss", losses)]
    if looks:
        above = [(at.rounds, at.regret) for at in looks if at.regret > 0.0]
        note = "" if len(above) == len(looks) else NEGATIVE
        paid = [Curve("regret against the best fixed weights", "line", above)]
        if not all(math.isnan(at.bound) for at in looks):
            paid.append(Curve("bound of the theorem", "target", [(at.rounds, at.bound) for at in looks]))
        figures.append(_figure("Regret and its bound", paid, note))
    elif contents.facts["classes"] is not None:
        wrong = [(at.rounds, at.errors / at.rounds) for at in ledgers]
        figures.append(_figure("Share of errors", [Curve("errors a round", "line", wrong)]))
    return (
        f'<section><h2>Over the rounds</h2><div class="pair">{"".join(figures)}</div>'
        f'<div class="scroll after">{_table(contents, recent)}</div></section>'
    )


def _since(ledgers: Sequence[Ledger]) -> list[tuple[float, float]]:
    """The mean loss of the rounds between one line and the next."""
    pairs = itertools.pairwise(ledgers)
    first = [(float(at.rounds), at.mean_loss) for at in ledgers[:1]]
    rest = [(float(b.rounds), (b.loss - a.loss) / (b.weight - a.weight)) for a, b in pairs if b.weight > a.weight]
    return first + rest


def _figure(title: str, curves: Sequence[Curve], note: str = "") -> str:
    said = title + (" (logarithmic)" if is_logarithmic(curves) else "")
    under = f"<figcaption>{legend(curves)}{note}</figcaption>"
    return f"<figure><h3>{safe(said)}</h3>{rounds_chart(curves, title=said)}{under}</figure>"


def _table(contents: StreamContents, recent: Sequence[tuple[float, float]]) -> str:
    """The lines of the run."""
    has_errors, since = contents.facts["classes"] is not None, dict(recent)
    looks = {look.rounds: look for look in contents.looks}
    titles = [
        "Rounds",
        "Mean loss",
        "Since the line before",
        *["Errors"] * has_errors,
        *["Regret", "Bound"] * bool(looks),
    ]
    lines = []
    for at in contents.ledgers:
        cells = [f"{at.rounds:,}", number(at.mean_loss, 6), number(since.get(at.rounds, math.nan), 6)]
        cells += [f"{at.errors:,}"] * has_errors
        if looks:
            look = looks.get(at.rounds)
            cells += ["", ""] if look is None else [number(look.regret, 6), _bound(look)]
        first, *others = cells
        lines.append(f"<tr><th>{first}</th>{''.join(f'<td>{cell}</td>' for cell in others)}</tr>")
    head = "".join(f"<th>{title}</th>" for title in titles)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _bound(look: RegretBound) -> str:
    return "none" if math.isnan(look.bound) else number(look.bound, 6)


def _promise(contents: StreamContents) -> str:
    """What is promised for rows to come, where that was asked for."""
    future = contents.facts["future"]
    if future is None:
        return ""
    style = "claim no" if future["expected_loss"] is None else "claim"
    return (
        f'<section><h2>Rows to come</h2><p class="{style}">{safe(future["sentence"], SENTENCE)}</p><p>That rows are '
        "independent and alike is assumed, and not checked: rows in the order of time often are not. The promise is "
        "for the average of the points that were played, and for losses never above what was given.</p></section>"
    )


def _asked(contents: StreamContents) -> str:
    """The options of the run, and the commands."""
    facts = contents.facts
    penalty = f"l1 {facts['l1']:g}, l2 {facts['l2']:g}, {'with' if facts['intercept'] else 'without'} intercept"
    shown = {
        "Learner": facts["learner"],
        "Loss": facts["loss"],
        "Penalty": penalty,
        "Constraint": facts["constraint"] or "none",
        "Classes": "none: a regression" if facts["classes"] is None else ", ".join(map(str, facts["classes"])),
        "Passes": str(facts["passes"]),
        "Rows before": f"{facts['rows_before']:,}",
        "Bad lines": f"{len(facts['skipped']):,} passed over",
        "Fingerprint": facts["fingerprint"],
        "Model": facts["model"] or "not saved",
    }
    items = "".join(f"<div><dt>{name}</dt><dd>{safe(said)}</dd></div>" for name, said in shown.items())
    return (
        f'<section><h2>What was asked</h2><dl class="facts">{items}</dl><h3>The command that made this page</h3>'
        f"<pre><code>{safe_command(contents.command)}</code></pre></section>"
    )
