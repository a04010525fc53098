"""empirisk demo: the commands at work on a built-in data set."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

import click

from empirisk.cli.help import Command
from empirisk.cli.output import chunked, emit, write_file


@click.command(
    "demo",
    cls=Command,
    examples=(
        "demo",
        "demo --output elsewhere",
        "demo && empirisk verify demo/model.empirisk demo/breast_cancer.csv",
    ),
)
@click.option("--output", default="demo", show_default=True, metavar="FOLDER", help="Where to write.")
@click.pass_context
def command(ctx: click.Context, output: str) -> int:
    """Fit, verify and predict the breast cancer data of scikit-learn, and write a report."""
    os.makedirs(output, exist_ok=True)
    data, model, report, predictions = (
        os.path.join(output, name) for name in ("breast_cancer.csv", "model.empirisk", "report.html", "predictions.csv")
    )
    write_file(data, chunked(_breast_cancer()))
    emit(f"Wrote {data}: 569 tumours, 30 measurements each, and the diagnosis.\n")
    commands = (
        ["fit", data, "-o", model, "--label", "diagnosis", "--standardize", "--report", report],
        ["verify", model, data],
        ["predict", model, data, "--probabilities", "-o", predictions],
    )
    code = 0
    for arguments in commands:
        emit(f"\n$ {shlex.join(['empirisk', *arguments])}\n")
        code = code or _run(ctx, arguments)
    emit(f"\nThe report is {report}, the predictions are {predictions}.\n")
    return code


def _run(ctx: click.Context, arguments: list[str]) -> int:
    """Run a command as if it had been typed."""
    from empirisk.cli.main import main

    command = main.get_command(ctx, arguments[0])
    assert command is not None
    assert ctx.parent is not None
    with command.make_context(arguments[0], arguments[1:], parent=ctx.parent) as inner:
        inner.meta["arguments"] = arguments
        code: int = command.invoke(inner)
    return code


def _breast_cancer() -> Iterator[str]:
    """The lines of the CSV file."""
    from sklearn.datasets import load_breast_cancer

    found = load_breast_cancer()
    yield ",".join([*(str(name) for name in found.feature_names), "diagnosis"]) + "\n"
    for row, label in zip(found.data.tolist(), found.target.tolist(), strict=True):
        yield ",".join([*map(repr, row), str(found.target_names[label])]) + "\n"
