"""What a model remembers of the data that it was fitted on, and rows of new data as it knows them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from empirisk.data.errors import DataError
from empirisk.data.frames import is_frame, table_of
from empirisk.data.missing import with_missing
from empirisk.data.table import Table
from empirisk.encodings.cells import listed
from empirisk.encodings.columns import Columns, number_columns


class Fitted(Protocol):
    """What a model remembers of the file that it was fitted on."""

    @property
    def n_features(self) -> int:
        """The number of columns of the matrix."""

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """What they are called."""

    @property
    def columns(self) -> Columns | None:
        """How a table became numbers."""

    @property
    def first_index(self) -> int | None:
        """Of the features in svmlight data."""

    @property
    def label_name(self) -> str | None:
        """The column of the labels."""

    @property
    def weights_name(self) -> str | None:
        """The column of the weights."""


def rows_of(model: Fitted, X: Any, unknown: str = "error", ignore_new: bool = False) -> Any:
    """A data frame as the matrix of the fit; anything else as it is.

    A model that was fitted on a table encodes the columns as it did there, its categories too; those of the labels and
    the weights may be there or not. Columns are matched by name where the model knows names, else by place. `unknown`
    and `ignore_new` are those of `Columns.encode`.
    """
    if not is_frame(X):
        if model.columns is not None and (getattr(X, "ndim", 2) == 1 or _are_texts(X)):
            said = f"X must be a data frame with the columns of the fit, {listed(model.columns.names)}"
            raise ValueError(f"{said}; got a {type(X).__name__} of one dimension")
        return X
    known = () if model.columns is None else model.columns.columns
    table = table_of(X, texts={column.name for column in known if column.takes_text()})
    ignore = [name for name in (model.label_name, model.weights_name) if name is not None]
    try:
        columns = columns_for(model, table, ignore)
        if columns.missing != "error":
            table = with_missing(table, columns.na)
        return columns.encode(table, unknown, ignore=ignore, ignore_new=ignore_new)
    except DataError as error:  # a frame has no lines
        raise DataError(error.message, error.path, None, error.column) from None


def _are_texts(X: Any) -> bool:
    return isinstance(X, (list, tuple)) and bool(X) and isinstance(X[0], str)


def columns_for(model: Fitted, table: Table, ignore: Collection[str]) -> Columns:
    """Those of the model; numbers only for one fitted in Python, by its feature names, or by place without names."""
    if model.columns is not None:
        return model.columns
    names = model.feature_names or [name for name in table.names if name not in ignore]
    if len(names) != model.n_features:
        raise DataError(f"expected {model.n_features} columns as in the fit, found {len(names)}", table.path, 1)
    return number_columns(names)


def unknown_in_data_of(model: Any) -> str:
    """What a category that the fit did not see is in the data of the fit: rows that were held out may have some."""
    return "error" if getattr(model, "holdout", None) is None else "zero"
