"""A run over a stream played again, some rows at a time: what `verify` does with a file of any length."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from empirisk.data.errors import DataError
from empirisk.data.sources import streamed
from empirisk.data.streams.rows import StreamRows
from empirisk.designs import as_design
from empirisk.models.online import OTHER_DATA, OTHER_FINGERPRINT, OVERFLOWS, OnlineModel, compared
from empirisk.models.online_classes import OnlineClassesModel
from empirisk.models.streams.reading import NO_EXAMPLES, labels_of, rows_met_again
from empirisk.online.rows_met import RowsMet
from empirisk.online.run import Overflowed, Run
from empirisk.protocols import Verification
from empirisk.rows.fingerprint import MASK


def verified_over_stream(model: OnlineModel | OnlineClassesModel, path: str) -> Verification:
    """Play the game of a run, or that of each class, again over a file, and compare rows, account and state."""
    each = model.runs if isinstance(model, OnlineClassesModel) else (model,)
    runs = [one.restored().again() for one in each]
    for _ in range(model.passes):
        said = _play(model, runs, path)
        if said:
            return Verification(False, said)
    if runs[0].n_rows < model.n_rows:
        return Verification(False, f"{OTHER_DATA}: it met {model.n_rows} rows, and they have {runs[0].n_rows}.")
    if any(_words(run) != one.sums for one, run in zip(each, runs, strict=True)):
        return Verification(False, f"{OTHER_DATA}: {OTHER_FINGERPRINT}.")
    for k, (one, run) in enumerate(zip(each, runs, strict=True)):
        verdict = compared(one, run.ledger, run.state)
        if not verdict.holds and model.classes is not None and len(each) > 1:
            return verdict._replace(sentence=f"For the class {model.classes[k]}: {verdict.sentence}")
        if not verdict.holds:
            return verdict
    if len(each) == 1:
        return verdict
    return verdict._replace(sentence=f"Played again for each class; for the last: {verdict.sentence}")


def _play(model: OnlineModel | OnlineClassesModel, runs: list[Run], path: str) -> str:
    """Once over the file, up to the rows that the run has met; why it cannot be played, or nothing."""
    labels, room = labels_of(model), runs[0].n_columns
    with streamed(path) as stream:
        before = runs[0].n_rows
        for part in rows_met_again(model, stream):
            count = min(part.n_rows, model.n_rows - runs[0].n_rows)
            last = int(part.matrix.indices[: part.matrix.indptr[count]].max(initial=-1))
            if last >= room:
                return f"{OTHER_DATA}: they have a feature {last}, and the run {model.n_features}."
            rows = _in_room(part, count, room)
            seen = labels.inside(rows.labels)
            try:
                for k, run in enumerate(runs):
                    own = seen if len(runs) == 1 else np.where(seen == k, 1.0, -1.0)
                    run.learn_rows(rows._replace(labels=own))
            except Overflowed:
                return OVERFLOWS
        if runs[0].n_rows == before == 0:
            raise DataError(NO_EXAMPLES, stream.name)
    return ""


def _in_room(part: StreamRows, count: int, n_columns: int) -> RowsMet:
    """So many rows, in so many columns."""
    starts = part.matrix.indptr[: count + 1]
    content = part.matrix.data[: starts[-1]], part.matrix.indices[: starts[-1]], starts
    matrix = scipy.sparse.csr_array(content, shape=(count, n_columns))
    return RowsMet(as_design(matrix), part.labels[:count], part.weights[:count])


def _words(run: Run) -> tuple[int, int]:
    return run.sums[0] & MASK, run.sums[1] & MASK
