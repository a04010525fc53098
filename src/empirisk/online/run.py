"""A run of a learner: it goes on with every batch of rows, and keeps its account."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import name_of, offers, optional
from empirisk.compiled import adopt, quiet
from empirisk.designs import as_design, check_finite
from empirisk.online.game import Game, check_learner
from empirisk.online.learners.promise import Met
from empirisk.online.learners.states import copied, grown, with_arrays
from empirisk.online.ledger import Ledger
from empirisk.online.play import N_NUMBERS
from empirisk.online.regret import RegretAt, regret_curve, regret_of
from empirisk.online.regret_trace import RegretTrace, regret_trace
from empirisk.online.replay import account, losses_of
from empirisk.online.rounds import play_rows
from empirisk.online.rows_met import RowsMet, rows_met
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import scores_of
from empirisk.protocols import Unsupported, Vector
from empirisk.rows.fingerprint import Sums, digits_of


class Overflowed(ArithmeticError):
    """A score or a slope was no number any more; the state is that before the round."""


class Run:
    """A learner in the middle of a game.

    `learn` goes on; rows one at a time, in batches or all at once make the same bytes. `regret` says how much more was
    paid than by the best fixed point, beside the bound that the learner's theorem gives for these very rows.
    """

    def __init__(self, learner: Any, game: Game, first: LinearPoint) -> None:
        self.learner = learner
        self.game = game
        self.first = first  # w_1
        self.state = learner.begin(game, first)
        self.numbers = np.zeros(N_NUMBERS)
        self.n_rows = 0  # those of weight zero included
        self.sums: Sums = (0, 0)  # of the fingerprint

    def __setstate__(self, fields: dict[str, Any]) -> None:
        """As pickle has it; in a new process kernels know the classes of the parts once a game has begun."""
        self.__dict__.update(fields)
        adopt(self.game.loss, self.game.regularizer)
        self.learner.begin(self.game, self.first)

    @property
    def n_columns(self) -> int:
        """Of the rows."""
        return self.game.n_columns

    @property
    def ledger(self) -> Ledger:
        """What was paid so far, and the sums that bounds are made of."""
        return account(self.game, self.first, self.state, self.numbers)

    @property
    def fingerprint(self) -> str:
        """Of all rows so far, with labels and weights: that of the same rows in one table."""
        return digits_of(self.sums, self.n_rows, self.n_columns)

    def learn(self, X: Any, y: Any, sample_weight: Any = None) -> Vector:
        """Play a round for each row, in their order; the scores that were answered, each before its label was seen."""
        return self.learn_rows(self._checked(X, y, sample_weight))

    def learn_rows(self, rows: RowsMet) -> Vector:
        """The same for rows that are checked already."""
        scores, has_intercept = np.empty(rows.n_rows), self.game.fit_intercept
        with quiet():
            played = play_rows(self.game.loss, self.state, rows, has_intercept, scores, self.numbers)
        if played < rows.n_rows:
            self._count(rows.part(played))
            at = self.n_rows + 1
            ending = optional(self.state, "ending")
            said = f"row {at} overflowed: its score, loss or gradient; scale the columns, or take shorter steps"
            raise Overflowed(said if ending is None else ending() or said)
        self._count(rows)
        return scores

    def point(self) -> LinearPoint:
        """What would be played next."""
        found: LinearPoint = self.state.point()
        return found

    def average(self) -> LinearPoint:
        """The mean of w_1, ..., w_K as played; w_1 before the first round."""
        rounds = self.ledger.rounds
        if not offers(self.state, "sum_of_points"):
            raise Unsupported(f"{name_of(self.learner)} plays no single point of which there is a mean")
        if rounds == 0:
            return self.first
        after, last = self.state.sum_of_points().stacked(), self.point().stacked()
        return LinearPoint.of((self.first.stacked() + (after - last)) / rounds)

    def loss_of_average(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The mean loss of the average on other rows, such as a test set; nothing is learned."""
        rows, point = self._checked(X, y, sample_weight), self.average()
        losses = losses_of(self.game.loss, scores_of(rows.design, point.weights, float(point.intercept)), rows)
        weight = math.fsum(rows.weights) if rows.weights.size else float(rows.n_rows)
        if weight == 0.0:
            raise ValueError("there is no mean loss of no rows")
        return math.fsum(losses) / weight

    def scores(self, X: Any) -> Vector:
        """Scores at the present point; nothing is learned."""
        design = as_design(X)
        check_finite(design)
        self._check_columns(design.n_columns())
        own = optional(self.state, "scores")
        if own is not None:
            found: Vector = own(design)
            return found
        point = self.point()
        return scores_of(design, point.weights, point.intercept)

    def met(self) -> Met:
        """What a bound sees of it."""
        settled = copied(self.state)
        return Met(self.game, self.ledger, settled, self.first)

    def grow(self, n_columns: int) -> None:
        """More columns, which no row has had so far."""
        if n_columns <= self.n_columns:
            return
        weights = np.append(self.first.weights, np.zeros(n_columns - self.n_columns))
        first, game = LinearPoint(weights, self.first.intercept), self.game.with_columns(n_columns)
        check_learner(self.learner, game)
        state = grown(self.state, self.learner.begin(game, first), self.n_columns)
        self.first, self.game, self.state = first, game, state

    def go_on_from(self, arrays: dict[str, NDArray[Any]], numbers: Vector, n_rows: int, sums: Sums) -> None:
        """Take the place of a run of the same game that had these arrays of its state, and this account."""
        state = with_arrays(self.state, {name: array.copy() for name, array in arrays.items()})
        self.state, self.numbers, self.n_rows, self.sums = state, numbers.copy(), n_rows, sums

    def again(self) -> Run:
        """The same game from its beginning."""
        return Run(self.learner, self.game, self.first)

    def regret(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        against: Any = None,
        rounds: Any = None,
        tol: float = 1e-6,
    ) -> Any:
        """Regret against the best point of these rows, which must be the run's own, or of the set `against`.

        A `RegretBound`; where `rounds` are given, the list of `regret_curve` after these.
        """
        if rounds is not None:
            return self.regret_curve(X, y, sample_weight, at=rounds, against=against, tol=tol)
        return regret_of(self, rows_met(X, y, sample_weight, self.game.loss), against=against, tol=tol)

    def trace(self, X: Any, y: Any, sample_weight: Any = None, *, against: Any = None) -> RegretTrace:
        """How far each round moved, and the inequality of its proof, at the best point; see `regret_trace`."""
        rows = rows_met(X, y, sample_weight, self.game.loss)
        bound = regret_of(self, rows, against=against)
        return regret_trace(self.learner, self.game, self.first, rows, LinearPoint(bound.weights, bound.intercept))

    def regret_curve(self, X: Any, y: Any, sample_weight: Any = None, **options: Any) -> list[RegretAt]:
        """The regret after 1, 2, 4, ... rounds of these rows, or after those `at`; see `regret.regret_curve`."""
        return regret_curve(self, rows_met(X, y, sample_weight, self.game.loss), **options)

    def _checked(self, X: Any, y: Any, sample_weight: Any) -> RowsMet:
        rows = rows_met(X, y, sample_weight, self.game.loss, self.n_rows)
        self._check_columns(rows.n_columns)
        return rows

    def _check_columns(self, found: int) -> None:
        if found != self.n_columns:
            raise ValueError(f"X has {found} column(s), and the run has {self.n_columns}")

    def _count(self, rows: RowsMet) -> None:
        first, second = rows.sums(self.n_rows)
        self.sums = self.sums[0] + first, self.sums[1] + second
        self.n_rows += rows.n_rows
