"""The rows that a certificate of regret speaks of, read again: its fingerprint tells which labels the learner saw."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from empirisk.data.errors import DataError
from empirisk.data.sources import streamed
from empirisk.data.streams import USUAL, row_format
from empirisk.data.streams.rows import StreamRows, stream_rows
from empirisk.designs import as_design
from empirisk.models.online import OnlineModel
from empirisk.models.streams.reading import rows_met_again
from empirisk.online.regret_bound import RegretBound
from empirisk.online.row_spool import RowSpool
from empirisk.online.rows_met import EMPTY, RowsMet
from empirisk.protocols import Vector

MOST_CLASSES = 1000  # labels of which each may have been learned against the rest


@contextlib.contextmanager
def rows_of_claim(claim: RegretBound, path: str, run: OnlineModel | None = None) -> Iterator[RowsMet]:
    """As many rows as the run has played, on disk and mapped: as a saved run knows them, else svmlight.

    A file with fewer rows is read again, as `--passes` does. Lines that hold no row are passed over.
    """
    with RowSpool() as spool:
        name = _add(claim, path, spool, run)
        if not spool.n_rows:
            raise DataError("expected at least one example, found none", name)
        if claim.n_rows % spool.n_rows == 0 and os.path.isfile(path):
            while spool.n_rows < claim.n_rows:
                _add(claim, path, spool, run)
        rows = spool.rows(claim.n_columns)
        found = (rows._replace(labels=seen) for seen in _as_seen(rows.labels))
        yield next((one for one in found if one.fingerprint() == claim.fingerprint), rows)


def _add(claim: RegretBound, path: str, spool: RowSpool, run: OnlineModel | None) -> str:
    """The rows of a file, up to those of the claim; what errors call the file."""
    with streamed(path) as stream:
        for found in _rows(stream) if run is None else rows_met_again(run, stream):
            if found.matrix.shape[1] > claim.n_columns:
                said = f"expected features below {claim.n_columns} as in the data of the certificate"
                raise DataError(f"{said}, found {found.matrix.shape[1] - 1}", str(stream.name))
            count = min(found.n_rows, claim.n_rows - spool.n_rows)
            weights = found.weights[:count] if found.weights.size else EMPTY
            spool.add(as_design(found.matrix[:count]), found.labels[:count], weights)
            if spool.n_rows == claim.n_rows:
                break
        return str(stream.name)


def _rows(stream: Any) -> Iterator[StreamRows]:
    """Those of svmlight data, whatever their labels are."""
    reader = row_format(USUAL, {}).reader()
    for found in stream_rows(stream, stream.name, reader, lambda labels: None, waits=True):
        if not isinstance(found, DataError):
            yield found


def _as_seen(labels: Vector) -> Iterator[Vector]:
    """What a learner may have seen of these labels: numbers, or a class and the rest, as -1 and +1."""
    yield labels
    classes = np.unique(labels)
    if classes.size <= MOST_CLASSES:
        for one in classes[::-1].tolist():  # of two the last is +1
            yield np.where(labels == one, 1.0, -1.0)
        yield np.full(labels.size, -1.0)  # of two classes the first alone has occurred
