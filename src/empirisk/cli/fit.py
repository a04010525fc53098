"""empirisk fit: a linear model from a file, with its certificate."""

from __future__ import annotations

import contextlib
import shlex
import time
from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.class_weights import class_weight, of_labels
from empirisk.cli.errors import INTERRUPTED, UNCERTIFIED, Interrupted, Usage
from empirisk.cli.interrupts import asked_to_stop
from empirisk.cli.options import (
    json_option,
    max_passes_option,
    no_intercept_option,
    quiet_option,
    seed_option,
    time_limit_option,
    tol_option,
)
from empirisk.cli.output import STANDARD_OUTPUT, check_writable, emit_json, emit_table, say
from empirisk.cli.progress import progress
from empirisk.cli.reading import Reading, blaming, read_examples, reading_options
from empirisk.cli.verify import verify_command
from empirisk.cli.wording import as_options

if TYPE_CHECKING:
    from empirisk.models import Fit, FitOptions
    from empirisk.models.examples import Examples

ENDING = "Interrupted: the fit ends after this step and is written; Ctrl-C again ends it at once, and nothing is."


def strength(text: Any) -> Any:
    """A number, or cv."""
    try:
        return text if text == "cv" else float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is neither a number nor cv.") from None


@click.command("fit")
@click.argument("train")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Where to write the model.")
@click.option("--loss", metavar="NAME", help="Such as logistic, hinge or squared, or huber:delta=2.")
@click.option(
    "--l1", default=0.0, type=strength, show_default=True, help="Strength of the l1 penalty; cv to cross-validate."
)
@click.option(
    "--l2", default=1e-4, type=strength, show_default=True, help="Strength of the l2 penalty; cv to cross-validate."
)
@click.option("--folds", default=5, type=click.IntRange(min=2), show_default=True, help="Of the cross-validation.")
@click.option(
    "--strengths",
    default=20,
    type=click.IntRange(min=2),
    show_default=True,
    help="How many the cross-validation tries.",
)
@click.option("--constraint", metavar="NAME", help="Where the weights must lie, such as l2_ball:radius=2 or box.")
@click.option(
    "--multiclass",
    type=click.Choice(["auto", "softmax", "one_vs_rest"]),
    default="auto",
    show_default=True,
    help="For three classes or more; auto is softmax for logistic.",
)
@no_intercept_option("Fit a plane through the origin.")
@click.option("--solver", default="auto", show_default=True, metavar="NAME", help="Such as newton, lbfgs or sdca.")
@tol_option()
@max_passes_option("Passes over the data, after which no step begins.")
@time_limit_option(help="Seconds of work, after which no step begins; the best point so far is written.")
@click.option("--keep", is_flag=True, help="On Ctrl-C write the model that was reached, uncertified.")
@seed_option("For solvers that sample, and for folds.")
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="How many threads; the answer does not depend on it.  [default: all cores]",
)
@reading_options()
@click.option("--task", type=click.Choice(["classification", "regression"]), help="[default: from the labels]")
@click.option(
    "--class-weight",
    type=class_weight,
    metavar="WEIGHTS",
    help="balanced, so that every class weighs the same, or labels with weights such as yes=5,no=1.",
)
@click.option("--standardize", is_flag=True, help="Scale the columns to mean zero and variance one for the fit.")
@click.option("--report", metavar="FILE", help="Write a report as one HTML page.")
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
    check_writable(output, [train])
    if report is not None:
        check_writable(report, [train, output])
    from empirisk.cli.summary import as_rows
    from empirisk.model_file import save
    from empirisk.models.facts import facts_of
    from empirisk.models.task import check_labels, task_of
    from empirisk.solution import Status

    _options(asked, asked["task"])  # refuses before the data are read
    examples = read_examples(train, reading, quiet)
    task, why = task_of(examples, asked["task"], asked["loss"], asked["multiclass"])
    why = as_options(why)
    say(f"Task: {task}, because {why}.", quiet)
    check_labels(examples, task)
    if isinstance(asked["class_weight"], dict) and task == "classification":
        assert examples.labels is not None
        asked["class_weight"] = of_labels(asked["class_weight"], examples.labels)
    options, began = _options(asked, task), time.perf_counter()
    fit = _fit(examples, options, asked["keep"], quiet)
    model, seconds = fit.model, time.perf_counter() - began
    if model.cross_validation is not None and model.cross_validation.fewer_folds:
        say(f"Cross-validation: {as_options(model.cross_validation.fewer_folds)}.", quiet)
    save(model, output)
    verify = verify_command(output, train, reading.of_model())
    scores = model.scores(examples.matrix)
    if report is not None:
        _write_report(report, fit, examples, scores, verify, seconds)
    facts = facts_of(fit, examples, scores, why, seconds)
    facts |= {"model": output, "report": report, "verify": verify}
    if as_json:
        emit_json(facts)
    else:
        emit_table(as_rows(facts, examples.path))
    if model.certified:
        return 0
    is_interrupted = model.status == Status.INTERRUPTED
    words = "Interrupted, and not" if is_interrupted else "Not"
    say(f"{words} certified: {model.reached()}. The model was written all the same.", quiet)
    return INTERRUPTED if is_interrupted else UNCERTIFIED


