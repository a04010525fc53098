"""empirisk tag fit: a model of sequences with its certificate."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.errors import INTERRUPTED, UNCERTIFIED, note_written
from empirisk.cli.help import Command
from empirisk.cli.interrupts import asked_to_stop
from empirisk.cli.options import json_option, quiet_option, seconds, seed_option, tolerance
from empirisk.cli.output import STANDARD_OUTPUT, check_writable, emit_json, emit_table, headline_rows, say
from empirisk.cli.progress import progress
from empirisk.cli.tag.options import feature_options, options_of
from empirisk.cli.tag.reading import blaming, loaded_chain, read_tokens, sequence_options
from empirisk.stopwatch import Stopwatch

if TYPE_CHECKING:
    from empirisk.models.chains.files import Tokens
    from empirisk.models.chains.fitting import ChainFit
    from empirisk.models.chains.model import ChainModel

ENDING = "Ctrl-C: the model that was reached is written; once more to end at once"


@click.command(
    "fit",
    cls=Command,
    examples=(
        "tag fit train.txt -o model --templates chunk",
        "tag fit train.txt -o model --templates chunk --loss margin --l2 0.001 --dev dev.txt --report page.html",
        "tag fit train.txt -o model --templates features.toml --loss perceptron --max-passes 10",
    ),
)
@click.argument("train")
@click.option("-o", "--output", required=True, metavar="MODEL", help="Where to write the model.")
@sequence_options
@feature_options
@click.option(
    "--loss",
    type=click.Choice(["likelihood", "margin", "perceptron", "generative"]),
    default="likelihood",
    show_default=True,
    help="What is minimised; the last two minimise nothing.",
)
@click.option(
    "--cost",
    type=click.Choice(["hamming", "mean_hamming", "sequence"]),
    default="hamming",
    show_default=True,
    help="Of wrong labels, with --loss margin.",
)
@click.option("--l1", default=0.0, show_default=True, help="Strength of the sum of the sizes of the weights.")
@click.option("--l2", default=1e-4, show_default=True, help="Strength of half the sum of their squares.")
@click.option("--solver", default="auto", show_default=True, help="Of likelihood and margin.")
@click.option("--tol", default=1e-3, type=tolerance, show_default=True, help="The relative gap to reach.")
@click.option("--max-passes", type=click.IntRange(min=1), help="[default: 1000; of the perceptron 10]")
@click.option("--plain", is_flag=True, help="The last weights of the perceptron, not their mean.")
@click.option(
    "--order",
    type=click.Choice(["cyclic", "random"]),
    default="cyclic",
    show_default=True,
    help="Of sequences, in the perceptron.",
)
@seed_option("Draws random orders.")
@click.option("--dev", metavar="FILE", help="Sequences to judge the model on, at the end.")
@click.option("--continue", "go_on", metavar="MODEL", help="Begin with this model; new attributes and labels join.")
@click.option("--time-limit", type=seconds, metavar="SECONDS", help="[default: none]")
@click.option("--threads", "n_threads", type=click.IntRange(min=1), help="[default: all cores]")
@click.option("--report", metavar="FILE", help="Write a report as one HTML page.")
@json_option
@quiet_option
def command(
    train: str,
    output: str,
    format: str | None,
    encoding: str | None,
    report: str | None,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Train a model on the sequences of TRAIN (- for standard input) and write it.

    Ctrl-C ends the training and keeps what was reached. Exit code 0 when what was asked is proven: the gap, or of a
    perceptron its mistake bound or the conflict; 1 when not.
    """
    if output in STANDARD_OUTPUT:
        raise click.UsageError("the model needs a file of its own: standard output is for the summary")
    inputs = [path for path in (train, asked["dev"], asked["go_on"]) if path is not None]
    check_writable(output, inputs)
    if report is not None:
        check_writable(report, [*inputs, output])
    from empirisk.model_file import save

    if asked["go_on"] is not None and (asked["templates"] is not None or asked["hash_bits"] is not None):
        raise click.UsageError("--templates and --hash-bits do not go with --continue: they are the model's own")
    options = options_of(asked)
    start = None if asked["go_on"] is None else loaded_chain(asked["go_on"])
    tokens = read_tokens(train, format, encoding)
    dev = None if asked["dev"] is None else read_tokens(asked["dev"], format, encoding)
    watch = Stopwatch()
    fit, is_interrupted = _fit(tokens, dev, options, start, asked["label"], quiet)
    model = fit.model._replace(label_name=asked["label"], file_format=tokens.format)
    took = watch.to_json()
    save(model, output)
    note_written(output)
    verify = _verify_command(output, train, encoding)
    facts, rows = _said(model, output, verify, took)
    judged = None if dev is None else _judged(model, dev)
    if judged is not None:
        facts["dev"] = judged.to_json()
        rows += judged.rows()
    facts["report"] = report
    if report is not None:
        _write_report(report, fit._replace(model=model), tokens, verify, took, judged, asked["dev"])
        rows.append(("Report", report))
    if as_json:
        emit_json(facts)
    else:
        emit_table(rows)
    if not model.certified:
        say(f"Not proven: {model.shortfall(model.tol)}. The model was written all the same.", quiet)
    if is_interrupted:
        return INTERRUPTED
    return 0 if model.certified else UNCERTIFIED


