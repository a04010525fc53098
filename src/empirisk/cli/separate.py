"""empirisk separate: a plane that separates the two classes of a file, or the lines that make one impossible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.certificate_file import certificate_options, check_output, emit_check, read_certificate
from empirisk.cli.errors import UNCERTIFIED, BadData
from empirisk.cli.options import format_option, label_option, seconds
from empirisk.cli.output import emit_json, emit_table, say, write_file

if TYPE_CHECKING:
    from empirisk.models.examples import Examples

SHOWN_POINTS = 20  # lines of the summary; --json has them all
SHOWN_DIGITS = 24  # of a weight


@click.command("separate")
@click.argument("data")
@click.option("--no-intercept", is_flag=True, help="Only planes through the origin.")
@click.option("--time-limit", type=seconds, metavar="SECONDS", help="[default: none]")
@click.option(
    "--seed", default=0, type=click.IntRange(min=0), show_default=True, help="Draws the rows looked at first."
)
@certificate_options
@label_option
@format_option()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--quiet", is_flag=True, help="No messages.")
def command(
    data: str,
    no_intercept: bool,
    time_limit: float | None,
    seed: int,
    output: str | None,
    check: str | None,
    label: str | None,
    format: str | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """Say whether a plane separates the two classes of DATA (- for standard input), and prove it.

    Either verdict is checked in exact arithmetic: a plane with every point strictly on its side, or a smallest set of
    points, by their lines, of which positive multiples sum to zero.
    Exit code 0 for either, 1 when undecided, or when the certificate of --check does not hold.
    """
    check_output(output, check, data)
    from empirisk.models.reading import read_training
    from empirisk.separation.inseparability import Inseparability
    from empirisk.separation.plane import Separation

    certificate = None if check is None else read_certificate(check, Separation, Inseparability)
    examples = read_training(data, format, label, None)
    n, d = examples.matrix.shape
    say(f"Read {n} rows and {d} features from {examples.path}.", quiet)
    if certificate is not None:
        return _verify(certificate, examples, as_json)
    return _search(data, format, examples, not no_intercept, time_limit, seed, output, as_json)


def _search(
    data: str,
    format: str | None,
    examples: Examples,
    fit_intercept: bool,
    time_limit: float | None,
    seed: int,
    output: str | None,
    as_json: bool,
) -> int:
    import json
    import time

    from empirisk.separation.separate import Undecided, separate

    began = time.perf_counter()
    try:
        verdict = separate(
            examples.matrix, examples.labels, fit_intercept=fit_intercept, time_limit=time_limit, seed=seed
        )
    except (TypeError, ValueError) as error:
        raise BadData(f"{examples.path}: {error}") from None
    seconds = time.perf_counter() - began
    is_proven = not isinstance(verdict, Undecided)
    if output is not None and is_proven:
        write_file(output, [json.dumps(verdict.to_json(), indent=1).encode() + b"\n"])
    members = [] if not is_proven or verdict.is_separable else _members(data, format, examples, verdict)
    if as_json:
        emit_json(
            {
                "is_separable": verdict.is_separable,
                "sentence": verdict.sentence(),
                "points": members,
                "seconds": seconds,
                "certificate": verdict.to_json(),
                "output": output if is_proven else None,
            }
        )
    else:
        emit_table([("Verdict", verdict.sentence()), *_rows(verdict, examples, members, seconds)])
    return UNCERTIFIED if verdict.is_separable is None else 0


def _members(data: str, format: str | None, examples: Examples, verdict: Any) -> list[dict[str, Any]]:
    """The points of a conflict: row from 0, line from 1 (None where there is none), label and weight."""
    from empirisk.data.lines import lines_of

    assert examples.labels is not None
    lines = lines_of(data, _format(data, format, examples), verdict.rows)
    labels = examples.labels[list(verdict.rows)].tolist()
    return [
        {"row": row, "line": lines.get(row), "label": label, "weight": str(weight)}
        for row, label, weight in zip(verdict.rows, labels, verdict.weights, strict=True)
    ]


def _format(data: str, asked: str | None, examples: Examples) -> str:
    """What the file was read as: only svmlight data know their first index, only tables and npz names of columns."""
    import os

    from empirisk.data.sources import format_of, opened

    if examples.first_index is not None:
        return "svmlight"
    if asked is not None or examples.columns is None or not os.path.isfile(data):
        return asked or "npy"
    with opened(data) as source:
        return format_of(data, source) or "csv"


def _rows(verdict: Any, examples: Examples, members: list[dict[str, Any]], seconds: float) -> list[tuple[str, str]]:
    from empirisk.cli.plane import plane_rows

    rows = []
    for member in members[:SHOWN_POINTS]:
        place = f"row {member['row']}" if member["line"] is None else f"line {member['line']}"
        weight = member["weight"]
        if len(weight) > SHOWN_DIGITS:
            weight = f"a number of {len(weight)} digits"
        rows.append(("Point", f"{place}, label {member['label']}, weight {weight}"))
    if len(members) > SHOWN_POINTS:
        rows.append(("", f"... and {len(members) - SHOWN_POINTS} more; --json lists them all"))
    if verdict.is_separable:
        rows += plane_rows(examples, verdict.weights, verdict.intercept, verdict.classes)
        rows.append(("Margin", f"{verdict.affine_margin:.6g}, the distance of the nearest point from the plane"))
        rows.append(("Bound", f"a perceptron makes at most {_bound(verdict)} mistakes, (R B)^2"))
    rows.append(("Seconds", f"{seconds:.3g}"))
    return rows


def _bound(verdict: Any) -> str:
    return f"{(verdict.radius * verdict.b_high) ** 2:.6g}"


def _verify(certificate: Any, examples: Examples, as_json: bool) -> int:
    try:
        verdict = certificate.verify(examples.matrix, examples.labels)
    except (TypeError, ValueError) as error:
        raise BadData(f"{examples.path}: {error}") from None
    is_separable = certificate.is_separable if verdict.holds else None
    missing = "it decides nothing about the data as they are" if certificate.is_separable is None else ""
    emit_check(certificate, verdict, missing, as_json, {"is_separable": is_separable})
    return 0 if verdict.holds and certificate.is_separable is not None else UNCERTIFIED
