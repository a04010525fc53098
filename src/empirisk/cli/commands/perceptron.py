"""empirisk perceptron: the plane of a run, its mistakes beside the bound, or the lines that forbid a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.compiling import and_compiling, on_rows
from empirisk.cli.conflict import conflict_points, conflict_rows, sentence_of
from empirisk.cli.errors import INTERRUPTED, UNCERTIFIED
from empirisk.cli.help import Command
from empirisk.cli.interrupts import asked_to_stop
from empirisk.cli.options import max_passes_option
from empirisk.cli.output import headline_rows, say
from empirisk.cli.plane import check_output, emit_plane, model_output, plane_options, read_points
from empirisk.cli.progress import progress
from empirisk.cli.reading import Reading, blaming
from empirisk.stopwatch import Stopwatch

if TYPE_CHECKING:
    from empirisk.models.examples import Examples
    from empirisk.models.plane import PlaneModel
    from empirisk.separation.perceptron import PerceptronRun

OF_GRADIENT = {"alpha": 1.0, "epsilon": 0.0}


@click.command(
    "perceptron",
    cls=Command,
    examples=(
        "perceptron points.csv -o model",
        "perceptron points.csv --form averaged --order random --seed 1",
        "perceptron points.csv --form gradient --alpha 0.1 --epsilon 1e-3",
    ),
)
@plane_options(model_output, seed="Draws the random order.")
@click.option(
    "--form",
    type=click.Choice(["online", "averaged", "voted", "pocket", "batch", "gradient"]),
    default="online",
    show_default=True,
    help="What it answers with, or whether all wrong points count at once.",
)
@click.option("--order", type=click.Choice(["cyclic", "random"]), default="cyclic", show_default=True, help="Of rows.")
@max_passes_option("Visits of all rows, at most.")
@click.option("--alpha", default=1.0, show_default=True, help="The step, with --form gradient.")
@click.option("--epsilon", default=0.0, show_default=True, help="The gradient to reach, with --form gradient.")
def command(data: str, output: str | None, reading: Reading, as_json: bool, quiet: bool, **asked: Any) -> int:
    """Run the perceptron on the two classes of DATA (- for standard input) until every point is right.

    With the most mistakes that the theorem allows, (R B)^2; or, where no plane separates the classes, with the points,
    by their lines, that forbid one, and the proof of that in the model. Ctrl-C ends the run and keeps its plane.
    Exit code 0 when every point is on its side of the plane that is written, and the bound is proven, 1 when not.
    """
    check_output(output, data)
    from empirisk.models.examples import remembering
    from empirisk.models.plane import plane_model
    from empirisk.separation.perceptron_runs.status import PerceptronStatus

    _check(asked)
    asked["fit_intercept"] = not asked.pop("no_intercept")
    examples, watch = read_points(data, reading, quiet), Stopwatch()
    run = _run(examples, asked, quiet)
    took = watch.to_json()
    is_interrupted = run.status is PerceptronStatus.CALLBACK
    if is_interrupted:  # the callback is ours, and stops for nothing else
        run = run._replace(status=PerceptronStatus.INTERRUPTED)
    model = remembering(plane_model(run.found_plane(), run.classes, asked), examples)
    points = [] if run.conflict is None else conflict_points(data, reading.format, examples, run.conflict)
    facts = {
        "form": run.form,
        "is_separated": run.status.is_separated,
        "mistakes": run.mistakes,
        "bound": run.bound,
        "errors": run.errors,
        "passes": run.passes,
        "sentence": run.sentence(),
        "verdict": None if run.verdict is None else sentence_of(run.verdict, points),
        "points": points,
        **took,
    }
    numbers = (
        [["Mistakes", float(run.mistakes), ""]] if run.certificate is None else run.certificate.words(0.0).headline
    )
    rows = [("Status", model.status), *headline_rows(numbers)]
    if run.voted is not None:
        rows.append(("Votes", f"of {run.mistakes + 1} planes; the last one is shown"))
    else:
        rows.append(("Errors", f"{run.errors} of {examples.matrix.shape[0]} rows"))
    if run.verdict is not None:
        rows += [("Verdict", sentence_of(run.verdict, points)), *conflict_rows(points)]
    checks = run.passes - run.visits / run.n_rows
    counted = f", and {checks:.4g} more to count the errors of planes" if checks else ""
    rows.append(("Passes", f"{run.visits / run.n_rows:.4g}{counted}, in {took['seconds']:.3g} s{and_compiling(took)}"))
    emit_plane(model, examples, facts, rows, data=data, reading=reading, output=output, as_json=as_json)
    if output is not None and not model.certified:
        say(f"The model was written all the same: {_lacking(model)}.", quiet)
    if is_interrupted:
        return INTERRUPTED
    return 0 if model.certified else UNCERTIFIED


def _lacking(model: PlaneModel) -> str:
    if model.certificate is None:
        return "nothing is proven, and there is nothing to verify"
    return f"its certificate can be verified, but {model.shortfall(model.tol)}"


def _check(asked: dict[str, Any]) -> None:
    """Refuse before the data are read."""
    from empirisk.parameters import check_positive

    try:
        check_positive("--alpha", asked["alpha"])
        check_positive("--epsilon", asked["epsilon"], allows_zero=True)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if asked["form"] != "gradient" and any(asked[name] != usual for name, usual in OF_GRADIENT.items()):
        raise click.UsageError(f"--alpha and --epsilon belong to --form gradient, and this is --form {asked['form']}")


def _run(examples: Examples, asked: dict[str, Any], quiet: bool) -> PerceptronRun:
    from empirisk.progress import telling
    from empirisk.separation.perceptron import perceptron

    with (
        blaming(examples.path),
        asked_to_stop() as is_asked,
        progress(quiet, on_rows("perceptron", examples.matrix)) as on_event,
    ):
        callback = telling(on_event, lambda _: is_asked())
        return perceptron(examples.matrix, examples.labels, callback=callback, **asked)