def _fit(
    tokens: Tokens, dev: Tokens | None, options: Any, start: ChainModel | None, label: str | None, quiet: bool
) -> tuple[ChainFit, bool]:
    from empirisk.models.chains.fitting import fit_chain
    from empirisk.progress import telling

    with (
        blaming(tokens.path),
        asked_to_stop(None if quiet else ENDING) as is_asked,
        progress(quiet, f"tag fit, {options.loss}") as on_event,
    ):
        templates = options.templates if start is None else start.features.templates
        callback = telling(on_event)
        labels = tokens.labels(templates, label)
        fit = fit_chain(tokens.found, labels, options, callback=callback, start=start, stop=is_asked)
        return fit, is_asked()


def _judged(model: ChainModel, dev: Tokens) -> Any:
    from empirisk.models.chains.judging import judged

    with blaming(dev.path):
        return judged(model, dev)


def _verify_command(output: str, train: str, encoding: str | None) -> str:
    asked = [] if encoding is None else ["--encoding", encoding]
    return shlex.join(["empirisk", "verify", output, train, *asked]) + (" < DATA" * (train == "-"))


def _write_report(
    path: str, fit: ChainFit, tokens: Tokens, verify: str, took: dict[str, Any], judged: Any, judged_on: str | None
) -> None:
    from empirisk.report.chain_page import write_chain_report

    write_chain_report(
        path,
        fit=fit,
        tokens=tokens,
        command=shlex.join(["empirisk", *click.get_current_context().meta["arguments"]]),
        verify_command=verify,
        seconds=took["seconds"],
        compile_seconds=took["compile_seconds"],
        judged=judged,
        judged_on="standard input" if judged_on == "-" else judged_on or "",
    )
    note_written(path)


def _said(model: ChainModel, output: str, verify: str, took: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """The summary, as facts and as lines."""
    errors = model.errors
    facts = {
        "model": output,
        "status": model.status,
        "certified": model.certified,
        "solver": model.solver,
        "reason": model.reason,
        "passes": model.passes,
        "sequences": errors.sequences,
        "tokens": errors.tokens,
        "labels": [str(label) for label in model.classes.tolist()],
        "attributes": model.features.n_attributes,
        "weights": int(model.weights.size),
        "token_accuracy": errors.accuracy,
        "wrong_sequences": errors.sequence_error,
        "claim": None if model.certificate is None else model.certificate.sentence(),
        "verify": verify,
        **took,
    }
    rows: list[Any] = [
        ("Status", model.status),
        ("Data", f"{errors.sequences} sequences, {errors.tokens} tokens, {model.classes.size} labels"),
        ("Weights", f"{model.weights.size}, of {model.features.n_attributes} attributes"),
    ]
    if model.certificate is not None:
        rows += headline_rows(model.certificate.words(model.tol).headline)
    wrong = f"{100 * errors.sequence_error:.4g} % of sequences wrong"
    rows += [
        ("Training", f"{100 * errors.accuracy:.4g} % of tokens right, {wrong}"),
        ("Passes", f"{model.passes:.4g}, in {took['seconds']:.3g} s"),
        ("Written", output),
        ("Verify", facts["verify"]),
    ]
    return facts, rows
