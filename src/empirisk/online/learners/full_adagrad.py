"""AdaGrad with a full matrix."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic.copying import fill
from empirisk.compiled import adopt, kernel
from empirisk.mirror_maps.quadratic_models import minimize_quadratic
from empirisk.online.game import Game
from empirisk.online.learners.matrix_steps import BesideFree, add_outer, to_gradient
from empirisk.online.learners.promise import UNBOUNDED, Met, Promise, none_because
from empirisk.online.learners.states import adopted
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Array, Vector
from empirisk.update_rules.penalty_sums import charge

LOST = 2.0**-52  # of the largest eigenvalue, times their number: what is less is rounding


class FullAdagradState(NamedTuple):
    """H = sum g g^T and the point; the last coordinate is the intercept's, and zero without one."""

    regularizer: Any
    alpha: float
    has_intercept: bool
    matrix: Vector
    row: Vector
    begun: Vector  # w_1
    w: Vector
    w_sum: Vector  # of the points after each step
    penalty: Vector
    furthest: Vector  # ||w_k - w_1||^2

    def predict(self, X, i, s):
        """The score of row i, whose weight is s."""
        return X.dot_row(i, self.w) + self.w[self.w.size - 1]

    def update(self, loss, X, i, y, s, z, slope, square):
        """A step, and the projection."""
        w = self.w
        to_gradient(X, i, slope, self.has_intercept, self.row)
        root_move(self.regularizer, self.matrix, self.row, self.alpha, w)
        apart = 0.0
        for j in range(w.size):
            self.w_sum[j] += w[j]
            apart += (w[j] - self.begun[j]) * (w[j] - self.begun[j])
        self.furthest[0] = max(self.furthest[0], apart)
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

    def root_of_squares(self) -> Array:
        """H^(1/2), the intercept's coordinate the last."""
        values, vectors = np.linalg.eigh(self.matrix)
        root: Array = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        return root


class FullAdagrad(NamedTuple):
    """H <- H + g g^T, then w <- the minimiser of <g, w> + Omega(w) + ||w - w_k||^2 / (2 alpha) in the norm of H^(1/2).

    Without a penalty that is w - alpha H^(-1/2) g, projected in that norm. Nothing is added to H: where it has no
    inverse, g has no part either (0/0 = 0). A round costs the cube of the number of columns.
    Use it to see what correlations between few columns are worth beside `adagrad`, which is this with the diagonal.
    Reference: Duchi, Hazan and Singer (2011), theorem 7.
    """

    alpha: float = 1.0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "convex", "regularizer.prox_scaled", "very few columns")

    def refusal(self) -> str:
        """Why these numbers cannot be, or nothing."""
        return "" if 0.0 < self.alpha < math.inf else f"alpha must be positive and finite, got {self.alpha}"

    def begin(self, game: Game, first: LinearPoint) -> FullAdagradState:
        """At w_1."""
        omega = BesideFree(game.regularizer)
        adopt(omega)
        w = first.stacked()
        arrays = np.zeros((w.size, w.size)), np.zeros(w.size), w.copy(), w.copy(), np.zeros(w.size)
        return adopted(FullAdagradState(omega, self.alpha, game.fit_intercept, *arrays, np.zeros(2), np.zeros(1)))

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem at u; None asks for the worst u of the set."""
        reach = met.game.diameter
        if u is not None:
            reach = min(reach, met.distance(u) + math.sqrt(float(met.state.furthest[0])))
        if not math.isfinite(reach):
            return none_because(f"for all comparators together, {UNBOUNDED}")
        return Promise((reach**2 / (2.0 * self.alpha) + self.alpha) * float(np.trace(met.state.root_of_squares())))

    def theorem(self) -> str:
        """In one sentence."""
        return (
            "Regret is at most (D^2 / (2 alpha) + alpha) tr H^(1/2), D the largest ||u - w_k||: sqrt(2) D tr H^(1/2) "
            "at alpha = D / sqrt(2) (Duchi, Hazan and Singer 2011)."
        )


@kernel
def root_move(omega, matrix, g, alpha, w):
    """Add g g^T to the matrix H, and move w in the norm of H^(1/2) / alpha."""
    size = w.size
    add_outer(matrix, g)
    largest = 0.0
    for j in range(size):
        largest = max(largest, matrix[j, j])
    if not math.isfinite(largest):
        fill(w, math.nan)  # the next score is no number, and that ends the game
        return
    values, vectors = np.linalg.eigh(matrix)
    least = LOST * size * values[size - 1]
    norm, pulls, v = np.zeros((size, size)), np.zeros(size), np.zeros(size)
    for e in range(size):
        if values[e] > least:
            root, along = math.sqrt(values[e]) / alpha, 0.0
            for j in range(size):
                along += vectors[j, e] * g[j]
                for k in range(size):
                    norm[j, k] += root * vectors[j, e] * vectors[k, e]
            for j in range(size):
                pulls[j] += along / root * vectors[j, e]
    for j in range(size):
        v[j] = g[j]
        for k in range(size):
            v[j] -= norm[j, k] * w[k]
    for j in range(size):
        w[j] -= pulls[j]
    if omega.value(w) != 0.0:  # where Omega is least too, nothing is better
        minimize_quadratic(norm, v, 1.0, omega, w)
