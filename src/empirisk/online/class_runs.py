"""Three classes or more: a run for each of them against the rest, all over the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.online.ledger import Ledger
from empirisk.online.open_run import OpenRun
from empirisk.online.rows_met import RowsMet
from empirisk.protocols import Matrix
from empirisk.rows.fingerprint import Sums


class ClassRuns:
    """As one run over rows whose labels are numbers of classes; what it pays is the sum over the classes.

    A row is an error where another class has as large a score.
    """

    def __init__(self, runs: tuple[OpenRun, ...], errors: int = 0, sums: Sums = (0, 0)) -> None:
        self.runs, self.errors, self.sums = runs, errors, sums
        self.n_rows = runs[0].n_rows

    @property
    def learner(self) -> Any:
        """That of each class."""
        return self.runs[0].learner

    @property
    def n_features(self) -> int:
        """Columns that occurred."""
        return self.runs[0].n_features

    @property
    def is_in_step(self) -> bool:
        """Whether every class has played the same rows: not where a number of one of them overflowed."""
        return all(run.n_rows == self.n_rows for run in self.runs)

    @property
    def ledger(self) -> Ledger:
        """What all classes paid together."""
        each = [run.ledger for run in self.runs]
        return each[0]._replace(
            loss=sum(one.loss for one in each),
            penalty=sum(one.penalty for one in each),
            errors=self.errors,
            squares=sum(one.squares for one in each),
            largest=max(one.largest for one in each),
        )

    def learn(self, rows: RowsMet) -> Matrix:
        """Play a round of each class for each row; the scores that were answered, a column for each class."""
        numbers = rows.labels.astype(np.int64)
        found = [run.learn(rows._replace(labels=np.where(numbers == k, 1.0, -1.0))) for k, run in enumerate(self.runs)]
        scores = np.column_stack(found)
        first, second = rows.sums(self.n_rows)
        self.sums = self.sums[0] + first, self.sums[1] + second
        self.n_rows += rows.n_rows
        self.errors += _errors(scores, numbers, rows)
        return scores


def _errors(scores: Matrix, numbers: Any, rows: RowsMet) -> int:
    others = scores.copy()
    at = np.arange(numbers.size), numbers
    others[at] = -np.inf
    wrong = scores[at] <= others.max(axis=1)
    return int(np.count_nonzero(wrong & (rows.weights > 0.0) if rows.weights.size else wrong))
