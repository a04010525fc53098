"""empirisk plan: how many rows a promise on the future error needs, or what promise so many rows keep."""

from __future__ import annotations

import click

from empirisk.cli.errors import Usage
from empirisk.cli.help import Command
from empirisk.cli.output import emit_json, emit_table


@click.command(
    "plan",
    cls=Command,
    examples=(
        "plan --epsilon 0.05 --columns 20",
        "plan --rows 30000 --columns 123 --error 0.15 --delta 0.01",
        "plan --epsilon 0.1 --distance 2 --gradient 1 --json",
    ),
)
@click.option("--epsilon", type=float, help="How much larger the future error may be than that of the rows.")
@click.option("--rows", type=int, help="The rows at hand, in the place of --epsilon.")
@click.option("--delta", type=float, default=0.05, show_default=True, help="How often the promise may fail.")
@click.option("--columns", type=int, help="Affine planes in so many columns.")
@click.option("--dimension", type=int, help="The VC dimension of another class.")
@click.option("--finite", type=int, help="The number of members of a finite class.")
@click.option("--error", type=float, default=0.0, show_default=True, help="The share of rows predicted wrong.")
@click.option("--distance", type=float, help="Of the best point from the start: rounds of an online learner.")
@click.option("--gradient", type=float, help="The largest norm of a gradient, with --distance.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    epsilon: float | None,
    rows: int | None,
    delta: float,
    columns: int | None,
    dimension: int | None,
    finite: int | None,
    error: float,
    distance: float | None,
    gradient: float | None,
    as_json: bool,
) -> int:
    """Say how many rows prove a future error of at most --error + --epsilon, or what --rows prove.

    With --distance and --gradient: after how many rounds an online learner is within --epsilon of the best point.
    """
    from empirisk.bounds import accuracy, sample_size, vc_dimension
    from empirisk.online import plan

    if (epsilon is None) == (rows is None):
        raise Usage("give either --epsilon, to be told the rows, or --rows, to be told epsilon")
    if (distance is None) != (gradient is None):
        raise Usage("--distance and --gradient go together")
    classes = [value for value in (columns, dimension, finite) if value is not None]
    if len(classes) != (distance is None):
        raise Usage("give one of --columns, --dimension and --finite, or --distance with --gradient")
    try:
        if distance is not None and gradient is not None:
            if epsilon is None:
                raise Usage("the rounds of an online learner need --epsilon")
            found: dict[str, object] = {"rounds": plan(epsilon, distance, gradient)}
        else:
            h = dimension if columns is None else vc_dimension(columns=columns)
            if epsilon is not None:
                size = sample_size(epsilon, delta, h, finite, error)
                found = {"rows": size.n, "textbook": size.textbook, "bound": size.bound, "sentence": size.sentence()}
            else:
                proven = accuracy(rows or 0, delta, h, finite, error)
                found = {"epsilon": proven, "error": error, "at_most": error + proven, "delta": delta, "rows": rows}
    except (ValueError, TypeError) as wrong:
        raise Usage(str(wrong)) from None
    if as_json:
        emit_json(found)
    else:
        emit_table((name.replace("_", " "), _text(value)) for name, value in found.items())
    return 0


def _text(value: object) -> str:
    return "none" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
