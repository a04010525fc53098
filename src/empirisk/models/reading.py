"""From files to matrices and labels: for a fit, and for a model that has been fitted.

A file that does not say what it should raises `DataError`, a request that does not fit it `Unsupported`. Sentences name
parameters as Python does, label=...
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from numpy.typing import NDArray

from empirisk.data.arrays import ArrayData, from_arrays, from_table, read_npy, read_npz
from empirisk.data.csv import read_csv
from empirisk.data.dialect import AS_FOUND, Dialect
from empirisk.data.errors import DataError
from empirisk.data.sources import Source, format_of, format_of_text, name_of, opened
from empirisk.data.svmlight import read_svmlight
from empirisk.encodings.choices import ColumnChoices
from empirisk.encodings.columns import USUAL, number_columns
from empirisk.encodings.named import possible_names, verbatim_names
from empirisk.models.examples import Examples
from empirisk.models.fitted import Fitted
from empirisk.models.tables import table_for, tidy_labels, training_table
from empirisk.protocols import Unsupported

LAST = "-1"  # the column of an npy table that holds the labels
# What a model takes: names and categories are needed by one fitted on a table, first_index by one fitted on svmlight.
TAKEN = {"csv": ("csv", "npz"), "svmlight": ("svmlight", "npy", "npz")}


def read_training(
    path: str,
    format: str | None,
    label: str | None,
    weights: str | None,
    *,
    labeled: bool = True,
    choices: ColumnChoices = USUAL,
    dialect: Dialect = AS_FOUND,
    encoded: bool = True,
) -> Examples:
    """The examples of a file to fit on; without `labeled` every column is a feature, but for those that are named.

    `choices` says how the columns of a table become numbers; without `encoded` they are left to become so later, by
    what some of the rows say.
    """
    with opened(path) as source:
        format = format or format_of(path, source) or format_of_text(source)
        _check_dialect(dialect, format)
        if format != "csv":
            _refuse_choices(choices, format)
        if format == "svmlight":
            _refuse_names(label, weights)
            data = read_svmlight(source)
            return Examples(data.matrix, tidy_labels(data.labels), None, name_of(source), first_index=data.first_index)
        if format == "csv":
            table = read_csv(source, **dialect._asdict(), verbatim=verbatim_names(choices))
            found = training_table(table, label, weights, labeled, choices, dialect.na)
            return found.encoded() if encoded else found
        if format == "npy":
            of_labels = _column_number("label", label or (LAST if labeled else None))
            arrays = from_table(read_npy(source), name_of(source), of_labels, _column_number("weights", weights))
        else:
            arrays = from_arrays(read_npz(source), name_of(source), label, weights)
        columns = None if arrays.names is None else number_columns(arrays.names)
        labels = _labels(arrays, name_of(source)) if labeled else None
        return Examples(arrays.matrix, labels, arrays.weights, name_of(source), label, weights, columns)


def read_for_model(
    model: Fitted,
    path: str,
    format: str | None,
    *,
    unknown: str = "error",
    ignore_new: bool = False,
    labeled: bool = False,
    label: str | None = None,
    weights: str | None = None,
    dialect: Dialect = AS_FOUND,
    weighted: bool = True,
    keep: Collection[str] = (),
) -> Examples:
    """The examples of a file as the model knows them; with `labeled` also labels and, where `weighted`, weights.

    `keep` names columns of a table, features or not, whose cells are wanted as they are written.
    """
    if (
        getattr(model, "row_format", None) is not None and model.first_index is None
    ):  # a stream whose columns have names
        return _read_for_run(model, path, format, labeled, ignore_new, keep)
    with opened(path) as source:
        format = _format_for(model, path, source, format)
        _check_dialect(dialect, format)
        if keep and format != "csv":
            raise Unsupported(f"keep=... names columns of a CSV table, and this file is read as {format}")
        if format == "svmlight":
            _refuse_names(label, weights)
            data = read_svmlight(
                source, n_features=model.n_features, first_index=model.first_index, ignore_new=ignore_new
            )
            return Examples(data.matrix, tidy_labels(data.labels), None, name_of(source), first_index=data.first_index)
        if format == "csv":
            known = model.columns or number_columns(())
            dialect = dialect if dialect.na is not None else dialect._replace(na=known.na)
            table = read_csv(source, **dialect._asdict(), verbatim=known.verbatim, keep=possible_names(keep))
            return table_for(model, table, labeled, weighted, label, weights, unknown, ignore_new, keep)
        if format == "npy":
            arrays = _npy_for(model, source, labeled, label, weights)
        else:
            arrays = _npz_for(model, source, label, weights)
        labels = _labels(arrays, name_of(source)) if labeled else None
        row_weights = arrays.weights if labeled and weighted else None
        return Examples(arrays.matrix, labels, row_weights, name_of(source), label, weights)


def _read_for_run(
    model: Any, path: str, format: str | None, labeled: bool, ignore_new: bool, keep: Collection[str]
) -> Examples:
    from empirisk.models.streams.reading import check_format, read_for_run

    check_format(model, format)
    if keep:
        raise Unsupported("keep=... names columns of a table, and the rows of a run are read as a stream")
    return read_for_run(model, path, labeled, ignore_new)


def _format_for(model: Fitted, path: str, source: Source, format: str | None) -> str:
    """What was asked, else what the file says, else the format of the training data, else what the text looks like."""
    own = "csv" if model.columns is not None else "svmlight" if model.first_index is not None else None
    found = format or format_of(path, source) or own or format_of_text(source)
    if own is None or found in TAKEN[own]:
        return found
    if found == "npy":
        said = "the model knows its columns by name, and an npy array has none"
        raise Unsupported(f"{said}; use CSV, or npz with feature_names")
    raise Unsupported(f"the model was fitted on {own} data, and {path} is {found}; format={own!r} overrides")


def _check_dialect(dialect: Dialect, format: str) -> None:
    """Refuse what is said of a table where there is none."""
    asked = [name for name, value in dialect._asdict().items() if value is not None]
    if asked and format != "csv":
        raise Unsupported(f"{asked[0]}=... is for tables of text, and this file is read as {format}")


def _npy_for(model: Fitted, source: Source, labeled: bool, label: str | None, weights: str | None) -> ArrayData:
    """A table of the features and, for `predict` there or not, the label and the weights of the fit."""
    table, path, d = read_npy(source), name_of(source), model.n_features
    if not labeled and table.shape[1] == d:
        return from_table(table, path)
    of_labels = _column_number("label", label or _if_number(model.label_name) or LAST)
    of_weights = _column_number("weights", weights or _if_number(model.weights_name))
    width = d + (1 if of_weights is None else 2)
    if table.shape[1] != width:
        wanted = f"{width} columns" if labeled else f"{d} columns, or {width}"
        besides = "the label" if of_weights is None else "label and weights"
        raise DataError(f"expected {wanted} with {besides}, found {table.shape[1]}", path)
    return from_table(table, path, of_labels, of_weights)


def _npz_for(model: Fitted, source: Source, label: str | None, weights: str | None) -> ArrayData:
    """The features in the order of the fit; where the model knows them by name, under the same names."""
    arrays, path = read_npz(source), name_of(source)
    label, weights = (
        asked or (stored if stored in arrays else None)
        for asked, stored in ((label, model.label_name), (weights, model.weights_name))
    )
    data = from_arrays(arrays, path, label, weights, getattr(model, "n_targets", 1))
    if data.matrix.shape[1] != model.n_features:
        raise DataError(f"expected {model.n_features} features as in the fit, found {data.matrix.shape[1]}", path)
    if model.columns is not None and data.names is None:
        raise DataError("expected the array 'feature_names', because the model knows its columns by name", path)
    if data.names is not None and model.feature_names is not None and data.names != model.feature_names:
        j = next(j for j, name in enumerate(data.names) if name != model.feature_names[j])
        wanted = f"expected {model.feature_names[j]!r} in feature_names[{j}] as in the fit"
        raise DataError(f"{wanted}, found {data.names[j]!r}", path)
    return data


def _labels(arrays: ArrayData, path: str) -> NDArray[Any]:
    if arrays.labels is None:
        raise DataError("expected the labels in an array 'y', found none of this name; label=... names another", path)
    return tidy_labels(arrays.labels)


def _column_number(parameter: str, asked: str | None) -> int | None:
    if asked is None:
        return None
    try:
        return int(asked)
    except ValueError:
        raise Unsupported(
            f"{parameter}=... of an npy array is the number of a column from 0 on, not {asked!r}"
        ) from None


def _if_number(name: str | None) -> str | None:
    """The column of the fit, where that was one of an npy table."""
    return name if name is not None and name.lstrip("-").isdecimal() else None


def _refuse_names(label: str | None, weights: str | None) -> None:
    parameter = "label" if label is not None else "weights" if weights is not None else None
    if parameter is not None:
        raise Unsupported(f"{parameter}=... names a column of a CSV table, and this file is read as svmlight data")


def _refuse_choices(choices: ColumnChoices, format: str) -> None:
    for parameter in choices.asked():
        raise Unsupported(f"{parameter}=... is about columns of a CSV table, and this file is read as {format}")
