"""empirisk fit --structural: the plane with integer weights whose bound on the future error is least."""

from __future__ import annotations

from typing import Any

import click

from empirisk.cli.compiling import and_compiling, on_rows
from empirisk.cli.errors import UNCERTIFIED, note_written, saying_of_interrupts
from empirisk.cli.output import emit, emit_json, emit_table, headline_rows, say
from empirisk.cli.progress import progress
from empirisk.cli.reading import Reading, blaming, read_examples
from empirisk.cli.verify_command import verify_command
from empirisk.stopwatch import Stopwatch

DELTA, ORDERS = 0.05, 5
TAKEN = ("structural", "seed", "train", "output", "reading", "as_json", "quiet")


def refuse_others(names: Any) -> None:
    """The plane is found by its bound: options of a loss and of its solver would have no part in it."""
    context = click.get_current_context()
    for parameter in context.command.params:
        is_given = context.get_parameter_source(parameter.name or "") == click.core.ParameterSource.COMMANDLINE
        if is_given and parameter.name in names and parameter.name not in TAKEN:
            raise click.UsageError(f"{parameter.opts[-1]} has no part in --structural: leave one of them out")


def structural_fit(train: str, output: str, reading: Reading, as_json: bool, quiet: bool, seed: int) -> int:
    """Read, search, write the model, and print the score card; 1 where the bound says nothing."""
    from empirisk.certificates import sealed_json
    from empirisk.model_file import save
    from empirisk.models.examples import remembering
    from empirisk.models.future_error.integer_plane import integer_fit
    from empirisk.separation.points import points_of

    examples, watch = read_examples(train, reading, quiet), Stopwatch()
    if examples.weights is not None:
        raise click.UsageError("a bound is about rows that count alike: --structural takes no weights of examples")
    what = on_rows("structural", examples.matrix)
    with saying_of_interrupts("interrupted, and nothing was written"), blaming(examples.path), progress(quiet, what):
        fit = integer_fit(points_of(examples.matrix, examples.labels), examples.labels, DELTA, ORDERS, seed)
    fit = fit._replace(model=remembering(fit.model, examples))
    save(fit.model, output)
    note_written(output)
    verify, facts = verify_command(output, train, reading.of_model()), watch.to_json()
    if as_json:
        more = {"sentence": fit.bound.sentence(), "future_error": fit.bound.value, "card": fit.text()}
        plane = {"weights": fit.model.weights.tolist(), "intercept": fit.model.intercept, "status": fit.model.status}
        proof = {"certified": fit.model.certified, "certificate": sealed_json(fit.bound)}
        emit_json({**more, **plane, **proof, **facts, "model": output, "verify": verify})
    else:
        took = ("Seconds", f"{facts['seconds']:.3g}{and_compiling(facts)}")
        rows = [("Status", fit.model.status), *headline_rows(fit.bound.words(0.0).headline), took]
        emit_table([*rows, ("Model", output), ("Verify", verify)])
        emit(f"\n{fit.text()}\n")
    if fit.bound.is_vacuous:
        say("The bound says nothing. The model was written all the same.", quiet)
        return UNCERTIFIED
    return 0