def _options(asked: dict[str, Any], task: str | None) -> FitOptions:
    """The options, checked; a wrong one is an error of usage."""
    from empirisk.capabilities import tasks_of
    from empirisk.losses import as_loss
    from empirisk.models import FitOptions

    try:
        if task is None:  # not known before the labels are
            task = "classification" if asked["loss"] is None else tasks_of(as_loss(asked["loss"]))[0]
        elif task == "regression" and asked["class_weight"] is not None:
            raise ValueError("--class-weight is for classification, and this is a regression")
        elif task == "regression" and asked["multiclass"] != "auto":
            raise ValueError("--multiclass is for classification, and this is a regression")
        return FitOptions(
            task=task,
            loss=asked["loss"],
            l1=asked["l1"],
            l2=asked["l2"],
            constraint=asked["constraint"],
            multiclass=asked["multiclass"],
            fit_intercept=not asked["no_intercept"],
            class_weight=asked["class_weight"],
            solver=asked["solver"],
            tol=asked["tol"],
            max_passes=asked["max_passes"],
            random_state=asked["seed"],
            n_threads=asked["threads"],
            standardize=asked["standardize"],
            folds=asked["folds"],
            n_strengths=asked["strengths"],
            time_limit=asked["time_limit"],
        ).checked()
    except (TypeError, ValueError) as error:
        raise click.UsageError(_as_options(str(error))) from None


def _as_options(sentence: str) -> str:
    return as_options(sentence, {parameter.name for parameter in command.params})


def _fit(examples: Examples, options: FitOptions, keep: bool, quiet: bool) -> Fit:
    from empirisk.models.examples import fit_examples
    from empirisk.protocols import Unsupported

    with contextlib.ExitStack() as stack:
        is_asked = stack.enter_context(asked_to_stop(None if quiet else ENDING)) if keep else None
        try:
            # The options have been checked: it is the data.
            with blaming(examples.path), progress(quiet) as on_event:
                return fit_examples(examples, options, on_event=on_event, stop=is_asked)
        except Unsupported as error:
            if is_asked is not None and is_asked():
                raise Interrupted(f"interrupted, and nothing was written: {_as_options(str(error))}") from None
            raise Usage(_as_options(str(error))) from None
        except KeyboardInterrupt:
            hint = "" if keep else "; with --keep, Ctrl-C writes the model that was reached"
            raise Interrupted(f"interrupted, and nothing was written{hint}") from None


def _write_report(path: str, fit: Fit, examples: Examples, scores: Any, verify: str, seconds: float) -> None:
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
    )
