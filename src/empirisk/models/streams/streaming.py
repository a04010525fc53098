"""A run over a stream: rows are learned as they come, or passed over where the run has met them already."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from empirisk.data.ahead import in_turn, made_ahead
from empirisk.data.errors import DataError
from empirisk.data.streams import RowFormat
from empirisk.data.streams.rows import StreamRows, stream_rows
from empirisk.designs import as_design
from empirisk.models.online import OnlineModel, online_model
from empirisk.models.online_classes import OnlineClassesModel, online_classes_model
from empirisk.models.streams.labels import StreamLabels
from empirisk.models.streams.used_columns import UsedColumns
from empirisk.online.class_runs import ClassRuns
from empirisk.online.open_run import OpenRun
from empirisk.online.row_spool import RowSpool
from empirisk.online.rows_met import RowsMet
from empirisk.online.run import Overflowed
from empirisk.protocols import Array, Vector
from empirisk.rows.fingerprint import MASK, Sums


class Learned(NamedTuple):
    """Rows that were learned."""

    scores: Array  # that were answered, each before its label was seen
    n_bytes: int  # of the stream, from its beginning to behind these rows
    labels: Vector  # as the loss sees them


class Streaming:
    """The run, its labels, and the rows that it has met before this stream began."""

    def __init__(
        self,
        run: OpenRun | ClassRuns,
        labels: StreamLabels,
        rows: RowFormat,
        passes: int = 1,
        is_same_stream: bool = False,
        used: UsedColumns | None = None,
    ) -> None:
        self.open_run, self.labels, self.passes = run, labels, passes
        self.n_before = run.n_rows if is_same_stream else 0  # to be passed over
        self.n_passed, self._sums = 0, (0, 0)
        self._rows, self._reader, self._names = rows, rows.reader(), rows.dictionary()
        self._n_here = 0  # rows of the stream that the run has met
        self.used = UsedColumns.of(rows.bits) if used is None else used
        self.is_start_moved = False  # because the weights it was to begin at lie outside of the constraint
        self.spool: RowSpool | None = None  # of all rows that the run has met, where they are kept

    @property
    def n_rows(self) -> int:
        """That the run has met, in this stream or before."""
        return self.open_run.n_rows

    def model(self) -> OnlineModel | OnlineClassesModel:
        """Of the run as it stands."""
        run, rows, classes = self.open_run, self.rows, self.labels.classes
        others = {
            "is_settled": self.labels.is_settled,
            "passes": self.passes,
            "row_format": rows,
            "used": self.used.packed(),
            "feature_names": rows.names,
            "first_index": rows.format.first_index,
        }
        if isinstance(run, ClassRuns):
            assert classes is not None
            return online_classes_model(run, classes, **others)
        return online_model(run.run, classes, run.n_features, **others)

    @property
    def rows(self) -> RowFormat:
        """How the rows are written, as far as those that the run has met have settled it."""
        names = None if self._names is None else self._names.first(self.open_run.n_features)
        return self._rows._replace(settled=self._reader.settled(self._n_here), names=names)

    def learn(
        self,
        stream: Any,
        path: str,
        most_columns: int,
        next_stop: Callable[[int], int],
        waiting: Callable[[], AbstractContextManager[None]],
        n_threads: int = 2,
    ) -> Iterator[Learned | DataError]:
        """Learn the rows of a stream, and yield after some, at least when the run has met `next_stop(n_rows)` of them.

        A line that holds no row is yielded as its error, and passed over. One whose score overflows is raised. Rows
        are parsed on another thread, if there may be two, while those before them are learned; `waiting` is entered
        where there are none.
        """
        self._rows, self._n_here = self.rows, 0
        self._reader = self._rows.reader(self.labels.words, most_columns=most_columns)
        self._names = self._rows.dictionary(most_columns)
        rows_read = stream_rows(stream, path, self._reader, self.labels.refused, self._names)
        for found in made_ahead(rows_read, waiting) if n_threads > 1 else in_turn(rows_read, waiting):
            if isinstance(found, DataError):
                yield found
                continue
            rows = RowsMet(as_design(found.matrix), self.labels.inside(found.labels), found.weights)
            first = self._pass_over(rows, path)
            self._keep(rows, found.labels, 0, first)
            while first < rows.n_rows:
                last = min(rows.n_rows, first + next_stop(self.n_rows) - self.n_rows)
                scores = self._learned(found, rows, first, last)
                yield Learned(scores, found.bytes_until(last), rows.labels[first:last])
                first = last

    def check_passed(self, path: str) -> None:
        """Refuse a stream that has ended before the rows of the run did."""
        if self.n_passed < self.n_before:
            said = f"expected the {self.n_before} rows that the run has met, found {self.n_passed}"
            raise DataError(said, path)

    def _learned(self, found: StreamRows, rows: RowsMet, first: int, last: int) -> Array:
        before = self.n_rows
        try:
            return self.open_run.learn(rows.part(last, first))
        except Overflowed as error:
            raise found.error(str(error), first + self.n_rows - before) from None
        finally:
            count = self.n_rows - before
            self.labels.meet(found.labels[first : first + count])
            self.used.meet(found.matrix, first, first + count)
            self._n_here += count
            self._keep(rows, found.labels, first, first + count)

    def rows_kept(self, n_columns: int) -> RowsMet:
        """All rows that the run has met, in the labels that the loss sees."""
        assert self.spool is not None
        rows = self.spool.rows(n_columns)
        return rows._replace(labels=self.labels.inside(rows.labels))

    def _keep(self, rows: RowsMet, labels: Vector, first: int, last: int) -> None:
        if self.spool is not None and last > first:
            part = rows.part(last, first)
            self.spool.add(part.design, labels[first:last], part.weights)

    def _pass_over(self, rows: RowsMet, path: str) -> int:
        """How many of these rows the run has met; once all of them are passed over, they must be the same."""
        count = min(rows.n_rows, self.n_before - self.n_passed)
        if count:
            self._sums = _added(self._sums, rows.part(count).sums(self.n_passed))
            self.n_passed += count
            self._n_here += count
            if self.n_passed == self.n_before and self._sums != _added(self.open_run.sums, (0, 0)):
                said = f"the first {self.n_before} rows are not those that the run has met (their fingerprint differs)"
                raise DataError(said, path)
        return count


def _added(sums: Sums, more: Sums) -> Sums:
    return (sums[0] + more[0]) & MASK, (sums[1] + more[1]) & MASK
