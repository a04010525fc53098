"""Rows of a file as a run over a stream knows them: those that it has met, or others to predict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse

from empirisk.data.errors import DataError
from empirisk.data.sources import streamed
from empirisk.data.streams import RowFormat
from empirisk.data.streams.rows import StreamRows, stream_rows
from empirisk.losses import as_loss
from empirisk.models.examples import Examples
from empirisk.models.online import OnlineModel
from empirisk.models.online_classes import OnlineClassesModel
from empirisk.models.streams.labels import StreamLabels
from empirisk.protocols import Unsupported, Vector

NO_EXAMPLES = "expected at least one example, found none"


def rows_met_again(model: OnlineModel | OnlineClassesModel, stream: Any) -> Iterator[StreamRows]:
    """As many rows as the run has met in one pass, or all, some at a time.

    A line that holds no row is passed over, as the run may have done: the fingerprint tells whether it did.
    """
    labels, count = labels_of(model), 0
    rows = _format_of(model)._replace(settled={}, names=None if model.feature_names is None else ())
    found = stream_rows(stream, stream.name, rows.reader(labels.words), labels.refused, rows.dictionary(), waits=True)
    bad: DataError | None = None
    for part in found:
        if isinstance(part, DataError):
            bad = bad or part
            continue
        yield part
        count += part.n_rows
        if count >= model.n_rows:
            return
    if bad is not None and not count:
        raise bad


def rows_to_judge(
    model: OnlineModel, stream: Any, *, is_labeled: bool = False, ignore_new: bool = False
) -> Iterator[StreamRows]:
    """Rows as the run knows them, some at a time, in as many columns as it has; the first bad line is raised.

    A name that the run has not met weighs nothing, as it did before it came; a feature with a number is refused unless
    `ignore_new`, because the file may count otherwise.
    """
    labels, rows = labels_of(model), _format_of(model)
    reader = rows.reader(labels.words, is_labeled)
    refused = labels.refused if is_labeled else lambda _: None
    for part in stream_rows(stream, stream.name, reader, refused, rows.dictionary(is_closed=True), waits=True):
        if isinstance(part, DataError):
            raise part
        matrix, d = part.matrix, model.n_features
        is_new = matrix.indices >= d
        if is_new.any() and rows.format.first_index is not None and not ignore_new:
            k = int(np.argmax(is_new))
            row = int(np.searchsorted(matrix.indptr, k, side="right")) - 1
            raise part.error(f"expected a feature index below {d} as in the run, found {matrix.indices[k]}", row)
        if is_new.any():
            matrix.resize(matrix.shape[0], d)
        yield part._replace(matrix=_in_columns(matrix, d))


def read_for_run(model: OnlineModel, path: str, labeled: bool, ignore_new: bool) -> Examples:
    """The rows of `rows_to_judge` in one matrix."""
    with streamed(path) as stream:
        parts = list(rows_to_judge(model, stream, is_labeled=labeled, ignore_new=ignore_new))
        if not parts:
            raise DataError(NO_EXAMPLES, stream.name)
        matrix = _stacked([part.matrix for part in parts], model.n_features)
        if not labeled:
            return Examples(matrix, None, None, stream.name)
        weights = [_weights(part) for part in parts]
        labels = labels_of(model).outside(np.concatenate([part.labels for part in parts]))
        return Examples(matrix, labels, np.concatenate(weights), stream.name)


def check_format(model: OnlineModel, asked: str | None) -> None:
    """Refuse to read rows in another format than that of the run."""
    rows = _format_of(model)
    if asked not in (None, rows.name):
        raise Unsupported(f"the run has met {rows.name} data, and format={asked!r} is another")


def labels_of(model: OnlineModel | OnlineClassesModel) -> StreamLabels:
    """As the run has settled them."""
    return StreamLabels(as_loss(model.loss), model.classes, model.is_settled)


def _format_of(model: OnlineModel | OnlineClassesModel) -> RowFormat:
    assert model.row_format is not None
    return model.row_format


def _weights(rows: StreamRows) -> Vector:
    return rows.weights if rows.weights.size else np.ones(rows.n_rows)


def _in_columns(matrix: Any, n_columns: int) -> Any:
    """The same entries in so many columns, which are enough."""
    return scipy.sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], n_columns))


def _stacked(matrices: list[Any], n_columns: int) -> Any:
    return scipy.sparse.vstack([_in_columns(matrix, n_columns) for matrix in matrices], format="csr")
