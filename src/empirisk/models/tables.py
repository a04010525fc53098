"""Tables as examples: the label and the weights by name, all other columns as features, rows without a value."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.errors import DataError
from empirisk.data.inexact import exact_cells, refuse_inexact
from empirisk.data.lines import line_of
from empirisk.data.missing import refuse_missing
from empirisk.data.table import Table
from empirisk.encodings.cells import first_word
from empirisk.encodings.choices import ColumnChoices
from empirisk.encodings.columns import Columns, fit_columns
from empirisk.encodings.missing import FILLS
from empirisk.encodings.named import found_columns
from empirisk.models.examples import Examples
from empirisk.models.fitted import Fitted, columns_for
from empirisk.protocols import Vector

LABEL_NAMES = ("label", "target", "class", "y")
LARGEST_EXACT = 2.0**53  # whole numbers up to here are exact in float64
LABELED = "labels and weights must be there, and missing='drop' leaves rows out"
FILLING = "missing=... says what to do with them: drop, mean, median or indicator"


def training_table(
    table: Table,
    label: str | None,
    weights: str | None,
    labeled: bool,
    choices: ColumnChoices,
    na: tuple[str, ...] | None,
) -> Examples:
    """The examples of a table to fit on; `na` is what says there that a value is missing."""
    label = _label_name(table, label) if labeled or label is not None else None
    others = _given((label, weights))
    columns = fit_columns(table, others, choices)._replace(na=na)
    complete = columns.complete(table, others)
    if complete is None:
        lacking = {*columns.lacking(table), *(name for name in table.without_value() if name in others)}
        refuse_missing(table, [name for name in table.names if name in lacking], _advice(columns.missing))
    return _examples(table, complete, columns, (label, weights), labeled, weighted=True, ignore_new=True)


def table_for(
    model: Fitted,
    table: Table,
    labeled: bool,
    weighted: bool,
    label: str | None,
    weights: str | None,
    unknown: str,
    ignore_new: bool,
    keep: Collection[str],
) -> Examples:
    """The examples of a table as the model knows them."""
    kept = found_columns(table, "keep", keep)
    label, weights = (
        asked or (stored if model.columns is not None or stored in table.names else None)  # a number, from an npy table
        for asked, stored in ((label, model.label_name), (weights, model.weights_name))
    )
    if labeled:
        label = _label_name(table, label)
    others = _given((label, weights))
    columns = columns_for(model, table, others)
    complete = columns.complete(table, others if labeled else ())
    if labeled and complete is None:
        refuse_missing(table, [name for name in table.without_value() if name in others], LABELED)
    encoding = {"unknown": unknown, "ignore_new": ignore_new, "ignore": [*others, *kept]}
    found = _examples(table, complete, columns, (label, weights), labeled, weighted, **encoding)
    return found._replace(kept={name: table.texts[name] for name in kept})


def tidy_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as integers, so that a class is called 1 and not 1.0."""
    if labels.dtype != object and bool(np.all((labels == np.floor(labels)) & (np.abs(labels) <= LARGEST_EXACT))):
        return labels.astype(np.int64)
    return labels


def _examples(
    table: Table,
    complete: NDArray[np.bool_] | None,
    columns: Columns,
    names: tuple[str | None, str | None],
    labeled: bool,
    weighted: bool,
    **encoding: Any,
) -> Examples:
    """The complete rows of a table, all for None; `names` are those of the label and the weights."""
    label, weights = names
    weight_cells = _weights(table, weights) if labeled and weighted and weights is not None else None
    if complete is not None:
        weight_cells, table = None if weight_cells is None else weight_cells[complete], table.of_rows(complete)
    matrix = columns.encode(table, **encoding)
    labels = tidy_labels(exact_cells(table, label)) if labeled and label is not None else None
    found = Examples(matrix, labels, weight_cells, table.path, label, weights, columns, remarks=table.remarks)
    return found._replace(complete=complete)


def _given(names: Iterable[str | None]) -> list[str]:
    return [name for name in names if name is not None]


def _advice(missing: str) -> str:
    return LABELED if missing in FILLS else FILLING


def _label_name(table: Table, asked: str | None) -> str:
    listed = ", ".join(map(repr, table.names[:20])) + (", ..." if len(table.names) > 20 else "")
    if asked is not None:
        if asked not in table.names:
            raise DataError(f"expected the label column {asked!r}, found the columns {listed}", table.path, 1)
        return asked
    found = [name for name in table.names if name.lower() in LABEL_NAMES]
    if len(found) == 1:
        return found[0]
    which = "more than one" if found else "none"
    wanted = "expected one label column named label, target, class or y"
    raise DataError(f"{wanted}, found {which} among {listed}; name it with label=...", table.path, 1)


def _weights(table: Table, name: str) -> Vector:
    if name not in table.names:
        raise DataError(f"expected the weights column {name!r}, found none of this name", table.path, 1)
    refuse_inexact(table, [name])
    cells = table.column(name)
    if cells.dtype == object:
        row = first_word(cells)
        raise DataError(f"expected a number >= 0, found {cells[row]!r}", table.path, line_of(table.path, row), name)
    if bool(np.any(cells < 0.0)):
        row = int(np.argmax(cells < 0.0))
        raise DataError(f"expected a number >= 0, found {cells[row]:g}", table.path, line_of(table.path, row), name)
    return cells
