"""The proof of a regret bound, watched on a run: an inequality in every round, and how far the point moved.

Where w_{k+1} minimises <g_k, w> + Omega(w) + 1/2 sum_j h_j (w_j - w_kj)^2, as in gradient descent with h = 1 / t and in
AdaGrad, every u of the set has

    1/2 ||w_{k+1} - u||_h^2 + Omega(w_{k+1}) <= 1/2 ||w_k - u||_h^2 - <g_k, w_k - u> + 1/2 ||g_k||_{1/h}^2 + Omega(u)

which times 2 t is ||w_{k+1} - u||^2 <= ||w_k - u||^2 - 2 t <g_k, w_k - u> + t^2 ||g_k||^2 for a projected step. Added
up it is the theorem.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import offers
from empirisk.designs import matrix_of
from empirisk.online.game import Game
from empirisk.online.play import N_NUMBERS, play
from empirisk.online.rows_met import RowsMet
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported, Vector

ROUNDING = 2.0**-36  # of the numbers that meet in a round


class RegretTrace(NamedTuple):
    """A number for each round."""

    gradients: Vector  # ||g_k||
    moves: Vector  # ||w_{k+1} - w_k||
    left: Vector  # the two sides of the inequality; nan in rounds that have none, such as restarts
    right: Vector
    sizes: Vector  # of the numbers that meet in it: what its rounding is relative to

    @property
    def is_checked(self) -> bool:
        """Whether there was a round with an inequality."""
        return not bool(np.isnan(self.left).all())

    @property
    def holds(self) -> bool:
        """Whether the inequality held in every round that has one, up to rounding."""
        return self.first_violation == 0

    @property
    def first_violation(self) -> int:
        """The first round in which it did not, counted from 1; 0 for none."""
        broken = self.left > self.right + ROUNDING * self.sizes
        return int(np.argmax(broken)) + 1 if bool(broken.any()) else 0

    def sentence(self) -> str:
        """The verdict in words."""
        if not self.is_checked:
            return "this learner has no inequality in each round"
        found = "held in every round" if self.holds else f"did NOT hold in round {self.first_violation}"
        return f"||w_(k+1) - u||^2 <= ||w_k - u||^2 - 2 t <g_k, w_k - u> + t^2 ||g_k||^2 {found}"


def regret_trace(learner: Any, game: Game, first: LinearPoint, rows: RowsMet, u: LinearPoint) -> RegretTrace:
    """Play the game again, row by row, and compare both sides of the inequality at u; for study: a round costs O(d).

    `moves` are those of the point that would be played next, as `run.point()` has it.
    """
    omega, table = game.regularizer, matrix_of(rows.design)
    at_u = float(omega.value(u.weights))
    if math.isinf(at_u):
        raise Unsupported("the comparator lies outside of the learner's own set, where the inequality says nothing")
    state, numbers, score, lines = learner.begin(game, first), np.zeros(N_NUMBERS), np.empty(1), []
    before = state.point()
    for i in range(rows.n_rows):
        s = float(rows.weights[i]) if rows.weights.size else 1.0
        row = rows.part(i + 1, i)
        if play(game.loss, state, row.design, row.labels, row.weights, game.fit_intercept, score, numbers) < 1:
            raise Unsupported(f"the score of row {i + 1} overflows")
        if s == 0.0:
            continue
        after = state.point()
        slope = s * float(game.loss.derivative(float(score[0]), float(rows.labels[i])))
        entries = table[[i]].toarray()[0] if not isinstance(table, np.ndarray) else table[i].astype(np.float64)
        g = slope * np.append(entries, 1.0 if game.fit_intercept else 0.0)
        h = state.metric() if offers(state, "metric") else np.empty(0)
        moved = float(np.linalg.norm(after.stacked() - before.stacked()))
        sides = _sides(before, after, u, g, h, float(omega.value(after.weights)), at_u) if h.size else (math.nan,) * 3
        lines.append((float(np.linalg.norm(g)), moved, *sides))
        before = after
    return RegretTrace(*np.array(lines).reshape(-1, 5).T)


def _sides(
    before: LinearPoint, after: LinearPoint, u: LinearPoint, g: Vector, h: Vector, at_next: float, at_u: float
) -> tuple[float, float, float]:
    """Left, right, and the sum of the sizes of their terms."""
    apart, next_apart = before.stacked() - u.stacked(), after.stacked() - u.stacked()
    old, new = 0.5 * float(h @ apart**2), 0.5 * float(h @ next_apart**2)
    inner, square = float(g @ apart), 0.5 * float((g / h) @ g)
    reach = float(h @ (before.stacked() ** 2 + after.stacked() ** 2 + u.stacked() ** 2))
    sizes = old + new + reach + float(np.abs(g) @ np.abs(apart)) + square + abs(at_next) + abs(at_u)
    return new + at_next, old - inner + square + at_u, sizes
