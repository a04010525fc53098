"""empirisk stream: learn from rows as they come, each of them predicted before its label is seen."""

from __future__ import annotations

import math
import os
import shlex
from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.compiling import and_compiling
from empirisk.cli.errors import INTERRUPTED, UNCERTIFIED, BadData, Usage
from empirisk.cli.help import Command
from empirisk.cli.interrupts import stopping
from empirisk.cli.options import json_option, no_intercept_option, quiet_option, tolerance
from empirisk.cli.output import check_writable, emit_json, emit_table, say
from empirisk.cli.plane import check_output, written_rows
from empirisk.cli.reading import Reading
from empirisk.cli.stream.format import (
    asked_of_rows,
    check_is_text,
    features_text,
    names_rows,
    new_format,
    row_options,
)
from empirisk.cli.stream.future import asked_future, looks_at
from empirisk.cli.stream.output import MEGABYTE, Predictions, counted
from empirisk.cli.stream.regret import Hindsight, asked_regret, kept_rows
from empirisk.cli.stream.run import Plan, StreamRun
from empirisk.cli.verify_command import verify_command
from empirisk.cli.wording import as_options
from empirisk.progress import duration

if TYPE_CHECKING:
    from empirisk.models.streams.streaming import Streaming

OPTIONS = ("learner", "loss", "l1", "l2", "constraint", "no_intercept", "classes", "passes")  # what a run is about


def some_classes(text: Any) -> Any:
    """Two numbers or texts, or more, with commas between them, as an array in sorted order."""
    import numpy as np

    from empirisk.models.tables import tidy_labels

    words = [word.strip() for word in text.split(",")]
    if len(words) < 2 or not all(words):
        raise click.BadParameter(f"{text!r} is not two labels or more, such as 1,2 or no,yes.")
    try:
        labels = sorted(map(float, words))
    except ValueError:
        found = np.array(sorted(words), dtype=object)
    else:
        found = tidy_labels(np.array(labels))
        if not all(map(math.isfinite, labels)):
            raise click.BadParameter(f"{text!r} has labels that are no numbers.")
    if len({*found.tolist()}) < len(words):
        raise click.BadParameter(f"{text!r} is not different labels.")
    return found


