"""How the rows of a stream are written: the options, what they ask for, and what is told of names at the end."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import click

from empirisk.cli.errors import Usage
from empirisk.cli.options import together

if TYPE_CHECKING:
    from collections.abc import Iterator

    from empirisk.data.dialect import Dialect
    from empirisk.data.streams import RowFormat
    from empirisk.models.online import OnlineModel
    from empirisk.models.online_classes import OnlineClassesModel
    from empirisk.models.scores import Scores

MOST_BITS = 30  # as in `data.hashing`, which a help page need not load
FORMATS = ("svmlight", "vw", "csv", "jsonl")  # as in `data.streams`, likewise
ARRAYS = (".npy", ".npz")
LISTED = 10  # weights by name
LISTS = ("text", "ignore")
OPTIONS = ("features", "bits", "label", "weights", *LISTS, "missing", "separator")

row_options = together(
    click.option("--format", type=click.Choice(FORMATS), help="[default: from the name of the file, else svmlight]"),
    click.option(
        "--features",
        type=click.Choice(["hash", "exact"]),
        help="Columns of names: hashed, or a dictionary that is stored.  [default: hash]",
    ),
    click.option("--bits", type=click.IntRange(1, MOST_BITS), help="Hash names into 2^bits columns.  [default: 18]"),
    click.option("--label", metavar="COLUMN", help="Of CSV and JSON: the label.  [default: label, target, class or y]"),
    click.option("--weights", metavar="COLUMN", help="Of CSV and JSON: the weights of the rows."),
    click.option("--text", multiple=True, metavar="COLUMNS", help="Of CSV: columns of numbers that are categories."),
    click.option("--ignore", multiple=True, metavar="COLUMNS", help="Of CSV and JSON: columns that are no features."),
    click.option("--no-header", is_flag=True, help="Of CSV: columns have numbers, from 0 on."),
    click.option(
        "--missing", type=click.Choice(["error", "absent"]), help="Of CSV: what an empty cell is.  [default: error]"
    ),
    click.option("--separator", metavar="CHARACTER", help="Of CSV: between columns.  [default: from the header]"),
)


def asked_of_rows(data: str, asked: dict[str, Any]) -> dict[str, Any]:
    """What the options, or the name of the file, say of the rows; None where they say nothing."""
    from empirisk.data.dialect import Dialect
    from empirisk.data.streams import format_of_name

    found = {name: asked[name] for name in OPTIONS}
    for name in LISTS:
        found[name] = [column for columns in found[name] for column in columns.split(",")] or None
    if found["separator"] is not None:
        try:
            found["separator"] = Dialect(separator=found["separator"]).checked().separator
        except ValueError as error:
            raise click.BadParameter(str(error).removeprefix("separator ") + ".") from None
    header = False if asked["no_header"] else None
    return {"format": asked["format"] or format_of_name(data), **found, "header": header}


def new_format(asked: dict[str, Any]) -> RowFormat:
    """Of the rows of a new run."""
    from empirisk.data.streams import USUAL, row_format

    return row_format(asked["format"] or USUAL, {name: asked[name] for name in asked if name != "format"})


def check_is_text(data: str) -> None:
    """Refuse arrays."""
    if os.path.isfile(data) and data.lower().endswith(ARRAYS):
        raise Usage(f"stream reads {', '.join(FORMATS)}, and {data} holds arrays")


def is_run_over_stream(model: Any) -> bool:
    """Whether it knows rows of a stream."""
    return getattr(model, "row_format", None) is not None


def reads_as_stream(model: OnlineModel, data: str, format: str | None) -> bool:
    """Whether data are read in the format of the run; those of a run whose columns have numbers may be arrays too."""
    assert model.row_format is not None
    if model.row_format.format.first_index is None:
        return True
    return format in (None, model.row_format.name) and not data.lower().endswith(ARRAYS)


def check_no_columns(keep: tuple[str, ...], dialect: Dialect) -> None:
    """Refuse what is said of the columns of a table: the run knows them."""
    asked = [f"--{name}" for name, value in {**dialect._asdict(), "keep": keep or None}.items() if value is not None]
    if asked:
        raise Usage(f"{asked[0]} is for tables, and the rows of a run are read as a stream: the run knows its columns")


def scores_of_stream(model: OnlineModel, data: str, ignore_new: bool) -> Iterator[Scores]:
    """The scores of the rows of a stream, some at a time."""
    from empirisk.cli.reading import blaming
    from empirisk.data.errors import DataError
    from empirisk.data.sources import streamed
    from empirisk.models.streams.reading import NO_EXAMPLES, rows_to_judge

    count = 0
    with streamed(data) as stream, blaming(stream.name):
        for rows in rows_to_judge(model, stream, ignore_new=ignore_new):
            count += rows.n_rows
            yield model.scores(rows.matrix)
        if not count:
            raise DataError(NO_EXAMPLES, stream.name)


def row_facts(model: OnlineModel | OnlineClassesModel) -> dict[str, Any]:
    """The format, and what is known of names; of several classes the largest weight that one has for a name."""
    import numpy as np

    from empirisk.models.streams.used_columns import names_met

    rows = model.row_format
    assert rows is not None
    facts: dict[str, Any] = {"format": rows.name, "format_options": dict(rows.options), "names": None, "largest": None}
    if model.used is not None and rows.bits is not None:
        used, names, share = names_met(model.used, rows.bits)
        told = None if math.isinf(names) else names
        facts["names"] = {"columns": 1 << rows.bits, "used": used, "names": told, "share_that_meets_another": share}
    if rows.names is not None:
        weights = np.atleast_2d(model.weights)
        largest = weights[np.argmax(np.abs(weights), axis=0), np.arange(weights.shape[1])]
        order = np.argsort(-np.abs(largest), kind="stable")[:LISTED].tolist()
        facts["largest"] = {rows.names[j]: float(largest[j]) for j in order}
    return facts


def features_text(facts: dict[str, Any]) -> str:
    """How many there are."""
    if facts["largest"] is not None:
        return f"{facts['features']} features by name"
    if facts["names"] is not None:
        return f"names hashed into {facts['names']['columns']} columns"
    return f"{facts['features']} features, counted from 0"


def names_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """The lines about names."""
    if facts["largest"] is not None:
        listed = ", ".join(f"{name} {weight:.4g}" for name, weight in facts["largest"].items())
        return [("Largest", listed or "none")]
    found = facts["names"]
    if found is None:
        return []
    if found["names"] is None:
        return [("Names", f"all {found['columns']} columns are used: give more --bits")]
    share = 100.0 * found["share_that_meets_another"]
    said = f"{found['used']} columns used, by about {found['names']:.0f} names, {share:.3g} % of which meet another"
    return [("Names", said)]
