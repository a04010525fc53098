"""empirisk tag realize: weights that have every sequence right, or the labelings that forbid it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.errors import INTERRUPTED, UNCERTIFIED, note_written
from empirisk.cli.help import Command
from empirisk.cli.interrupts import asked_to_stop
from empirisk.cli.options import json_option, quiet_option, seed_option, time_limit_option
from empirisk.cli.output import check_writable, emit_json, emit_table, headline_rows
from empirisk.cli.progress import progress
from empirisk.cli.tag.options import feature_options, options_of
from empirisk.cli.tag.reading import blaming, read_tokens, sequence_options
from empirisk.stopwatch import Stopwatch

if TYPE_CHECKING:
    from empirisk.models.chains.files import Tokens
    from empirisk.models.chains.fitting import ChainFit

SHOWN = 5  # labelings


@click.command(
    "realize",
    cls=Command,
    examples=(
        "tag realize train.txt --templates chunk",
        "tag realize train.txt --templates chunk -o verdict",
        "tag realize train.crfsuite --time-limit 60 --json",
    ),
)
@click.argument("train")
@click.option("-o", "--output", metavar="MODEL", help="Write the verdict, a model with its proof.")
@sequence_options
@feature_options
@seed_option("Draws random orders.")
@time_limit_option()
@json_option
@quiet_option
def command(
    train: str,
    output: str | None,
    format: str | None,
    encoding: str | None,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Decide whether any weights have every sequence of TRAIN right (- for standard input), and prove it.

    Exit code 0 with either proof, 1 when it was not decided.
    """
    if output is not None:
        check_writable(output, [train])
    from empirisk.model_file import save

    options = options_of({**asked, "loss": "perceptron"})
    tokens, watch = read_tokens(train, format, encoding), Stopwatch()
    fit, is_interrupted = _decide(tokens, options, asked["label"], quiet)
    model = fit.model._replace(label_name=asked["label"], file_format=tokens.format)
    took = watch.to_json()
    if output is not None and model.certificate is not None:
        save(model, output)
        note_written(output)
    lines = _listed(fit, tokens)
    claim = fit.found.sentence()
    if as_json:
        facts = {"status": model.status, "claim": claim, "labelings": lines, "certified": model.certified, **took}
        emit_json({**facts, "model": output if model.certificate is not None else None})
    else:
        rows = [("Status", model.status), ("Claim", claim)]
        if model.certificate is not None:
            rows += headline_rows(model.certificate.words(0.0).headline)
        rows += [("Labelling", line) for line in lines[:SHOWN]]
        if len(lines) > SHOWN:
            rows.append(("", f"and {len(lines) - SHOWN} more, with --json"))
        emit_table([*rows, ("Took", f"{took['seconds']:.3g} s")])
    if is_interrupted:
        return INTERRUPTED
    return 0 if model.certified else UNCERTIFIED


def _decide(tokens: Tokens, options: Any, label: str | None, quiet: bool) -> tuple[ChainFit, bool]:
    from empirisk.models.chains.fitting import realize_chain
    from empirisk.progress import telling

    with (
        blaming(tokens.path),
        asked_to_stop() as is_asked,
        progress(quiet, "tag realize") as on_event,
    ):
        labels = tokens.labels(options.templates, label)
        callback = telling(on_event, lambda _: is_asked())
        return realize_chain(tokens.found, labels, options, callback=callback), is_asked()


def _listed(fit: ChainFit, tokens: Tokens) -> list[str]:
    """The labelings of a conflict, by file and line, with the words at the places that differ."""
    from empirisk.capabilities import optional

    own = optional(fit.found, "listed")
    if own is None:
        return []
    starts, written = tokens.starts, tokens.lines()
    lines: list[str] = own(tokens.place, lambda j, t: written[int(starts[j]) + t])
    return lines
