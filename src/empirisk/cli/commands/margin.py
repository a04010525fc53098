"""empirisk margin: the widest gap between the two classes of a file, or the lines that leave none."""

from __future__ import annotations

from typing import Any

import click

from empirisk.cli.compiling import and_compiling, on_rows
from empirisk.cli.conflict import conflict_points, conflict_rows, sentence_of
from empirisk.cli.errors import INTERRUPTED, UNCERTIFIED
from empirisk.cli.help import Command
from empirisk.cli.interrupts import asked_to_stop
from empirisk.cli.options import tol_option
from empirisk.cli.output import emit_json, emit_table, headline_rows, say
from empirisk.cli.plane import check_output, emit_plane, model_output, plane_options, read_points, written_rows
from empirisk.cli.progress import progress
from empirisk.cli.reading import Reading, blaming
from empirisk.cli.verify_command import verify_command
from empirisk.stopwatch import Stopwatch


@click.command(
    "margin",
    cls=Command,
    examples=(
        "margin points.csv -o model",
        "margin points.csv --certificate proof.json --tol 1e-8",
        "margin points.svm --no-intercept --json",
    ),
)
@plane_options(model_output, seed="Draws the rows looked at first where no plane is found.")
@tol_option("The relative gap to reach, of the squared norm of the weights.")
@click.option(
    "--certificate", metavar="CERTIFICATE", help="Write the certificate alone, as JSON; also where no gap is."
)
def command(
    data: str,
    output: str | None,
    certificate: str | None,
    reading: Reading,
    as_json: bool,
    quiet: bool,
    **asked: Any,
) -> int:
    """Find the plane farthest from the nearest points of the two classes of DATA (- for standard input), and prove it.

    Where no plane separates the classes, the points, by their lines, that forbid one: no model is written, but with
    --certificate the proof of that. Ctrl-C ends the search and keeps its plane.
    Exit code 0 when the gap is proven to be the widest within --tol, 1 when not.
    """
    check_output(output, data)
    check_output(certificate, data, *([] if output is None else [output]))
    from empirisk.certificates import sealed_json
    from empirisk.model_file import save
    from empirisk.models.examples import remembering
    from empirisk.models.plane import plane_model
    from empirisk.parameters import check_share
    from empirisk.progress import telling
    from empirisk.separation.inseparability import Inseparability
    from empirisk.separation.points import points_of
    from empirisk.separation.separate import Undecided
    from empirisk.separation.widest_gap import WidestGap, widest_gap_of_points

    try:
        tol = check_share("--tol", asked["tol"])
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    asked["fit_intercept"] = not asked.pop("no_intercept")
    examples, watch = read_points(data, reading, quiet), Stopwatch()
    with (
        blaming(examples.path),
        asked_to_stop() as is_asked,
        progress(quiet, on_rows("margin", examples.matrix)) as on_event,
    ):
        points = points_of(examples.matrix, examples.labels, asked["fit_intercept"])
        callback = telling(on_event, lambda _: is_asked())
        gap = widest_gap_of_points(
            points, tol=tol, time_limit=asked["time_limit"], seed=asked["seed"], callback=callback
        )
        is_interrupted = is_asked()
    facts: dict[str, Any] = {"is_separable": gap.is_separable, "sentence": gap.sentence(), **watch.to_json()}
    took, verify = ("Seconds", f"{facts['seconds']:.3g}{and_compiling(facts)}"), None
    if certificate is not None and not isinstance(gap, Undecided):
        save(gap, certificate)
        verify = verify_command(certificate, data, reading, tol=tol)
    facts |= {"certificate_output": None if verify is None else certificate, "verify_certificate": verify}
    kept = written_rows("Written", certificate, verify)
    if isinstance(gap, WidestGap):
        model = remembering(plane_model(gap.found_plane(tol), points.classes, asked, tol), examples)
        facts |= {"margin": gap.margin_low, "margin_at_most": gap.margin_high, "support": gap.support_rows.tolist()}
        rows = [("Status", model.status), *headline_rows(gap.words(tol).headline)]
        rows += [("Support", f"{gap.support_rows.size} points"), took]
        emit_plane(model, examples, facts, rows, data=data, reading=reading, output=output, as_json=as_json, more=kept)
        return 0 if model.certified else INTERRUPTED if is_interrupted else UNCERTIFIED
    conflict = conflict_points(data, reading.format, examples, gap) if isinstance(gap, Inseparability) else []
    facts["sentence"] = sentence_of(gap, conflict)
    sealed = None if isinstance(gap, Undecided) else sealed_json(gap)
    if as_json:
        nothing = {"certified": False, "output": None, "verify": None}
        emit_json({**facts, "points": conflict, **nothing, "certificate": sealed})
    else:
        emit_table([("Verdict", sentence_of(gap, conflict)), *conflict_rows(conflict), took, *kept])
    found = {
        False: "There is no gap",
        True: "The plane that was found is finer than doubles",
        None: "Whether there is a gap is not decided",
    }[gap.is_separable]
    say(f"{found}: no model was written.", quiet or output is None)
    return INTERRUPTED if is_interrupted and gap.is_separable is None else UNCERTIFIED
