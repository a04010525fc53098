"""empirisk separate: a plane that separates the two classes of a file, or the lines that make one impossible."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.compiling import and_compiling, on_rows
from empirisk.cli.conflict import conflict_points, conflict_rows, sentence_of
from empirisk.cli.errors import UNCERTIFIED
from empirisk.cli.help import Command
from empirisk.cli.output import emit_json, emit_table, headline_rows
from empirisk.cli.plane import certificate_output, check_output, plane_options, plane_rows, read_points, written_rows
from empirisk.cli.progress import progress
from empirisk.cli.reading import Reading, blaming
from empirisk.cli.verify_command import verify_command
from empirisk.stopwatch import Stopwatch

if TYPE_CHECKING:
    from empirisk.models.examples import Examples


@click.command(
    "separate",
    cls=Command,
    examples=(
        "separate points.csv",
        "separate points.csv -o proof.json --label outcome",
        "separate points.svm --no-intercept --time-limit 60 --json",
    ),
)
@plane_options(certificate_output, seed="Draws the rows looked at first.")
def command(
    data: str,
    no_intercept: bool,
    time_limit: float | None,
    seed: int,
    output: str | None,
    reading: Reading,
    as_json: bool,
    quiet: bool,
) -> int:
    """Say whether a plane separates the two classes of DATA (- for standard input), and prove it.

    Either verdict is checked in exact arithmetic: a plane with every point strictly on its side, or a smallest set of
    points, by their lines, of which positive multiples sum to zero.
    Exit code 0 for either, 1 when undecided.
    """
    check_output(output, data)
    from empirisk.certificates import sealed_json
    from empirisk.model_file import save
    from empirisk.progress import telling
    from empirisk.separation.separate import Undecided, separate

    examples, watch = read_points(data, reading, quiet), Stopwatch()
    with blaming(examples.path), progress(quiet, on_rows("separate", examples.matrix)) as on_event:
        verdict = separate(
            examples.matrix,
            examples.labels,
            fit_intercept=not no_intercept,
            time_limit=time_limit,
            seed=seed,
            callback=telling(on_event),
        )
    took, is_proven = watch.to_json(), not isinstance(verdict, Undecided)
    written = output if is_proven else None
    if written is not None:
        save(verdict, written)
    verify = None if written is None else verify_command(written, data, reading)
    points = [] if not is_proven or verdict.is_separable else conflict_points(data, reading.format, examples, verdict)
    if as_json:
        emit_json(
            {
                "is_separable": verdict.is_separable,
                "sentence": sentence_of(verdict, points),
                "points": points,
                **took,
                "certificate": None if isinstance(verdict, Undecided) else sealed_json(verdict),
                "output": written,
                "verify": verify,
            }
        )
    else:
        rows = [("Verdict", sentence_of(verdict, points)), *conflict_rows(points), *_plane(verdict, examples)]
        rows.append(("Seconds", f"{took['seconds']:.3g}{and_compiling(took)}"))
        emit_table([*rows, *written_rows("Written", written, verify)])
    return UNCERTIFIED if verdict.is_separable is None else 0


def _plane(verdict: Any, examples: Examples) -> list[tuple[str, str]]:
    from empirisk.separation.plane import Separation

    if not verdict.is_separable:
        return []
    is_plain = isinstance(verdict, Separation)  # else no float holds its weights
    plane = plane_rows(examples, verdict.weights, verdict.intercept, verdict.classes) if is_plain else []
    return [*plane, *headline_rows(verdict.words(0.0).headline)]
