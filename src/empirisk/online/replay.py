"""A game from its beginning, and the account of a game wherever it stands."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.capabilities import offers
from empirisk.compiled import kernel
from empirisk.online.game import Game
from empirisk.online.learners.promise import Met
from empirisk.online.learners.states import copied
from empirisk.online.ledger import Ledger, ledger_of
from empirisk.online.play import LOSS, LOSS_REST, N_NUMBERS, ROUNDS
from empirisk.online.rounds import play_rows
from empirisk.online.rows_met import RowsMet
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Vector


def losses_of(loss: Any, scores: Vector, rows: RowsMet) -> Vector:
    """s loss(z, y) of each row at these scores; zero at rows of weight zero."""
    losses = np.empty(rows.n_rows)
    _write_losses(loss, scores, rows.labels, rows.weights, losses)
    return losses


def account(game: Game, first: LinearPoint, state: Any, numbers: Vector) -> Ledger:
    """What was paid. A learner sums Omega at the points after its steps; those that were played begin with w_1."""
    penalty = 0.0
    if not game.is_free:
        penalty = game.charge(first.weights) + state.penalties() - game.charge(state.point().weights)
    rounds = int(numbers[ROUNDS])
    charges = state.n_charges(rounds) if offers(state, "n_charges") else rounds
    looks_first = offers(state, "looks_first") and state.looks_first()
    moved = state.longest_move() if offers(state, "longest_move") else None
    return ledger_of(numbers, max(0.0, float(penalty)), charges, moved, looks_first)


def replayed(learner: Any, game: Game, first: LinearPoint, rows: RowsMet) -> Met | None:
    """The game on these rows, its losses summed exactly from the scores; None where a number overflows."""
    state, numbers, scores = learner.begin(game, first), np.zeros(N_NUMBERS), np.empty(rows.n_rows)
    with np.errstate(all="ignore"):
        if play_rows(game.loss, state, rows, game.fit_intercept, scores, numbers) < rows.n_rows:
            return None
        losses = losses_of(game.loss, scores, rows)
    try:
        numbers[[LOSS, LOSS_REST]] = math.fsum(losses), 0.0
    except OverflowError:  # of the sum of finite losses
        return None
    return Met(game, account(game, first, state, numbers), copied(state), first)


@kernel(exact=True)
def _write_losses(loss, z, y, weights, out):
    for i in range(z.size):
        s = weights[i] if weights.size else 1.0
        out[i] = s * loss.value(z[i], y[i]) if s > 0.0 else 0.0
