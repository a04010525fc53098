"""The best point so far, round after round: from the moments of the squared loss, or by `minimize`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import has_constant_curvature
from empirisk.compiled import adopt
from empirisk.driver import minimize
from empirisk.mirror_maps.quadratic_models import minimize_quadratic
from empirisk.online.game import Game
from empirisk.online.learners.matrix_steps import BesideFree, add_outer, to_gradient
from empirisk.online.learners.states import adopted
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Array, Unsupported, Vector
from empirisk.update_rules.penalty_sums import charge

# Places in `numbers`: the rounds, the sum of s (loss_k(w_k) - loss_k(w_{k+1})), and that of what the minimisers of the
# prefixes leave to be gained.
ROUNDS, MOVES, LEFT = range(3)
N_NUMBERS = 3
MOST_ROUNDS = 1000  # that are minimised anew in every round
TOL = 1e-13  # of a minimum, which mostly ends at the limit of floating point


class MomentLeader(NamedTuple):
    """Squared loss: the minimiser of <v, w> + <w, A w> / 2 + k Omega(w), A = sum s x x^T and v = -sum s y x."""

    regularizer: Any
    has_intercept: bool
    matrix: Vector
    v: Vector
    row: Vector
    w: Vector  # the last one is the intercept
    w_sum: Vector  # of the points after each step
    penalty: Vector
    numbers: Vector

    def predict(self, X, i, s):
        """The score of row i, whose weight is s."""
        return X.dot_row(i, self.w) + self.w[self.w.size - 1]

    def update(self, loss, X, i, y, s, z, slope, square):
        """The next leader."""
        w, numbers = self.w, self.numbers
        numbers[ROUNDS] += 1.0
        to_gradient(X, i, s * loss.derivative(0.0, y), self.has_intercept, self.row)
        for j in range(w.size):
            self.v[j] += self.row[j]
        to_gradient(X, i, math.sqrt(s * loss.smoothness()), self.has_intercept, self.row)
        add_outer(self.matrix, self.row)
        minimize_quadratic(self.matrix, self.v, numbers[ROUNDS], self.regularizer, w)
        after = X.dot_row(i, w) + w[w.size - 1]
        numbers[MOVES] += s * (loss.value(z, y) - loss.value(after, y))
        for j in range(w.size):
            self.w_sum[j] += w[j]
        charge(self.penalty, self.regularizer.value(w))

    def point(self) -> LinearPoint:
        """What would be played next."""
        return LinearPoint.of(self.w.copy())

    def sum_of_points(self) -> LinearPoint:
        """That of the points after each step."""
        return LinearPoint.of(self.w_sum.copy())

    def penalties(self) -> float:
        """The sum of Omega at the points after each step."""
        return float(self.penalty.sum())


class PrefixLeader(NamedTuple):
    """The rows so far, which are minimised anew in every round: by Python, for study."""

    regularizer: Any
    constraint: Any  # that it is made of, or None
    l1: float
    l2: float
    met: Array  # rows, as many as there is room for
    answered: Vector  # their labels
    importance: Vector  # their weights
    w: Vector
    w_sum: Vector  # of the points after each step
    penalty: Vector
    numbers: Vector

    def is_interpreted(self) -> bool:
        """It calls `minimize`, which no kernel can."""
        return True

    def predict(self, X: Any, i: int, s: float) -> float:
        """The score of row i, whose weight is s; no number where there is no more room."""
        return math.nan if self.is_full() else float(X.dot_row(i, self.w))

    def is_full(self) -> bool:
        """Whether it has met as many rows as it can keep."""
        return int(self.numbers[ROUNDS]) >= self.met.shape[0]

    def ending(self) -> str:
        """Why it plays no more, if it is for another reason than a number that overflowed."""
        said = f"follow_the_leader:exact=true keeps {self.met.shape[0]} rows at most, to minimise them in every round"
        return f"{said}: give it fewer, or take the squared loss" if self.is_full() else ""

    def update(self, loss: Any, X: Any, i: int, y: float, s: float, z: float, slope: float, square: float) -> None:
        """The next leader."""
        k = int(self.numbers[ROUNDS])
        X.add_row(i, 1.0, self.met[k])
        self.answered[k], self.importance[k] = y, s
        self.numbers[ROUNDS] = k + 1.0
        total = float(self.importance.sum())
        share = (k + 1.0) / total
        problem = EmpiricalRisk(
            self.met[: k + 1],
            self.answered[: k + 1],
            loss,
            l1=self.l1 * share,
            l2=self.l2 * share,
            constraint=self.constraint,
            sample_weight=self.importance[: k + 1],
            fit_intercept=False,
        )
        solution = minimize(problem, tol=TOL, start=LinearPoint(self.w))
        self.numbers[LEFT] += total * float(solution.certificate.gap)
        self.w[:] = solution.point.weights
        self.w_sum[:] += self.w
        self.numbers[MOVES] += s * (loss.value(z, y) - loss.value(float(X.dot_row(i, self.w)), y))
        self.penalty[0] += self.regularizer.value(self.w)

    def point(self) -> LinearPoint:
        """What would be played next."""
        return LinearPoint(self.w.copy())

    def sum_of_points(self) -> LinearPoint:
        """That of the points after each step."""
        return LinearPoint(self.w_sum.copy())

    def penalties(self) -> float:
        """The sum of Omega at the points after each step."""
        return float(self.penalty.sum())


def exact_leader(game: Game, first: LinearPoint) -> MomentLeader | PrefixLeader:
    """At w_1."""
    d = first.weights.size
    if has_constant_curvature(game.loss):
        omega = BesideFree(game.regularizer)
        adopt(omega)
        arrays = np.zeros((d + 1, d + 1)), np.zeros(d + 1), np.zeros(d + 1), first.stacked(), np.zeros(d + 1)
        leader: MomentLeader = adopted(
            MomentLeader(omega, game.fit_intercept, *arrays, np.zeros(2), np.zeros(N_NUMBERS))
        )
        return leader
    is_held = math.isfinite(game.regularizer.norm_bound()) or game.l2 > 0.0
    if game.fit_intercept or not is_held:
        said = "follow_the_leader:exact=true needs the squared loss, or a bounded constraint or l2 > 0"
        raise Unsupported(f"{said} with fit_intercept=False: else the best point so far may be nowhere")
    arrays = np.zeros((MOST_ROUNDS, d)), np.zeros(MOST_ROUNDS), np.zeros(MOST_ROUNDS), first.weights.copy(), np.zeros(d)
    parts = game.regularizer, game.constraint, game.l1, game.l2
    return PrefixLeader(*parts, *arrays, np.zeros(2), np.zeros(N_NUMBERS))
