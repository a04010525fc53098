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
from empirisk.encodings.named import found_columns
from empirisk.models.examples import Examples
from empirisk.models.fitted import Fitted, columns_for
from empirisk.models.unencoded import LABELED, Unencoded
from empirisk.protocols import Vector

LABEL_NAMES = ("label", "target", "class", "y")
LARGEST_EXACT = 2.0**53  # whole numbers up to here are exact in float64


def training_table(
    table: Table,
    label: str | None,
    weights: str | None,
    labeled: bool,
    choices: ColumnChoices,
    na: tuple[str, ...] | None,
) -> Examples:
    """The examples of a table to fit on, not yet encoded; `na` is what says there that a value is missing."""
    label = _label_name(table, label) if labeled or label is not None else None
    found = Unencoded(table, _given((label, weights)), choices, na)
    complete = found.complete()
    if complete is None:
        found.check_labels()
    found = found.of_rows(complete)
    rows = _rows(table, found.table, complete, (label, weights), labeled, weighted=True)
    return rows._replace(unencoded=found)


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
    rows = table if complete is None else table.of_rows(complete)
    found = _rows(table, rows, complete, (label, weights), labeled, weighted)
    matrix = columns.encode(rows, unknown, ignore_new=ignore_new, ignore=[*others, *kept])
    return found._replace(matrix=matrix, columns=columns, kept={name: table.texts[name] for name in kept})


def tidy_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as integers, so that a class is called 1 and not 1.0."""
    if labels.dtype != object and bool(np.all((labels == np.floor(labels)) & (np.abs(labels) <= LARGEST_EXACT))):
        return labels.astype(np.int64)
    return labels


def _rows(
    table: Table,
    kept: Table,
    complete: NDArray[np.bool_] | None,
    names: tuple[str | None, str | None],
    labeled: bool,
    weighted: bool,
) -> Examples:
    """The rows `kept` of a table, which are its complete ones, without a matrix; `names` are of label and weights."""
    label, weights = names
    cells = _weights(table, weights) if labeled and weighted and weights is not None else None
    cells = cells if cells is None or complete is None else cells[complete]
    labels = tidy_labels(exact_cells(kept, label)) if labeled and label is not None else None
    return Examples(None, labels, cells, table.path, label, weights, remarks=table.remarks, complete=complete)


def _given(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(name for name in names if name is not None)


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
