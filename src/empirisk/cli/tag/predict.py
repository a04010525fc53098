"""empirisk tag predict: labels of the tokens of new sequences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.compiling import compiling
from empirisk.cli.errors import Usage
from empirisk.cli.help import Command
from empirisk.cli.options import quiet_option
from empirisk.cli.output import check_writable, chunked, safe_lines, write_file
from empirisk.cli.tag.reading import blaming, loaded_tagger, read_tokens, sequence_options

if TYPE_CHECKING:
    from empirisk.models.chains.files import Tokens
    from empirisk.models.chains.model import ChainModel


@click.command(
    "predict",
    cls=Command,
    examples=(
        "tag predict model new.txt > tagged.txt",
        "tag predict model new.txt --marginals -o probabilities.txt",
        "tag predict model new.txt --k-best 3",
    ),
)
@click.argument("model")
@click.argument("data")
@click.option("-o", "--output", default="-", metavar="FILE", help="[default: standard output]")
@sequence_options
@click.option("--marginals", is_flag=True, help="After each label the probability that it has.")
@click.option("--k-best", type=click.IntRange(min=1), help="The N best labelings of each sequence, with their scores.")
@click.option("--known", metavar="COLUMN", help="Labels to keep, in this column: _ where there is none.")
@quiet_option
def command(
    model: str, data: str, output: str, format: str | None, encoding: str | None, quiet: bool, **asked: Any
) -> int:
    """Label the sequences of DATA (- for standard input): its columns and the label, as conlleval reads them."""
    if asked["k_best"] is not None and (asked["marginals"] or asked["known"] is not None):
        raise Usage("--k-best goes with neither --marginals nor --known")
    check_writable(output, [model, data], takes_devices=True)
    found = loaded_tagger(model)
    tokens = read_tokens(data, format or found.file_format, encoding)
    with blaming(tokens.path), compiling("tag predict", quiet):
        lines = list(_lines(found, tokens, asked))
    write_file(output, chunked(safe_lines(output, lines)))
    return 0


def _lines(model: ChainModel, tokens: Tokens, asked: dict[str, Any]) -> Iterator[str]:
    starts, given = tokens.starts.tolist(), tokens.lines()
    begun = [f"{line} " if line else "" for line in given]
    if asked["k_best"] is not None:
        for j, best in enumerate(model.predict_k_best(tokens.found, asked["k_best"])):
            for rank, (score, labels) in enumerate(best):
                yield f"# {rank + 1} {score:.9g}\n"
                yield from _joined(begun[starts[j] : starts[j + 1]], labels.tolist())
        return
    known = None if asked["known"] is None else _known(tokens, asked["known"])
    answers = model.predict(tokens.found, known)
    chances = model.predict_marginals(tokens.found, known) if asked["marginals"] else None
    places = {label: k for k, label in enumerate(model.classes.tolist())}
    for j, labels in enumerate(answers):
        said = [str(label) for label in labels.tolist()]
        if chances is not None:
            rows = zip(said, labels.tolist(), chances[j], strict=True)
            said = [f"{text} {row[places[label]]:.6f}" for text, label, row in rows]
        yield from _joined(begun[starts[j] : starts[j + 1]], said)


def _joined(begun: list[str], said: list[Any]) -> Iterator[str]:
    for first, last in zip(begun, said, strict=True):
        yield f"{first}{last}\n"
    yield "\n"


def _known(tokens: Tokens, column: str) -> list[list[str | None]]:
    return [[None if label == "_" else label for label in labels] for labels in tokens.labels(None, column)]