@click.command(
    "stream",
    cls=Command,
    kinds=("losses", "constraints"),
    examples=(
        "stream rows.svm.gz --learner adagrad --l2 1e-3 --every 100000 --save model",
        "stream clicks.csv --label clicked --text page --ignore id --missing absent --save model",
        "stream - --format vw --resume model --save model --predictions scores.csv < more.vw",
    ),
)
@click.argument("data")
@click.option(
    "--learner", metavar="NAME", help="Such as adagrad, or adagrad:alpha=0.5.  [default: mixture, which has no penalty]"
)
@click.option("--loss", metavar="NAME", help="Such as hinge or squared, or huber:delta=2.  [default: logistic]")
@click.option("--l1", type=float, help="Strength of the l1 penalty, charged in every round.  [default: 0]")
@click.option("--l2", type=float, help="Strength of the l2 penalty, charged in every round.  [default: 0]")
@click.option("--constraint", metavar="NAME", help="Where the weights must lie, such as l2_ball:radius=2.")
@no_intercept_option("Learn a plane through the origin.")
@click.option(
    "--classes", type=some_classes, metavar="A,B", help="All labels, texts in CSV and JSON.  [default: -1,1; 0,1]"
)
@row_options
@click.option("--passes", type=click.IntRange(min=1), help="How often the rows are played.  [default: 1]")
@click.option("--start", metavar="MODEL", help="Begin at the weights of a linear model.")
@click.option("--save", metavar="MODEL", help="Write the run, at the end and when it is interrupted.")
@click.option("--every", type=click.IntRange(min=1), metavar="ROWS", help="With --save: also after so many rows each.")
@click.option("--resume", metavar="MODEL", help="Go on with a run that was saved; its options hold.")
@click.option("--same-stream", is_flag=True, help="With --resume: DATA begin with the rows that the run has met.")
@click.option("--predictions", metavar="FILE", help="Write scores, each from before its label was seen, as CSV.")
@click.option("--skip-bad", default=0, type=click.IntRange(min=0), metavar="N", help="Pass over so many bad lines.")
@click.option(
    "--most-columns",
    default=2**24,
    type=click.IntRange(1, 2**31 - 1),
    show_default=True,
    help="Refuse a feature index from this on, and more names with --features exact.",
)
@click.option(
    "--threads",
    default=2,
    type=click.IntRange(min=1),
    show_default=True,
    help="With 1, rows are parsed and learned in turn; the answer does not depend on it.",
)
@click.option("--regret", is_flag=True, help="Compare with the best fixed weights in hindsight, beside the bound.")
@click.option("--against", metavar="SET", help="With --regret: the best of these, such as l2_ball:radius=10.")
@click.option("--tol", type=tolerance, help="With --regret: how well the best is to be known.  [default: 1e-06]")
@click.option("--certificate", metavar="FILE", help="With --regret: write its certificate as JSON.")
@click.option(
    "--delta",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Promise for rows to come, but for this chance.",
)
@click.option(
    "--largest-loss", type=click.FloatRange(min=0, min_open=True), help="With --delta: that any row can have."
)
@click.option("--report", metavar="FILE", help="Write an HTML page about the run.")
@json_option
@quiet_option
def command(
    data: str,
    save: str | None,
    predictions: str | None,
    certificate: str | None,
    report: str | None,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Predict each row of DATA (- for standard input), then learn from it, in bounded memory.

    On Ctrl-C and SIGTERM the run is saved, and goes on with --resume: the bytes of the model are those of a run that
    was never interrupted.
    """
    regret, future = asked_regret({**asked, "certificate": certificate}), asked_future(asked)
    outputs = {"certificate": certificate, "report": report}
    _check(data, save, predictions, outputs, asked)
    streaming = _begun(data, asked)
    if asked["start"] is not None and streaming.is_start_moved:
        outside = f"The weights of {asked['start']} lie outside of the constraint"
        say(f"{outside}: the run begins at the nearest that do not.", quiet)
    looks = looks_at(future, streaming)
    if streaming.passes > 1 and not os.path.isfile(data):
        raise Usage(f"--passes {streaming.passes} needs a file, which can be read again")
    plan = Plan(data, save, asked["every"], asked["skip_bad"], asked["most_columns"], quiet, report, asked["threads"])
    hindsight = None if regret is None else Hindsight(regret, streaming)
    with kept_rows(streaming, hindsight is not None), _table(predictions, streaming) as table:
        with stopping() as stop:
            stream_run = StreamRun(plan, streaming, table, hindsight, looks)
            is_interrupted = stream_run.play(stop)
        facts = stream_run.facts(is_interrupted)
    model = stream_run.saved
    facts |= {"interrupted": is_interrupted, "predictions": predictions, "model": model}
    is_whole = asked["resume"] is None or asked["same_stream"]
    facts["verify"] = verify_command(model, data, Reading()) if model is not None and is_whole else None
    facts |= _written(hindsight, certificate, data, facts)
    facts["report"] = report
    if report is not None:
        _write_report(report, stream_run, facts)
    if as_json:
        emit_json(facts)
    else:
        emit_table(_rows(facts))
    if is_interrupted:
        return INTERRUPTED
    return 0 if facts["regret"] is None or facts["regret"]["certified"] else UNCERTIFIED


def _written(hindsight: Hindsight | None, certificate: str | None, data: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Write the certificate, where one is asked for and was found."""
    from empirisk.model_file import save

    if certificate is None or hindsight is None or facts["regret"] is None:
        return {"certificate_output": None, "verify_certificate": None}
    save(hindsight.curve[-1], certificate)
    tol = hindsight.tol
    said: str | None = verify_command(certificate, data, Reading(), tol)
    if hindsight.has_names:  # of which a run alone knows the columns
        said = None if facts["model"] is None else f"{said} --run {shlex.quote(facts['model'])}"
    return {"certificate_output": certificate, "verify_certificate": said}


def _table(path: str | None, streaming: Streaming) -> Predictions:
    classes = streaming.labels.classes
    return Predictions(path, streaming.labels.loss, None if classes is None else classes.tolist())


def _write_report(path: str, stream_run: StreamRun, facts: dict[str, Any]) -> None:
    from empirisk.report.stream_page import StreamContents, write_stream_report

    looks = [] if stream_run.hindsight is None else stream_run.hindsight.curve
    theorem = stream_run.streaming.open_run.learner.theorem()
    command = shlex.join(["empirisk", *click.get_current_context().meta["arguments"]])
    ledgers, verify = stream_run.progress, facts["verify_certificate"]
    write_stream_report(path, StreamContents(facts, ledgers, looks, theorem, command, verify))


def _check(
    data: str, save: str | None, predictions: str | None, outputs: dict[str, str | None], asked: dict[str, Any]
) -> None:
    """Refuse before anything is read."""
    inputs = [path for path in (data, asked["start"]) if path is not None]
    check_output(save, *inputs)
    if predictions is not None:
        if predictions == "-":
            raise Usage("standard output is for the summary: give --predictions a file")
        others = [path for path in (asked["resume"], save) if path is not None]
        check_writable(predictions, [*inputs, *others], takes_devices=True)
    others = [path for path in (asked["resume"], save, predictions) if path is not None]
    for path in outputs.values():
        check_output(path, *inputs, *others)
        others += [] if path is None else [path]
    if asked["every"] is not None and save is None:
        raise Usage("--every needs --save")
    if asked["same_stream"] and asked["resume"] is None:
        raise Usage("--same-stream needs --resume")
    if asked["start"] is not None and asked["resume"] is not None:
        raise Usage("--start is for a new run, and --resume goes on with one")
    check_is_text(data)


def _begun(data: str, asked: dict[str, Any]) -> Streaming:
    """The run as it stands before the first row."""
    from empirisk.model_file import load
    from empirisk.models.streams.start import begun, is_of_stream, resumed

    wanted, of_rows = {name: asked[name] for name in OPTIONS}, asked_of_rows(data, asked)
    path = asked["resume"] or asked["start"]
    model: Any = None if path is None else load(path)
    if asked["resume"] is not None and not is_of_stream(model):
        raise BadData(f"{path} holds {model!r:.100}, and no run of a stream")
    try:
        if asked["resume"] is not None:
            return resumed(model, wanted, of_rows, asked["same_stream"])
        return begun(wanted, new_format(of_rows), model)
    except (TypeError, ValueError) as error:
        raise click.UsageError(as_options(str(error), (*OPTIONS, *of_rows))) from None


def _rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """A name and what is to be said about it, for each line."""
    penalty = f"l1 {facts['l1']:g}, l2 {facts['l2']:g}, {'with' if facts['intercept'] else 'without'} intercept"
    if facts["constraint"] is not None:
        penalty += f", {facts['constraint']}"
    met = counted(facts["rows"], "row") + (f", after {facts['rows_before']} of before" if facts["rows_before"] else "")
    name = "<stdin>" if facts["data"] == "-" else facts["data"]
    rows = [
        ("Data", f"{name}: {met}; {features_text(facts)}"),
        ("Learner", facts["learner"]),
        ("Loss", f"{facts['loss']}, {penalty}"),
        ("Rounds", f"{facts['rounds']}{', interrupted' * facts['interrupted']}"),
        ("Mean loss", f"{facts['mean_loss']:.6g}, each before the label was seen"),
    ]
    if facts["classes"] is not None:
        share = 100.0 * facts["errors"] / max(1, facts["rounds"])
        rows.append(("Errors", f"{facts['errors']} of {facts['rounds']} rounds ({share:.3g} %)"))
    rows += names_rows(facts)
    if facts["regret"] is not None:
        rows.append(("Regret", facts["regret"]["sentence"]))
    if facts["future"] is not None:
        rows.append(("Future", facts["future"]["sentence"]))
    if facts["skipped"]:
        rows.append(("Skipped", counted(len(facts["skipped"]), "bad line")))
    size = facts["bytes"]
    read = f"{size} bytes" if size < MEGABYTE else f"{size / MEGABYTE:.3g} MB"
    rows.append(("Time", f"{read} in {duration(facts['seconds'])}{and_compiling(facts)}"))
    if facts["predictions"] is not None:
        rows.append(("Scores", facts["predictions"]))
    if facts["report"] is not None:
        rows.append(("Report", facts["report"]))
    if facts["model"] is not None:
        rows.append(("Model", facts["model"]))
    rows += [] if facts["verify"] is None else [("Verify", facts["verify"])]
    return [*rows, *written_rows("Proof", facts["certificate_output"], facts["verify_certificate"])]
