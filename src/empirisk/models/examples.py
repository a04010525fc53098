"""The examples of a file, and the fit of a model that remembers what they are called there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from empirisk.encodings.columns import Columns
from empirisk.models.linear import LinearModel
from empirisk.models.linear_fit import Fit, fit_linear
from empirisk.models.options import FitOptions
from empirisk.models.plane import PlaneModel
from empirisk.models.unencoded import Unencoded
from empirisk.protocols import Vector

Model = TypeVar("Model", LinearModel, PlaneModel)


class Examples(NamedTuple):
    """The rows of a file, and what they are called there."""

    matrix: Any  # None where it is still to be made, see `encoded`
    labels: NDArray[Any] | None
    weights: Vector | None
    path: str
    label_name: str | None = None
    weights_name: str | None = None
    columns: Columns | None = None
    first_index: int | None = None
    remarks: tuple[str, ...] = ()  # sentences on what the reader decided by itself
    kept: Mapping[str, NDArray[Any]] = MappingProxyType({})  # columns that were to be kept, as they were written
    complete: NDArray[np.bool_] | None = None  # which rows of the file these are, where it has others
    unencoded: Unencoded | None = None  # what the matrix will be made of, where it is not made yet

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.matrix.shape[0]) if self.unencoded is None else len(self.unencoded.table.columns[0])

    @property
    def n_features(self) -> int:
        """The number of columns of the matrix."""
        return int(self.matrix.shape[1])

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """What they are called; None where they have no names."""
        return None if self.columns is None else self.columns.feature_names

    def encoded(self, fitted: NDArray[np.int64] | None = None) -> Examples:
        """With the matrix; what columns become is learned from the rows `fitted`, from all for None."""
        if self.unencoded is None:
            return self
        columns, matrix, remarks = self.unencoded.encoded(fitted)
        return self._replace(matrix=matrix, columns=columns, remarks=(*self.remarks, *remarks), unencoded=None)

    def parted(self, fitted: NDArray[np.int64], others: NDArray[np.int64]) -> tuple[Examples, Examples]:
        """The rows of a fit, and others as they are to it: nothing is learned from those."""
        whole = self.encoded(fitted)
        said = whole.remarks[len(self.remarks) :]
        return whole.taken(fitted), whole.taken(others)._replace(remarks=said)

    def taken(self, rows: NDArray[np.int64]) -> Examples:
        """Some of the rows, in order."""
        complete = np.zeros(self.n_rows if self.complete is None else self.complete.size, np.bool_)
        complete[self.rows_in_file(rows.tolist())] = True
        return self._replace(
            matrix=self.matrix[rows],
            labels=None if self.labels is None else self.labels[rows],
            weights=None if self.weights is None else self.weights[rows],
            kept={name: cells[rows] for name, cells in self.kept.items()},
            complete=complete,
        )

    def feature_name(self, j: int) -> str:
        """What column j of the matrix is called in the file."""
        if self.columns is not None:
            return str(self.columns.feature_names[j])
        return f"column {j}" if self.first_index is None else f"feature {j + self.first_index}"

    def rows_in_file(self, rows: Sequence[int]) -> list[int]:
        """The rows of the file that these rows are."""
        return list(rows) if self.complete is None else np.flatnonzero(self.complete)[list(rows)].tolist()


def fit_examples(examples: Examples, options: FitOptions, **arguments: Any) -> Fit:
    """`fit_linear` on the examples of a file; the model can then read other files of this kind."""
    fit = fit_linear(examples.matrix, examples.labels, options, sample_weight=examples.weights, **arguments)
    return fit._replace(model=remembering(fit.model, examples))


def remembering(model: Model, examples: Examples) -> Model:
    """The model with the names of the file that it was fitted on, so that it can read other files of this kind."""
    names = {name: getattr(examples, name) for name in ("columns", "first_index", "label_name", "weights_name")}
    return model._replace(feature_names=examples.feature_names, **names)
