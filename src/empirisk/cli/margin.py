"""empirisk margin: the widest gap between the two classes of a file, or the lines that leave none."""

from __future__ import annotations

import time
from typing import Any

import click

from empirisk.cli.conflict import conflict_points, conflict_rows
from empirisk.cli.errors import INTERRUPTED, UNCERTIFIED
from empirisk.cli.interrupts import asked_to_stop
from empirisk.cli.options import tol_option
from empirisk.cli.output import emit_json, emit_table, headline_rows, say
from empirisk.cli.plane import check_output, emit_plane, model_output, plane_options, read_points
from empirisk.cli.progress import progress
from empirisk.cli.reading import blaming


@click.command("margin")
@plane_options(model_output, seed="Draws the rows looked at first where no plane is found.")
@tol_option("The relative gap to reach, of the squared norm of the weights.")
def command(
    data: str, output: str | None, label: str | None, format: str | None, as_json: bool, quiet: bool, **asked: Any
) -> int:
    """Find the plane farthest from the nearest points of the two classes of DATA (- for standard input), and prove it.

    Where no plane separates the classes, the points, by their lines, that forbid one, and no model is written. Ctrl-C
    ends the search and keeps its plane.
    Exit code 0 when the gap is proven to be the widest within --tol, 1 when not.
    """
    check_output(output, data)
    from empirisk.models.examples import remembering
    from empirisk.models.plane import plane_model
    from empirisk.parameters import check_share
    from empirisk.progress import telling
    from empirisk.separation.points import points_of
    from empirisk.separation.widest_gap import WidestGap, widest_gap_of_points

    try:
        tol = check_share("--tol", asked["tol"])
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    asked["fit_intercept"] = not asked.pop("no_intercept")
    examples, began = read_points(data, format, label, quiet), time.perf_counter()
    with blaming(examples.path), asked_to_stop() as is_asked, progress(quiet) as on_event:
        points = points_of(examples.matrix, examples.labels, asked["fit_intercept"])
        callback = telling(on_event, lambda _: is_asked())
        gap = widest_gap_of_points(
            points, tol=tol, time_limit=asked["time_limit"], seed=asked["seed"], callback=callback
        )
        is_interrupted = is_asked()
    facts = {"is_separable": gap.is_separable, "sentence": gap.sentence(), "seconds": time.perf_counter() - began}
    took = ("Seconds", f"{facts['seconds']:.3g}")
    if isinstance(gap, WidestGap):
        model = remembering(plane_model(gap.found_plane(tol), points.classes, asked, tol), examples)
        facts |= {"margin": gap.margin_low, "margin_at_most": gap.margin_high, "support": gap.support_rows.tolist()}
        rows = [("Status", model.status), *headline_rows(gap.words(tol).headline)]
        rows += [("Support", f"{gap.support_rows.size} points"), took]
        emit_plane(model, examples, facts, rows, data=data, format=format, output=output, as_json=as_json)
        return 0 if model.certified else INTERRUPTED if is_interrupted else UNCERTIFIED
    conflict = conflict_points(data, format, examples, gap) if gap.is_separable is False else []
    if as_json:
        emit_json({**facts, "certified": False, "points": conflict, "output": None, "verify": None})
    else:
        emit_table([("Verdict", gap.sentence()), *conflict_rows(conflict), took])
    say("There is no gap: no model was written.", quiet or output is None)
    return INTERRUPTED if is_interrupted and gap.is_separable is None else UNCERTIFIED
