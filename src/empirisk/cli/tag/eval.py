"""empirisk tag eval: right tokens, chunks and sequences."""

from __future__ import annotations

from typing import Any

import click

from empirisk.cli.compiling import compiling
from empirisk.cli.help import Command
from empirisk.cli.options import json_option, quiet_option
from empirisk.cli.output import emit, emit_json
from empirisk.cli.tag.reading import blaming, loaded_tagger, read_tokens, sequence_options


@click.command(
    "eval",
    cls=Command,
    examples=("tag eval model test.txt", "tag eval model test.txt --strict iob2", "tag eval model test.txt --json"),
)
@click.argument("model")
@click.argument("data")
@sequence_options
@click.option("--label", metavar="COLUMN", help="The labels: a name, or a number from 1.  [default: as in the fit]")
@click.option(
    "--strict", type=click.Choice(["iob1", "iob2", "iobes", "bilou"]), help="Count chunks of this scheme alone."
)
@json_option
@quiet_option
def command(
    model: str,
    data: str,
    format: str | None,
    encoding: str | None,
    label: str | None,
    strict: str | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Label the sequences of DATA and count: the lines of conlleval, and the share of sequences that are right."""
    from empirisk.models.chains.judging import judged

    found: Any = loaded_tagger(model)
    tokens = read_tokens(data, format or found.file_format, encoding)
    with blaming(tokens.path), compiling("tag eval", quiet):
        score = judged(found, tokens, label, strict)
    if as_json:
        emit_json(score.to_json())
    else:
        emit(score.text())
    return 0
