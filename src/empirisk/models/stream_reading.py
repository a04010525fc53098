"""The rows that a run over a stream has met, read again."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from empirisk.data.errors import DataError
from empirisk.data.sources import streamed
from empirisk.data.svmlight_stream import stream_rows
from empirisk.losses import as_loss
from empirisk.models.examples import Examples
from empirisk.models.online import OnlineModel
from empirisk.models.stream_labels import StreamLabels
from empirisk.models.streaming import FIRST_INDEX
from empirisk.models.tables import tidy_labels


def read_rows_met(model: OnlineModel, path: str) -> Examples:
    """As many rows of a file as the run has met, or all; what stands below them is not looked at.

    A line that holds no row is passed over, as the run may have done: the fingerprint tells whether it did.
    """
    labels = StreamLabels(as_loss(model.loss), model.classes, model.is_settled)
    found, numbers, count = [], [], 0
    with streamed(path) as stream:
        for rows in stream_rows(stream, stream.name, labels.refused):
            if isinstance(rows, DataError):
                continue
            part = slice(0, model.n_rows - count)
            found.append(rows.matrix[part].copy())
            numbers.append(rows.labels[part].copy())
            count += numbers[-1].size
            if count == model.n_rows:
                break
        if not count:
            raise DataError("expected at least one example, found none", stream.name)
        n_columns = max(model.n_features, *(1 + int(matrix.indices.max(initial=-1)) for matrix in found))
        for matrix in found:
            matrix.resize(matrix.shape[0], n_columns)
        matrix = scipy.sparse.vstack(found, format="csr")
        return Examples(matrix, tidy_labels(np.concatenate(numbers)), None, stream.name, first_index=FIRST_INDEX)
