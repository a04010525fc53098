"""From files to matrices and labels: for a fit, and for a model that has been fitted."""

from __future__ import annotations

import io
import re
import sys
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from empirisk.data.csv import read_csv
from empirisk.data.errors import DataError
from empirisk.data.svmlight import read_svmlight
from empirisk.data.table import Table
from empirisk.models.columns import Column, Columns, first_word, fit_columns, line_of
from empirisk.models.linear import LinearModel
from empirisk.protocols import Vector

LABEL_NAMES = ("label", "target", "class", "y")
FIRST_EXAMPLE = re.compile(rb"\s*(#|[-+]?[0-9.]\S*(\s+(qid|[0-9]+):\S+)+\s*(#|$)|[-+]?[0-9][^\s,]*\s*$)")
LARGEST_EXACT = 2.0**53  # whole numbers up to here are exact in float64


class Examples(NamedTuple):
    """The rows of a file, and what they are called there."""

    matrix: Any
    labels: NDArray[Any] | None
    weights: Vector | None
    path: str
    label_name: str | None = None
    weights_name: str | None = None
    columns: Columns | None = None
    first_index: int | None = None


def read_training(path: str, format: str | None, label: str | None, weights: str | None) -> Examples:
    """The examples of a file to fit on."""
    source = _open(path)
    if _format_of(path, source, format) == "svmlight":
        _refuse_names(label, weights)
        data = read_svmlight(source)
        return Examples(data.matrix, tidy_labels(data.labels), None, _name(source), first_index=data.first_index)
    table = read_csv(source)
    label = _label_name(table, label)
    cells = tidy_labels(_column(table, label))
    weight_cells = None if weights is None else _weights(table, weights)
    columns = fit_columns(table, exclude=[label] if weights is None else [label, weights])
    return Examples(columns.encode(table, ignore_new=True), cells, weight_cells, table.path, label, weights, columns)


def read_for_model(
    model: LinearModel,
    path: str,
    format: str | None,
    *,
    unknown: str = "error",
    ignore_new: bool = False,
    labeled: bool = False,
    label: str | None = None,
    weights: str | None = None,
) -> Examples:
    """The examples of a file as the model knows them; with `labeled` also labels and weights."""
    source = _open(path)
    if _format_for(model, path, source, format) == "svmlight":
        _refuse_names(label, weights)
        data = read_svmlight(
            source, n_features=model.weights.size, first_index=model.first_index, ignore_new=ignore_new
        )
        return Examples(data.matrix, tidy_labels(data.labels), None, _name(source), first_index=data.first_index)
    table = read_csv(source)
    label, weights = label or model.label_name, weights or model.weights_name
    if labeled:
        label = _label_name(table, label)
    ignore = [name for name in (label, weights) if name is not None]
    columns = model.columns or _plain_columns(model, table, ignore)
    matrix = columns.encode(table, unknown, ignore=ignore, ignore_new=ignore_new)
    cells = tidy_labels(_column(table, label)) if labeled and label is not None else None
    weight_cells = _weights(table, weights) if labeled and weights is not None else None
    return Examples(matrix, cells, weight_cells, table.path, label, weights, columns)


def tidy_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Whole numbers as integers, so that a class is called 1 and not 1.0."""
    if labels.dtype != object and bool(np.all((labels == np.floor(labels)) & (np.abs(labels) <= LARGEST_EXACT))):
        return labels.astype(np.int64)
    return labels


class _Input(io.BytesIO):
    """Standard input, held whole."""

    name = "<stdin>"


def _open(path: str) -> Any:
    return _Input(sys.stdin.buffer.read()) if path == "-" else path


def _name(source: Any) -> str:
    return source if isinstance(source, str) else source.name


def _format_of(path: str, source: Any, format: str | None) -> str:
    """What was asked, else what the name says, else for standard input what its first line looks like."""
    if format is not None:
        return format
    if isinstance(source, _Input):
        first = next(filter(bytes.strip, source.getvalue().splitlines()), b"") if source.getbuffer().nbytes else b""
        return "svmlight" if FIRST_EXAMPLE.match(first) else "csv"
    name = path.lower()
    if name.endswith((".tsv", ".tab")):
        raise DataError("expected commas between the columns: a table with tabs is not read, convert it to CSV", path)
    return "csv" if name.endswith(".csv") else "svmlight"


def _format_for(model: LinearModel, path: str, source: Any, format: str | None) -> str:
    """The format of data for a model: its own, unless the name of the file says otherwise."""
    own = "csv" if model.columns is not None else "svmlight" if model.first_index is not None else None
    if own is None:  # fitted in Python
        return _format_of(path, source, format)
    named = path.lower().endswith((".csv", ".tsv", ".tab", ".svm", ".svmlight", ".libsvm"))
    found = _format_of(path, source, format) if format is not None or named else own
    if found != own:
        raise click.UsageError(f"the model was fitted on {own} data, and {path} is {found}; --format {own} overrides")
    return own


def _refuse_names(label: str | None, weights: str | None) -> None:
    option = "--label" if label is not None else "--weights" if weights is not None else None
    if option is not None:
        raise click.UsageError(f"{option} names a column of a CSV table, and this file is read as svmlight data")


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
    raise DataError(f"{wanted}, found {which} among {listed}; name it with --label", table.path, 1)


def _column(table: Table, name: str) -> NDArray[Any]:
    return table.columns[table.names.index(name)]


def _weights(table: Table, name: str) -> Vector:
    if name not in table.names:
        raise DataError(f"expected the weights column {name!r}, found none of this name", table.path, 1)
    cells = _column(table, name)
    if cells.dtype == object:
        row = first_word(cells)
        raise DataError(f"expected a number >= 0, found {cells[row]!r}", table.path, line_of(table.path, row), name)
    if bool(np.any(cells < 0.0)):
        row = int(np.argmax(cells < 0.0))
        raise DataError(f"expected a number >= 0, found {cells[row]:g}", table.path, line_of(table.path, row), name)
    return cells


def _plain_columns(model: LinearModel, table: Table, ignore: list[str]) -> Columns:
    """Numbers only: for a model fitted in Python, by its feature names, or by position where it has none."""
    names = model.feature_names or [name for name in table.names if name not in ignore]
    if len(names) != model.weights.size:
        raise DataError(f"expected {model.weights.size} columns as in the fit, found {len(names)}", table.path, 1)
    return Columns(tuple(Column(name) for name in names))
