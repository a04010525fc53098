"""empirisk minimize-errors: the plane with the fewest errors on a file, with the proof that none has fewer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.certificate_file import certificate_options, check_output, emit_check, read_certificate
from empirisk.cli.errors import INTERRUPTED, UNCERTIFIED, BadData
from empirisk.cli.options import format_option, label_option, seconds, weights_option
from empirisk.cli.output import emit_json, emit_table, say, write_file
from empirisk.cli.progress import progress

if TYPE_CHECKING:
    from empirisk.models.examples import Examples


@click.command("minimize-errors")
@click.argument("data")
@click.option("--no-intercept", is_flag=True, help="Only planes through the origin.")
@click.option(
    "--time-limit",
    default=60.0,
    type=seconds,
    show_default=True,
    metavar="SECONDS",
    help="When to stop with the best plane and bound; inf for never.",
)
@click.option(
    "--max-nodes", type=click.IntRange(min=0), help="Boxes of planes to look at, at most.  [default: no limit]"
)
@click.option("--seed", default=0, type=click.IntRange(min=0), show_default=True, help="Draws starts and coordinates.")
@certificate_options
@label_option
@weights_option
@format_option()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--quiet", is_flag=True, help="No progress and no messages.")
def command(
    data: str,
    output: str | None,
    check: str | None,
    label: str | None,
    weights: str | None,
    format: str | None,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Find the plane with the fewest errors on DATA (- for standard input), and prove that there are no fewer.

    A point on the plane is an error. Ctrl-C ends the search and keeps the best plane and what is proven by then.
    Exit code 0 when the plane is proven to be the best, 1 when not, or when the certificate of --check does not hold.
    """
    check_output(output, check, data)
    from empirisk.models.reading import read_training
    from empirisk.zero_one.optimality import ZeroOneOptimality

    certificate = None if check is None else read_certificate(check, ZeroOneOptimality)
    examples = read_training(data, format, label, weights)
    n, d = examples.matrix.shape
    say(f"Read {n} rows and {d} features from {examples.path}.", quiet)
    if certificate is not None:
        return _verify(certificate, examples, as_json)
    return _search(examples, asked, output, as_json, quiet)


def _search(examples: Examples, asked: dict[str, Any], output: str | None, as_json: bool, quiet: bool) -> int:
    from empirisk.progress import telling
    from empirisk.zero_one.fewest_errors import fewest_errors

    try:
        with progress(quiet) as on_event:
            answer = fewest_errors(
                examples.matrix,
                examples.labels,
                sample_weight=examples.weights,
                fit_intercept=not asked["no_intercept"],
                time_limit=asked["time_limit"],
                max_nodes=asked["max_nodes"],
                seed=asked["seed"],
                callback=telling(on_event),
            )
    except (TypeError, ValueError) as error:
        raise BadData(f"{examples.path}: {error}") from None
    if output is not None:
        write_file(output, [json.dumps(answer.certificate.to_json()).encode() + b"\n"])
    names = None if examples.columns is None else list(examples.columns.feature_names)
    if as_json:
        emit_json(_as_object(answer, names, output))
    else:
        emit_table(_as_rows(answer, examples, output))
    if answer.status == "interrupted":
        return INTERRUPTED
    return 0 if answer.is_optimal else UNCERTIFIED


def _as_object(answer: Any, names: list[str] | None, output: str | None) -> dict[str, Any]:
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
        "seconds": answer.seconds,
        "output": output,
    }


def _as_rows(answer: Any, examples: Examples, output: str | None) -> list[tuple[str, str]]:
    from empirisk.cli.plane import plane_rows

    certificate = answer.certificate
    share = certificate.n_wrong / certificate.n_rows
    rows = [
        ("Errors", f"{answer.errors:g}, {certificate.n_wrong} of {certificate.n_rows} rows ({share:.2%})"),
        ("Bound", f"{answer.bound:g}, gap {certificate.gap:g}"),
        ("Proof", certificate.sentence()),
        ("Status", answer.status),
        *plane_rows(examples, answer.weights, answer.intercept, certificate.classes),
    ]
    rows.append(("Search", f"{answer.nodes} boxes, {answer.seconds:.3g} s"))
    if output is not None:
        rows.append(("Written", output))
    return rows


def _verify(certificate: Any, examples: Examples, as_json: bool) -> int:
    verdict = certificate.verify(examples.matrix, examples.labels, examples.weights)
    missing = "" if certificate.is_optimal else "it does not prove that no plane has fewer errors"
    emit_check(certificate, verdict, missing, as_json, {"is_optimal": certificate.is_optimal and verdict.holds})
    return 0 if verdict.holds and certificate.is_optimal else UNCERTIFIED
