"""empirisk score: how good a model is on the rows of a file."""

from __future__ import annotations

import shlex

import click

from empirisk.cli.compiling import compiling
from empirisk.cli.help import Command
from empirisk.cli.options import (
    asked_dialect,
    format_option,
    ignore_new_option,
    json_option,
    level_option,
    quiet_option,
    unknown_option,
)
from empirisk.cli.output import check_writable, emit, emit_json, emit_table, say
from empirisk.cli.reading import blaming, model_of_rows, say_remarks
from empirisk.cli.score_table import emit_score


@click.command(
    "score",
    cls=Command,
    examples=(
        "score model test.csv",
        "score model test.csv --report page.html --level 0.9",
        "score model test.csv --unweighted --unknown zero --json",
    ),
)
@click.argument("model")
@click.argument("data")
@click.option("--label", metavar="COLUMN", help="The label.  [default: as in the fit]")
@click.option("--weights", metavar="COLUMN", help="The weights of the examples.  [default: as in the fit]")
@click.option("--unweighted", is_flag=True, help="Let every row count the same, whatever the fit did.")
@unknown_option()
@ignore_new_option
@level_option
@format_option("that of the training data")
@click.option("--report", metavar="FILE", help="Write numbers and pictures as one HTML page.")
@json_option
@quiet_option
def command(
    model: str,
    data: str,
    label: str | None,
    weights: str | None,
    unweighted: bool,
    unknown: str,
    ignore_new: bool,
    level: float,
    format: str | None,
    report: str | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Judge MODEL on DATA, rows with labels (- for standard input): error, AUC, log loss ..., each with an interval."""
    if unweighted and weights is not None:
        raise click.UsageError("--weights names the weights, and --unweighted leaves them out: give one of them")
    if report is not None:
        check_writable(report, [model, data])
    from empirisk.evaluation.files import are_those_of_the_fit, judge_examples
    from empirisk.models.reading import read_for_model
    from empirisk.report.score_page import write_score_report

    fitted = model_of_rows(model, "eval")
    examples = read_for_model(
        fitted,
        data,
        format,
        unknown=unknown,
        ignore_new=ignore_new,
        labeled=True,
        label=label,
        weights=weights,
        weighted=not unweighted,
        dialect=asked_dialect(),
    )
    say_remarks(examples, quiet)
    with blaming(examples.path), compiling("predictions", quiet):
        judged = judge_examples(fitted, examples, level)
        seen = are_those_of_the_fit(fitted, examples)
    remark = "The model was fitted on these rows, or on some of them: new rows usually fare worse." if seen else ""
    if remark:
        say(remark, quiet)
    if report is not None:
        command = shlex.join(["empirisk", *click.get_current_context().meta["arguments"]])
        write_score_report(
            report, judged=judged, data_name=examples.path, model_name=model, command=command, remark=remark
        )
    if as_json:
        told = {"model": model, "data": examples.path, "fitted_on_these": seen, "report": report}
        emit_json(told | judged.score.to_json())
        return 0
    rows = [("Model", model), ("Data", f"{examples.path}: {judged.score.rows} rows")]
    emit_table([*rows, *([] if report is None else [("Report", report)])])
    emit("\n")
    emit_score(judged.score)
    return 0
