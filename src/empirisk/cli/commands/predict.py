"""empirisk predict: labels, scores or probabilities for the rows of a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import click

from empirisk.cli.compiling import compiling
from empirisk.cli.help import Command
from empirisk.cli.options import asked_dialect, format_option, ignore_new_option, unknown_option
from empirisk.cli.output import check_standard_output, check_writable, chunked, safe_lines, say, write_file
from empirisk.cli.reading import blaming, model_of_rows
from empirisk.cli.stream.format import check_no_columns, is_run_over_stream, reads_as_stream, scores_of_stream

PREDICTED = "predicted"


@click.command(
    "predict",
    cls=Command,
    examples=(
        "predict model new.csv -o labels.txt",
        "predict model new.csv --probabilities > chances.csv",
        "predict model - --scores --unknown zero < new.csv",
    ),
)
@click.argument("model")
@click.argument("data")
@click.option("-o", "--output", default="-", metavar="FILE", help="Where to write.  [default: standard output]")
@click.option("--scores", is_flag=True, help="A CSV table with the scores.")
@click.option("--probabilities", is_flag=True, help="A CSV table with the probabilities of the classes.")
@click.option(
    "--keep", multiple=True, metavar="COLUMNS", help="A CSV table with these columns of DATA before the predictions."
)
@unknown_option()
@ignore_new_option
@format_option("that of the training data")
def command(
    model: str,
    data: str,
    output: str,
    scores: bool,
    probabilities: bool,
    keep: tuple[str, ...],
    unknown: str,
    ignore_new: bool,
    format: str | None,
) -> int:
    """Predict the label of each row of DATA (- for standard input), one a line. DATA may lack the labels."""
    from empirisk.models.reading import read_for_model

    if output == "-":
        check_standard_output([model, data])
    else:
        check_writable(output, [model, data], takes_devices=True)
    fitted = model_of_rows(model, "predict")
    if probabilities:
        fitted.check_probabilities()  # refuses before the data are read
    if is_run_over_stream(fitted) and reads_as_stream(fitted, data, format):
        check_no_columns(keep, asked_dialect())
        with compiling("predictions"):
            parts = scores_of_stream(fitted, data, ignore_new)
            write_file(output, chunked(safe_lines(output, _lines_of_parts(fitted, parts, scores, probabilities))))
        return 0
    with compiling("reading"):
        examples = read_for_model(
            fitted, data, format, unknown=unknown, ignore_new=ignore_new, dialect=asked_dialect(), keep=keep
        )
    with blaming(examples.path), compiling("predictions"):
        z = fitted.scores(examples.matrix)
        answers = fitted.answers(z)
    columns = _columns(fitted, z, answers, scores, probabilities)
    if examples.complete is not None and not examples.complete.all():
        complete = examples.complete.tolist()
        say(f"The predictions of {complete.count(False)} of {len(complete)} rows are empty: they lack a value.")
        columns = {name: _spread(cells, complete) for name, cells in columns.items()}
    kept = {name: cells.tolist() for name, cells in examples.kept.items()}
    # A column of the data keeps its name: a prediction that has it too takes another.
    columns = kept | {f"{PREDICTED}_{name}" if name in kept else name: cells for name, cells in columns.items()}
    header = bool(scores or probabilities or kept) or answers.ndim == 2
    write_file(output, chunked(safe_lines(output, _lines(columns, header))))
    return 0


def _columns(fitted: Any, z: Any, answers: Any, scores: bool, probabilities: bool) -> dict[str, Any]:
    """What was asked of these scores, as texts by the name of the column."""
    names = list(range(z.shape[-1])) if fitted.classes is None else fitted.classes.tolist()
    text = repr if fitted.classes is None else str
    columns: dict[str, Any] = {"label": map(text, answers.tolist())}
    if answers.ndim == 2:  # several targets
        columns = {f"label_{name}": map(text, answers[:, name].tolist()) for name in names}
    if scores and fitted.has_many_classes:
        columns |= {f"score_{name}": map(repr, z[:, k].tolist()) for k, name in enumerate(names)}
    elif scores:
        columns["score"] = map(repr, z.tolist())
    if probabilities:
        chances = fitted.chances(z)
        columns |= {f"probability_{name}": map(repr, chances[:, k].tolist()) for k, name in enumerate(names)}
    return columns


def _lines_of_parts(fitted: Any, parts: Iterator[Any], scores: bool, probabilities: bool) -> Iterator[str]:
    """CSV of scores that come in parts."""
    header = scores or probabilities
    for z in parts:
        yield from _lines(_columns(fitted, z, fitted.answers(z), scores, probabilities), header)
        header = False


def _spread(cells: Iterator[str], complete: list[bool]) -> Iterator[str]:
    """The cells of the complete rows of a file, with empty ones between them for all others."""
    return (next(cells) if is_complete else "" for is_complete in complete)


def _lines(columns: dict[str, Any], header: bool) -> Iterator[str]:
    """CSV, a line at a time."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    if header:
        writer.writerow(columns)
    for row in zip(*columns.values(), strict=True):
        if row == ("",):
            buffer.write("\n")  # a cell of nothing alone would come with quotes
        else:
            writer.writerow(row)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
