"""A run over rows whose columns are not known before they come."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.capabilities import name_of, offers
from empirisk.designs import CSR
from empirisk.designs.as_design import rows_between
from empirisk.online.game import Game
from empirisk.online.learners.states import arrays_of, cut
from empirisk.online.ledger import Ledger
from empirisk.online.rows_met import RowsMet
from empirisk.online.run import Run
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported, Vector
from empirisk.rows.fingerprint import Sums

LEAST_ROOM = 16


def room_for(n_features: int) -> int:
    """How many columns a run is given that has met so many: a power of two, so that it seldom grows."""
    return max(LEAST_ROOM, 1 << max(0, n_features - 1).bit_length())


class OpenRun:
    """A run that is given room when a row asks for it, before that row is played.

    When it grows is decided by the rows alone, never by how many are at hand: so they make the same bytes one at a time
    and all at once.
    """

    def __init__(self, run: Run, n_features: int) -> None:
        self.run = run
        self.n_features = n_features  # columns that occurred, or had a weight at the start

    @property
    def n_rows(self) -> int:
        """Those of weight zero included."""
        return self.run.n_rows

    @property
    def sums(self) -> Sums:
        """Of the fingerprint."""
        return self.run.sums

    @property
    def ledger(self) -> Ledger:
        """What was paid so far."""
        return self.run.ledger

    @property
    def learner(self) -> Any:
        """Who plays."""
        return self.run.learner

    @property
    def is_in_step(self) -> bool:
        """True: there is one run."""
        return True

    def learn(self, rows: RowsMet) -> Vector:
        """Play a round for each of these sparse rows; the scores that were answered."""
        scores, first = [], 0
        while first < rows.n_rows:
            self._make_room(rows.design, first)
            last = self._first_beyond(rows.design, first)
            scores.append(self._learn_here(rows.part(last, first)))
            first = last
        return np.concatenate([np.empty(0), *scores])

    def closed(self) -> Run:
        """The run on the columns that occurred, at least one: as if they had been known before the first row."""
        n_columns, run = max(1, self.n_features), self.run
        first = LinearPoint(run.first.weights[:n_columns].copy(), run.first.intercept)
        found = Run(run.learner, run.game.with_columns(n_columns), first)
        found.go_on_from(arrays_of(cut(run.state, found.state, n_columns)), run.numbers, run.n_rows, run.sums)
        return found

    def _learn_here(self, rows: RowsMet) -> Vector:
        before = self.run.n_rows
        try:
            return self.run.learn_rows(rows)
        finally:  # the rows that were played, where one overflowed
            played = rows_between(rows.design, 0, self.run.n_rows - before)
            self.n_features = max(self.n_features, n_columns_of(played))

    def _make_room(self, design: CSR, row: int) -> None:
        needed = n_columns_of(rows_between(design, row, row + 1))
        if needed > self.run.n_columns:
            self.run.grow(room_for(needed))

    def _first_beyond(self, design: CSR, row: int) -> int:
        """The first row from this one on that there is no room for, or one more than there are."""
        start = design.starts[row]
        beyond = design.indices[start : design.starts[-1]] >= self.run.n_columns
        if not beyond.any():
            return int(design.n_rows())
        return int(np.searchsorted(design.starts, start + np.argmax(beyond), side="right")) - 1


def n_columns_of(design: Any) -> int:
    """One more than the last column of these sparse rows that is stored."""
    indices = design.indices[design.starts[0] : design.starts[-1]]
    return int(indices.max()) + 1 if indices.size else 0


def check_open(learner: Any, game: Game) -> None:
    """Refuse what depends on columns that are not known yet."""
    if game.constraint is not None:
        zero = np.zeros(2)
        game.constraint.prox(zero, 1.0, zero)
        if np.any(zero):
            said = "the constraint excludes weights of zero, which the columns of a stream have until they occur"
            raise Unsupported(said)
    if offers(learner, "first") and np.any(learner.first(game, LinearPoint(np.zeros(game.n_columns))).weights):
        raise Unsupported(
            f"{name_of(learner)} begins at weights of its own, and a stream tells its columns as they come"
        )
    few, more = (learner.begin(game.with_columns(d), LinearPoint(np.zeros(d))) for d in (1, 2))
    omega = type(game.regularizer)  # knows its columns, and treats each as if they were all
    if _plain(few, omega) != _plain(more, omega):
        said = (
            f"the steps of {name_of(learner)} depend on how many columns there are, and a stream tells that at its end"
        )
        raise Unsupported(f"{said}: give it steps that do not, such as distance=... of gradient_descent on a box")
    sizes = zip(arrays_of(few).values(), arrays_of(more).values(), strict=True)
    grows = [pair for a, b in sizes for pair in zip(a.shape, b.shape, strict=True) if pair[0] != pair[1]]
    if any(after - before != 1 for before, after in grows):
        raise Unsupported(f"{name_of(learner)} cannot be given more columns once it has begun, as a stream asks for")


def _plain(state: Any, left_out: type) -> list[Any]:
    """The numbers of a state that are in no array, those of its parts included, but for a part of this kind."""
    found: list[Any] = []
    for value in state:
        if isinstance(value, tuple):
            found.append(_plain(value, left_out) if type(value) is not left_out else None)
        elif not isinstance(value, np.ndarray):
            found.append(value)
    return found
