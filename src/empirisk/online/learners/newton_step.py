"""The online Newton step."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import name_of, tasks_of
from empirisk.compiled import kernel
from empirisk.losses.exp_concavity import exp_concavity
from empirisk.losses.slopes import slope_bound
from empirisk.mirror_maps.quadratic_models import minimize_quadratic
from empirisk.online.game import Game
from empirisk.online.learners.matrix_steps import add_outer, add_to_inverse, times, to_gradient
from empirisk.online.learners.promise import NOTHING, UNBOUNDED, WITHIN, Met, Promise, none_because
from empirisk.online.learners.states import adopted
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported, Vector
from empirisk.update_rules.penalty_sums import charge

SURPRISE, SCORE, LABEL = range(3)  # places in `numbers`: the sum of <g, A^-1 g>, the largest |<w, x>| of the set, |y|
N_NUMBERS = 3


class NewtonState(NamedTuple):
    """A = eps I + sum g g^T with its inverse, and the point."""

    constraint: Any
    regularizer: Any
    gamma: float
    matrix: Vector
    inverted: Vector
    row: Vector
    image: Vector
    w: Vector
    w_sum: Vector  # of the points after each step
    penalty: Vector
    numbers: Vector

    def predict(self, X, i, s):
        """The score of row i, whose weight is s."""
        return X.dot_row(i, self.w)

    def update(self, loss, X, i, y, s, z, slope, square):
        """A step, which is projected where it leaves the set."""
        numbers, row = self.numbers, self.row
        to_gradient(X, i, 1.0, False, row)
        numbers[SCORE] = max(numbers[SCORE], self.constraint.conjugate(row))
        to_gradient(X, i, -1.0, False, row)
        numbers[SCORE] = max(numbers[SCORE], self.constraint.conjugate(row))
        numbers[LABEL] = max(numbers[LABEL], abs(y))
        to_gradient(X, i, slope, False, row)
        numbers[SURPRISE] += newton_move(
            self.regularizer, self.matrix, self.inverted, row, self.gamma, self.image, self.w
        )
        penalty = self.regularizer.value(self.w)
        for j in range(self.w.size):
            if penalty == math.inf:  # columns so unequal that the projection is lost: the next round overflows
                self.w[j] = math.nan
            self.w_sum[j] += self.w[j]
        charge(self.penalty, penalty)

    def point(self) -> LinearPoint:
        """What would be played next."""
        return LinearPoint(self.w.copy())

    def sum_of_points(self) -> LinearPoint:
        """That of the points after each step."""
        return LinearPoint(self.w_sum.copy())

    def penalties(self) -> float:
        """The sum of Omega at the points after each step."""
        return float(self.penalty.sum())


class NewtonStep(NamedTuple):
    """A <- A + g g^T from eps I, then w <- the minimiser of <g, w> + Omega(w) + gamma/2 ||w - w_k||_A^2.

    Without a penalty that is w - A^-1 g / gamma, projected in the norm of A. gamma = min(1 / (G D), alpha) / 2 and
    eps = 1 / (gamma D)^2, with G = `gradient`, a bound on every ||g||, D = `distance`, of which 0 stands for the
    diameter of the set, and alpha how much the loss bends for its slope at scores up to Z, exp(-Z) for the logistic
    loss, divided by `largest_weight`, that of any row. Z = `score`, of which 0 stands for the largest that rows within
    G can reach on the set. A round costs the square of the number of columns, and its cube where a step is projected.
    Use it on few columns that are correlated, in a small set: regret grows with log K alone, times exp(Z).
    Reference: Hazan, Agarwal and Kale (2007), theorem 2.
    """

    gradient: float = 1.0
    distance: float = 0.0
    score: float = 0.0
    largest_weight: float = 1.0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return (
            "loss.derivative",
            "loss.second_derivative",
            "convex",
            "regularizer.prox_scaled",
            "bounded constraint",
            "very few columns",
        )

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        for name in ("gradient", "largest_weight"):
            if not 0.0 < getattr(self, name) < math.inf:
                return f"{name} must be positive and finite, got {getattr(self, name)}"
        wrong = [name for name in ("distance", "score") if not 0.0 <= getattr(self, name) < math.inf]
        return f"{wrong[0]} must be a finite number >= 0, got {getattr(self, wrong[0])}" if wrong else ""

    def begin(self, game: Game, first: LinearPoint) -> NewtonState:
        """At w_1."""
        if game.fit_intercept:
            said = "newton_step needs a bounded set, and the intercept is free"
            raise Unsupported(f"{said}: fit_intercept=False, with a column of ones in its place")
        distance, alpha = self._distance(game), self._alpha(game)
        gamma = 0.5 * min(1.0 / (self.gradient * distance), alpha)
        eps = (1.0 / (gamma * distance)) ** 2
        w, eye = first.weights.copy(), np.eye(first.weights.size)
        row, image, w_sum = (np.zeros(w.size) for _ in range(3))
        arrays = eps * eye, eye / eps, row, image, w, w_sum, np.zeros(2), np.zeros(N_NUMBERS)
        return adopted(NewtonState(game.constraint, game.regularizer, gamma, *arrays))

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem, at every u of the set."""
        distance, score, numbers = self._distance(met.game), self._score(met.game), met.state.numbers
        if not math.isfinite(met.game.diameter):
            return none_because(UNBOUNDED)
        if met.game.diameter > distance * WITHIN:
            return none_because(f"the set has the diameter {met.game.diameter:.6g}, and distance is {distance:.6g}")
        if met.ledger.largest > self.gradient * WITHIN:
            return none_because(f"a round had ||g|| = {met.ledger.largest:.6g}, beyond G = {self.gradient:.6g}")
        if met.ledger.heaviest > self.largest_weight * WITHIN:
            said = f"a row had the weight {met.ledger.heaviest:.6g}, beyond largest_weight = {self.largest_weight:.6g}"
            return none_because(said)
        reached = float(numbers[SCORE])
        if "regression" in tasks_of(met.game.loss):
            reached = max(reached, float(numbers[LABEL]))
        if reached > score * WITHIN:
            return none_because(f"a score or label of {reached:.6g} was possible on the set, beyond {score:.6g}")
        return Promise((1.0 + float(numbers[SURPRISE])) / (2.0 * met.state.gamma))

    def beforehand(self, met: Met, u: LinearPoint) -> Promise:
        """What was promised before the first round: 2 (1 / alpha + G D) d log K, for d >= 2 columns and K >= 4."""
        d, k = met.game.n_columns, met.ledger.rounds
        if math.isnan(self.bound(met, u).value) or d < 2 or k < 4:
            return NOTHING
        reach = 1.0 / self._alpha(met.game) + self.gradient * self._distance(met.game)
        return Promise(2.0 * reach * d * math.log(k))

    def theorem(self) -> str:
        """In one sentence."""
        return (
            "Regret is at most max(G D, 1 / alpha) (1 + sum <g_k, A_k^-1 g_k>), which is at most 2 (1 / alpha + G D) d "
            "log K for d >= 2 and K >= 4 (Hazan, Agarwal and Kale 2007)."
        )

    def _distance(self, game: Game) -> float:
        found = self.distance if self.distance > 0.0 else game.diameter
        return found if found > 0.0 else 1.0  # a set of one point

    def _score(self, game: Game) -> float:
        if self.score > 0.0:
            return self.score
        steepest = slope_bound(game.loss)
        if not 0.0 < steepest < math.inf:
            said = f"newton_step needs score=..., the largest |<w, x>| on the set, because {name_of(game.loss)}"
            raise Unsupported(f"{said} has no largest slope to tell it from the gradient")
        return float(game.regularizer.norm_bound()) * self.gradient / steepest

    def _alpha(self, game: Game) -> float:
        score = self._score(game)
        alpha = exp_concavity(game.loss, -score, score) / self.largest_weight
        if not alpha > 0.0:
            said = f"newton_step needs a loss that bends wherever it slopes, and {name_of(game.loss)} does not"
            raise Unsupported(
                f"{said} at scores up to {score:.6g}: take a smaller set, or the logistic or squared loss"
            )
        return alpha


@kernel
def newton_move(omega, matrix, inverse, g, gamma, image, w):
    """Add g g^T to the matrix and move w; returns <g, A^-1 g>."""
    square = times(inverse, g, image)
    add_to_inverse(inverse, image, square)
    add_outer(matrix, g)
    square = times(inverse, g, image)
    v = np.empty(w.size)
    times(matrix, w, v)
    for j in range(w.size):
        v[j] = g[j] / gamma - v[j]
        w[j] -= image[j] / gamma
    if omega.value(w) != 0.0:  # where Omega is least too, nothing is better
        minimize_quadratic(matrix, v, 1.0 / gamma, omega, w)
    return square
