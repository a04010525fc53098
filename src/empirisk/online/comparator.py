"""The problem whose minimiser is the best fixed point in hindsight."""

from __future__ import annotations

from typing import Any

from empirisk.designs import matrix_of
from empirisk.online.game import Game
from empirisk.online.ledger import Ledger
from empirisk.online.rows_met import RowsMet
from empirisk.problems.empirical_risk import EmpiricalRisk


def risk_in_hindsight(game: Game, rows: RowsMet, constraint: Any, ledger: Ledger) -> EmpiricalRisk:
    """P with S P(u) = sum_k s_k loss_k(u) + K Omega(u): strengths are those of a round times K / S.

    Where the learner is charged once for its penalty, so is u, and K is 1.
    """
    share = ledger.charges / ledger.weight
    return EmpiricalRisk(
        matrix_of(rows.design),
        rows.labels,
        game.loss,
        l1=game.l1 * share,
        l2=game.l2 * share,
        constraint=constraint,
        sample_weight=rows.weights if rows.weights.size else None,
        fit_intercept=game.fit_intercept,
    )
