"""empirisk fit: a linear model from a file, with its certificate."""

from __future__ import annotations

import contextlib
import shlex
from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.class_weights import of_labels
from empirisk.cli.compiling import compiling, on_rows
from empirisk.cli.errors import INTERRUPTED, UNCERTIFIED, Interrupted, Usage, note_written, saying_of_interrupts
from empirisk.cli.fit_options import fit_options, of_fit, options_of
from empirisk.cli.help import Command, list_option
from empirisk.cli.interrupts import asked_to_stop
from empirisk.cli.judging import check_judging, future_json, judging_options, rows_to_judge
from empirisk.cli.options import json_option, quiet_option
from empirisk.cli.output import STANDARD_OUTPUT, check_writable, emit, emit_json, emit_table, say
from empirisk.cli.progress import progress
from empirisk.cli.reading import Reading, blaming, read_examples, reading_options
from empirisk.cli.score_table import emit_score
from empirisk.cli.structural import refuse_others, structural_fit
from empirisk.cli.verify_command import verify_command
from empirisk.cli.wording import advice_as_options, as_options
from empirisk.stopwatch import Stopwatch

if TYPE_CHECKING:
    from empirisk.models import Fit, FitOptions
    from empirisk.models.examples import Examples

ENDING = "Interrupted: the fit ends after this step and is written; Ctrl-C again ends it at once, and nothing is."


@click.command(
    "fit",
    cls=Command,
    kinds=("losses", "constraints", "solvers"),
    examples=(
        "fit train.csv -o model --label outcome --standardize --report page.html",
        "fit prices.csv -o model --label price --loss huber:delta=2 --l2 cv",
        "fit train.svm -o model --loss hinge --l1 1e-3 --class-weight balanced --time-limit 60",
    ),
)
@click.argument("train")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Where to write the model.")
@fit_options
@click.option(
    "--structural",
    is_flag=True,
    help="The plane with integer weights whose proven bound on the future error is least, as a score card.",
)
@reading_options()
@judging_options()
@click.option("--report", metavar="FILE", help="Write a report as one HTML page.")
@list_option
@json_option
@quiet_option
def command(
    train: str, output: str, report: str | None, reading: Reading, as_json: bool, quiet: bool, **asked: Any
) -> int:
    """Fit a linear model to TRAIN, a CSV table, svmlight data or NumPy arrays (- for standard input), and write it.

    Compressed files (.gz, .bz2, .xz) are read as they are.
    """
    if output in STANDARD_OUTPUT:
        raise click.UsageError("the model needs a file of its own: standard output is for the summary")
    if asked.pop("structural"):
        refuse_others({*asked, "report"})
        check_writable(output, [train])
        return structural_fit(train, output, reading, as_json, quiet, asked["seed"])
    check_judging(asked)
    inputs = [train] if asked["test"] is None else [train, asked["test"]]
    check_writable(output, inputs)
    if report is not None:
        check_writable(report, [*inputs, output])
    from empirisk.cli.summary import as_rows
    from empirisk.model_file import save
    from empirisk.models.facts import facts_of
    from empirisk.models.task import check_labels, task_of
    from empirisk.solution import Status

    with compiling("options", quiet):
        options_of(asked, asked["task"])  # refuses before the data are read
    examples = read_examples(train, reading, quiet, encoded=asked["holdout"] is None)
    task, why = task_of(examples, asked["task"], asked["loss"], asked["multiclass"])
    why = as_options(why)
    say(f"Task: {task}, because {why}.", quiet)
    check_labels(examples, task)
    if isinstance(asked["class_weight"], dict) and task == "classification":
        assert examples.labels is not None
        asked["class_weight"] = of_labels(asked["class_weight"], examples.labels)
    options, judging = options_of(asked, task), rows_to_judge(examples, asked, task, reading, quiet)
    examples, watch = judging.train, Stopwatch()
    fit = judging.marked(_fit(examples, options, asked["keep"], quiet))
    model, seconds, compile_seconds = fit.model, watch.seconds(), watch.compile_seconds()
    if model.cut_choice():
        say(f"Cross-validation: {as_options(model.cut_choice())}.", quiet)
    save(model, output)
    note_written(output)
    verify = verify_command(output, train, reading.of_model())
    with compiling("the summary", quiet):
        scores, judged = model.scores(examples.matrix), judging.judge(model)
        facts = facts_of(fit, examples, scores, why, seconds, compile_seconds)
        future = judging.future_error(model)
    if report is not None:
        shown: dict[str, Any] = {"compile_seconds": compile_seconds, "future_error": future}
        if judged is not None:
            shown |= {"judged": judged, "judged_on": judging.where}
        _write_report(report, fit, examples, scores, verify, seconds, **shown)
    facts |= {"model": output, "report": report, "verify": verify, "judged": judging.to_json(judged)}
    facts["future_error"] = future_json(future)
    if as_json:
        emit_json(facts)
    else:
        emit_table(as_rows(facts, examples.path))
        if judged is not None:
            emit(f"\nOn {judging.where}:\n")
            emit_score(judged.score)
    if model.certified:
        return 0
    is_interrupted = model.status == Status.INTERRUPTED
    words = "Interrupted, and not" if is_interrupted else "Not"
    say(f"{words} certified: {model.reached()}. The model was written all the same.", quiet)
    say(f"What may help: {advice_as_options(model.advice())}.", quiet)
    return INTERRUPTED if is_interrupted else UNCERTIFIED


def _fit(examples: Examples, options: FitOptions, keep: bool, quiet: bool) -> Fit:
    from empirisk.losses import loss_text
    from empirisk.models.examples import fit_examples
    from empirisk.protocols import Unsupported

    what = on_rows(loss_text(options.loss), examples.matrix)
    hint = "" if keep else "; with --keep, Ctrl-C writes the model that was reached"
    with contextlib.ExitStack() as stack:
        is_asked = stack.enter_context(asked_to_stop(None if quiet else ENDING)) if keep else None
        stack.enter_context(saying_of_interrupts(f"interrupted, and nothing was written{hint}"))
        try:
            # The options have been checked: it is the data.
            with blaming(examples.path), progress(quiet, what) as on_event:
                return fit_examples(examples, options, on_event=on_event, stop=is_asked)
        except Unsupported as error:
            if is_asked is not None and is_asked():
                raise Interrupted(f"interrupted, and nothing was written: {of_fit(str(error))}") from None
            raise Usage(of_fit(str(error))) from None


def _write_report(
    path: str, fit: Fit, examples: Examples, scores: Any, verify: str, seconds: float, **others: Any
) -> None:
    from empirisk.models.facts import margins_of
    from empirisk.report import write_report

    write_report(
        path,
        model=fit.model,
        solution=fit.solution,
        margins=margins_of(fit.model, examples, scores),
        feature_names=fit.model.feature_names,
        command=shlex.join(["empirisk", *click.get_current_context().meta["arguments"]]),
        verify_command=verify,
        data_name=examples.path,
        n_rows=examples.matrix.shape[0],
        seconds=seconds,
        **others,
    )
