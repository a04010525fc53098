"""Steps by a mirror map, agile or lazy: what mirror descent, the regularized leader and multiplied weights share."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import offers
from empirisk.compiled import adopt
from empirisk.mirror_maps import Euclidean, SignedEntropic
from empirisk.online.game import Game
from empirisk.online.learners.promise import Met, Promise, none_because
from empirisk.online.learners.states import adopted
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported, Vector
from empirisk.update_rules.penalty_sums import charge

# Places in `numbers`: the intercept, the sum of those after each step, the steps; the sums of ||g||_*^2 and of
# <g, w_k - w_{k+1}>; the largest ||g||_*^2 and ||w_{k+1} - w_k||^2.
INTERCEPT, INTERCEPT_SUM, STEPS, SQUARES, MOVES, LARGEST, FARTHEST = range(7)
N_NUMBERS = 7


class MirrorState(NamedTuple):
    """The point, and the vector v of which it is the minimiser of <v, w> + step Omega(w) + psi(w)."""

    mirror: Any
    regularizer: Any
    t: float
    is_lazy: bool  # v sums all gradients, and Omega counts once for each round; else v starts at the last point
    has_intercept: bool
    w: Vector
    v: Vector
    before: Vector  # the point before the last step
    w_sum: Vector  # of the points after each step
    penalty: Vector
    numbers: Vector

    def predict(self, X, i, s):
        """The score of row i, whose weight is s."""
        return X.dot_row(i, self.w) + self.numbers[INTERCEPT]

    def update(self, loss, X, i, y, s, z, slope, square):
        """The next point; a step over all columns."""
        w, v, before, numbers = self.w, self.v, self.before, self.numbers
        numbers[STEPS] += 1.0
        square = slope * slope * (self.mirror.dual_square(X, i) + (1.0 if self.has_intercept else 0.0))
        numbers[SQUARES] += square
        numbers[LARGEST] = max(numbers[LARGEST], square)
        if not self.is_lazy:
            self.mirror.gradient(w, v)
            for j in range(v.size):
                v[j] = -v[j]
        X.add_row(i, self.t * slope, v)
        for j in range(w.size):
            before[j] = w[j]
        self.mirror.minimizer(v, self.t * numbers[STEPS] if self.is_lazy else self.t, self.regularizer, w)
        far = self.t * self.t * slope * slope if self.has_intercept else 0.0
        for j in range(w.size):
            before[j] -= w[j]
            far += before[j] * before[j]
            self.w_sum[j] += w[j]
        numbers[FARTHEST] = max(numbers[FARTHEST], far)
        numbers[MOVES] += slope * X.dot_row(i, before)
        charge(self.penalty, self.regularizer.value(w))
        if self.has_intercept:
            numbers[INTERCEPT] -= self.t * slope
            numbers[MOVES] += self.t * slope * slope
            numbers[INTERCEPT_SUM] += numbers[INTERCEPT]

    def point(self) -> LinearPoint:
        """What would be played next."""
        return LinearPoint(self.w.copy(), float(self.numbers[INTERCEPT]))

    def sum_of_points(self) -> LinearPoint:
        """That of the points after each step."""
        return LinearPoint(self.w_sum.copy(), float(self.numbers[INTERCEPT_SUM]))

    def longest_move(self) -> float:
        """The largest ||w_{k+1} - w_k||."""
        return math.sqrt(float(self.numbers[FARTHEST]))

    def metric(self) -> Vector:
        """h = 1 / t of the last step, where it was one of gradient descent."""
        is_descent = isinstance(self.mirror, Euclidean) and not self.is_lazy
        return np.full(self.w.size + 1, 1.0 / self.t) if is_descent else np.empty(0)

    def penalties(self) -> float:
        """The sum of Omega at the points after each step."""
        return float(self.penalty.sum())


def mirror_state(game: Game, first: LinearPoint, mirror: Any, t: float, is_lazy: bool) -> MirrorState:
    """At w_1, from which divergences are taken."""
    if isinstance(mirror, SignedEntropic) and np.any(first.weights):
        raise Unsupported("the mirror map signed_entropic begins at zero")
    adopt(mirror)
    w, numbers = first.weights.copy(), np.zeros(N_NUMBERS)
    numbers[INTERCEPT] = first.intercept
    v = np.empty(w.size)
    with np.errstate(all="ignore"):
        mirror.gradient(w, v)
    arrays = w, -v, np.empty(w.size), np.zeros(w.size), np.zeros(2), numbers
    return adopted(MirrorState(mirror, game.regularizer, t, is_lazy, game.fit_intercept, *arrays))


def bound_of(met: Met, u: LinearPoint | None) -> Promise:
    """B(u, w_1) / t + t / (2 m) sum ||g_k||_*^2; for lazy steps sum <g_k, w_k - w_{k+1}> in its place, if less."""
    state = met.state
    if u is None:
        apart = farthest(met)
        if not math.isfinite(apart):
            return none_because("without a bounded set it is a promise for each comparator, not for all together")
    else:
        apart = float(state.mirror.divergence(u.weights, met.first.weights))
        apart += 0.5 * (float(u.intercept) - float(met.first.intercept)) ** 2
    t, m = state.t, float(state.mirror.modulus())
    squares = t / (2.0 * m) * float(state.numbers[SQUARES])
    return Promise(apart / t + (min(squares, float(state.numbers[MOVES])) if state.is_lazy else squares))


def farthest(met: Met) -> float:
    """The largest B(u, w_1) over the set, or more; infinite where there is none, or the map does not know it."""
    mirror = met.state.mirror
    if offers(mirror, "farthest"):
        return float(mirror.farthest(met.first.weights))
    return 0.5 * met.game.diameter**2 if isinstance(mirror, Euclidean) else math.inf
