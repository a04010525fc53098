"""The front door: play a game on rows at hand."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from empirisk.capabilities import offers
from empirisk.designs import as_design
from empirisk.online.game import check_learner, game_of
from empirisk.online.learners import as_learner
from empirisk.online.run import Run
from empirisk.other_packages import hinting
from empirisk.problems.linear_point import LinearPoint, point_like

logger = logging.getLogger("empirisk")


@hinting
def learn(
    X: Any,
    y: Any,
    learner: Any = "mixture",
    *,
    loss: Any = "logistic",
    l1: float = 0.0,
    l2: float = 0.0,
    constraint: Any = None,
    sample_weight: Any = None,
    fit_intercept: bool = True,
    start: Any = None,
) -> Run:
    """Play a round for each row of X, in their order; the run goes on with `run.learn(X, y)`.

    The mixture, which is the default, takes neither penalty nor constraint: with one, name a learner such as "adagrad".
    `l1` and `l2` are charged in every round. Labels of classification losses are -1 and +1. `start` is a pair (weights,
    intercept) for w_1, zero unless given; what lies outside of the constraint is projected onto it.
    """
    run = begin(as_design(X).n_columns(), learner, loss, l1, l2, constraint, fit_intercept, start)
    run.learn(X, y, sample_weight)
    return run


def begin(
    n_columns: int,
    learner: Any,
    loss: Any,
    l1: float = 0.0,
    l2: float = 0.0,
    constraint: Any = None,
    fit_intercept: bool = True,
    start: Any = None,
    quietly: bool = False,
) -> Run:
    """A run that has met no row yet; a start that is projected is logged, unless `quietly`."""
    learner = as_learner(learner)
    game = game_of(loss, l1, l2, constraint, fit_intercept, n_columns)
    check_learner(learner, game)
    first = LinearPoint(np.zeros(n_columns))
    if start is not None:
        first = point_like(first, start, fit_intercept)
    elif offers(learner, "first"):
        first = learner.first(game, first)
    weights = first.weights.copy()
    if game.constraint is not None:
        game.constraint.prox(weights, 1.0, weights)
        if not quietly and not np.array_equal(weights, first.weights):
            logger.warning("w_1 lies outside of the constraint: the run begins at the nearest point of it")
    return Run(learner, game, LinearPoint(weights, float(first.intercept)))
