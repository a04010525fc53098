"""empirisk minimize-errors: the plane with the fewest errors on a file, with the proof that none has fewer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.compiling import and_compiling, on_rows
from empirisk.cli.errors import INTERRUPTED, UNCERTIFIED
from empirisk.cli.help import Command
from empirisk.cli.options import time_limit_option, weights_option
from empirisk.cli.output import emit_json, emit_table
from empirisk.cli.plane import certificate_output, check_output, plane_options, plane_rows, written_rows
from empirisk.cli.progress import progress
from empirisk.cli.reading import Reading, blaming, read_examples
from empirisk.cli.verify_command import verify_command
from empirisk.stopwatch import Stopwatch

if TYPE_CHECKING:
    from empirisk.models.examples import Examples
    from empirisk.models.plane import PlaneModel
    from empirisk.zero_one.fewest_errors import FewestErrors


@click.command(
    "minimize-errors",
    cls=Command,
    examples=(
        "minimize-errors points.csv --model model -o proof.json",
        "minimize-errors points.csv --time-limit inf",
        "minimize-errors points.csv --weights cost --max-nodes 10000 --json",
    ),
)
@plane_options(
    certificate_output,
    seed="Draws starts and coordinates.",
    time_limit=time_limit_option(60.0, "When to stop with the best plane and bound; inf for never."),
    weights=weights_option,
)
@click.option("--model", metavar="MODEL", help="Write the plane as a model that predicts, with its certificate.")
@click.option(
    "--max-nodes", type=click.IntRange(min=0), help="Boxes of planes to look at, at most.  [default: no limit]"
)
def command(
    data: str,
    output: str | None,
    model: str | None,
    reading: Reading,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Find the plane with the fewest errors on DATA (- for standard input), and prove that there are no fewer.

    A point on the plane is an error. Ctrl-C ends the search and keeps the best plane and what is proven by then.
    Exit code 0 when the plane is proven to be the best, 1 when not.
    """
    check_output(output, data)
    check_output(model, data, *([] if output is None else [output]))
    from empirisk.model_file import save

    asked["fit_intercept"] = not asked.pop("no_intercept")
    examples = read_examples(data, reading, quiet)
    watch = Stopwatch()
    answer = _search(examples, asked, quiet)
    took = {"seconds": answer.seconds, "compile_seconds": watch.compile_seconds()}
    written: dict[str, str | None] = {"output": output, "verify": None, "model": model, "verify_model": None}
    if output is not None:
        save(answer.certificate, output)
        written["verify"] = verify_command(output, data, reading)
    if model is not None:
        save(_model(answer, asked, examples), model)
        written["verify_model"] = verify_command(model, data, reading.of_model())
    if as_json:
        names = None if examples.columns is None else list(examples.columns.feature_names)
        emit_json({**_as_object(answer, names), **took, **written})
    else:
        kept = written_rows("Written", output, written["verify"]), written_rows("Model", model, written["verify_model"])
        search = ("Search", f"{answer.nodes} boxes, {answer.seconds:.3g} s{and_compiling(took)}")
        emit_table([*_as_rows(answer, examples), search, *kept[0], *kept[1]])
    if answer.status == "interrupted":
        return INTERRUPTED
    return 0 if answer.is_optimal else UNCERTIFIED


def _search(examples: Examples, asked: dict[str, Any], quiet: bool) -> Any:
    from empirisk.progress import telling
    from empirisk.zero_one.fewest_errors import fewest_errors

    with blaming(examples.path), progress(quiet, on_rows("minimize-errors", examples.matrix)) as on_event:
        return fewest_errors(
            examples.matrix,
            examples.labels,
            sample_weight=examples.weights,
            callback=telling(on_event),
            **asked,
        )


def _model(answer: FewestErrors, asked: dict[str, Any], examples: Examples) -> PlaneModel:
    import numpy as np

    from empirisk.models.examples import remembering
    from empirisk.models.plane import plane_model

    assert examples.labels is not None
    return remembering(plane_model(answer.found_plane(), np.unique(examples.labels), asked), examples)


def _as_object(answer: FewestErrors, names: list[str] | None) -> dict[str, Any]:
    from empirisk.certificates import sealed_json

    certificate = answer.certificate
    return {
        "errors": answer.errors,
        "bound": answer.bound,
        "gap": certificate.gap,
        "is_optimal": answer.is_optimal,
        "n_wrong": certificate.n_wrong,
        "n_rows": certificate.n_rows,
        "sentence": certificate.sentence(),
        "status": answer.status,
        "classes": list(certificate.classes),
        "feature_names": names,
        "weights": answer.weights.tolist(),
        "intercept": answer.intercept,
        "nodes": answer.nodes,
        "certificate": sealed_json(certificate),
    }


def _as_rows(answer: FewestErrors, examples: Examples) -> list[tuple[str, str]]:
    certificate = answer.certificate
    share = certificate.n_wrong / certificate.n_rows
    return [
        ("Errors", f"{answer.errors:g}, {certificate.n_wrong} of {certificate.n_rows} rows ({share:.2%})"),
        ("Bound", f"{answer.bound:g}, gap {certificate.gap:g}"),
        ("Proof", certificate.sentence()),
        ("Status", answer.status),
        *plane_rows(examples, answer.weights, answer.intercept, certificate.classes),
    ]
