"""Any learners side by side: each answers every row, is told its own loss, and has an account of its own.

They are nested pairs of a lane and those behind it, because the states of two learners have different types: kernels
follow the nesting by type, and a loop over them could not be compiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import offers, optional
from empirisk.online.game import Game
from empirisk.online.learners.states import adopted
from empirisk.online.play import N_NUMBERS, enter
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import scores_of
from empirisk.protocols import Matrix, Vector


class NoLanes(NamedTuple):
    """Behind the last one; a tuple without a field cannot be compiled."""

    nothing: float = 0.0

    def answer_all(self, X, i, s, answers, k):
        """There is nobody to ask."""

    def learn_all(self, loss, X, i, y, s, norm, answers, slopes, k):
        """There is nobody to tell."""


class Lanes(NamedTuple):
    """The state of a learner, what it would have paid alone, and those behind it."""

    head: Any
    account: Vector  # as `play` keeps one
    tail: Any

    def answer_all(self, X, i, s, answers, k):
        """The answers to row i of lane k and of those behind it."""
        answers[k] = self.head.predict(X, i, s)
        self.tail.answer_all(X, i, s, answers, k + 1)

    def learn_all(self, loss, X, i, y, s, norm, answers, slopes, k):
        """Each learns from its own answer; `norm` is ||x_i||^2, with the intercept's one."""
        square = slopes[k] * slopes[k] * norm
        enter(self.account, s, s * loss.value(answers[k], y), square, y * answers[k] <= 0.0)
        self.head.update(loss, X, i, y, s, answers[k], slopes[k], square)
        self.tail.learn_all(loss, X, i, y, s, norm, answers, slopes, k + 1)

    def lane_points(self) -> list[LinearPoint]:
        """What each would play next."""
        return [lane.head.point() for lane in each(self)]

    def lane_scores(self, design: Any) -> Matrix:
        """What each would answer to these rows, a column a lane."""
        return np.column_stack([_scores(lane.head, design) for lane in each(self)])


def lanes_of(learners: tuple[Any, ...], game: Game, first: LinearPoint) -> Any:
    """Each at its own beginning."""
    lanes: Any = adopted(NoLanes())
    for learner in reversed(learners):
        lanes = adopted(Lanes(learner.begin(game, first_of(learner, game, first)), np.zeros(N_NUMBERS), lanes))
    return lanes


def first_of(learner: Any, game: Game, first: LinearPoint) -> LinearPoint:
    """Where a learner begins that is given no start."""
    found: LinearPoint = learner.first(game, first) if offers(learner, "first") else first
    return found


def each(lanes: Any) -> Iterator[Lanes]:
    """One after the other."""
    while isinstance(lanes, Lanes):
        yield lanes
        lanes = lanes.tail


def _scores(state: Any, design: Any) -> Vector:
    own = optional(state, "scores")
    if own is not None:
        found: Vector = own(design)
        return found
    point = state.point()
    return scores_of(design, point.weights, point.intercept)
