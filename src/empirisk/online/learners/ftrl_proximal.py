"""FTRL-Proximal: the leader of click models, whose regularizers are centred at the points played."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import offers
from empirisk.compiled import kernel
from empirisk.online.game import Game
from empirisk.online.learners.promise import UNBOUNDED, Met, Promise, none_because
from empirisk.online.learners.states import adopted, copied
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported, Vector
from empirisk.update_rules.lazy_steps import LONGEST
from empirisk.update_rules.leader_steps import leader_sums, leader_weight
from empirisk.update_rules.penalty_sums import charge

PENALTIES = ("each", "once")
# Columns of `leads`: the weight when it was last looked at; v = sum (sigma w - g), which it leads by; sum g^2; the
# rounds that are counted in the sum of the points; that sum; and sum sigma w and sum sigma w^2, for the bound.
WEIGHT, V, SQUARES, SEEN, TOTAL, CENTERS, CENTER_SQUARES = range(7)
N_LEADS = 7
ROUNDS, GAIN = range(2)  # places in `numbers`: the rounds, and 1/2 sum g^2 / h over rounds and coordinates


class LazyLeaderState(NamedTuple):
    """Where Omega is l1 and l2 on a box: a coordinate is looked at when a row has it. The intercept's row is last."""

    alpha: float
    beta: float
    l1: float
    l2: float
    low: float
    high: float
    is_once: bool
    has_intercept: bool
    leads: Vector
    penalty: Vector  # the sum of Omega at the points after each step, in two parts
    numbers: Vector

    def predict(self, X, i, s):
        """The score of row i, whose weight is s; its coordinates look at what they would be by now."""
        z = 0.0
        for e in range(X.row_size(i)):
            j = X.column_at(i, e)
            look_up(self, j)
            z += X.entry_at(i, e) * self.leads[j, WEIGHT]
        return z + self.leads[self.leads.shape[0] - 1, WEIGHT] if self.has_intercept else z

    def update(self, loss, X, i, y, s, z, slope, square):
        """The gradient and the centre of the round join the sums of its coordinates."""
        self.numbers[ROUNDS] += 1.0
        if slope != 0.0:
            for e in range(X.row_size(i)):
                pull(self, X.column_at(i, e), slope * X.entry_at(i, e))
        if self.has_intercept:
            last = self.leads.shape[0] - 1
            pull(self, last, slope)
            look_up(self, last)

    def n_charges(self, rounds: int) -> int:
        """How often Omega is charged in so many rounds."""
        return 1 if self.is_once else rounds

    def point(self) -> LinearPoint:
        """What would be played next."""
        return LinearPoint.of(_settled(self).leads[:, WEIGHT].copy())

    def sum_of_points(self) -> LinearPoint:
        """That of the points after each step."""
        return LinearPoint.of(_settled(self).leads[:, TOTAL].copy())

    def penalties(self) -> float:
        """The sum of Omega at the points after each step; that of the last, where it is charged once, at w_1."""
        settled = _settled(self)
        if not self.is_once:
            return float(settled.penalty.sum())
        sizes = np.abs(settled.leads[:-1, WEIGHT])
        return float(self.l1 * sizes.sum() + 0.5 * self.l2 * (sizes @ sizes))


class LeaderState(NamedTuple):
    """Where coordinates hang together, as on a ball: a step over all columns. The intercept's row is last."""

    regularizer: Any
    alpha: float
    beta: float
    is_once: bool
    has_intercept: bool
    leads: Vector
    w: Vector
    h: Vector
    penalty: Vector
    numbers: Vector

    def predict(self, X, i, s):
        """The score of row i, whose weight is s."""
        z = X.dot_row(i, self.w)
        return z + self.leads[self.leads.shape[0] - 1, WEIGHT] if self.has_intercept else z

    def update(self, loss, X, i, y, s, z, slope, square):
        """w <- the minimiser of k Omega(w) + 1/2 sum_j h_j (w_j - v_j / h_j)^2."""
        w, h, leads, numbers = self.w, self.h, self.leads, self.numbers
        numbers[ROUNDS] += 1.0
        if slope != 0.0:
            for e in range(X.row_size(i)):
                pull(self, X.column_at(i, e), slope * X.entry_at(i, e))
        charged = 1.0 if self.is_once else numbers[ROUNDS]
        for j in range(w.size):
            stiff = max(stiffness(self.alpha, self.beta, leads[j, SQUARES]), 1.0 / LONGEST)
            w[j] = leads[j, V] / stiff
            h[j] = stiff / charged
        self.regularizer.prox_scaled(w, h, w)
        for j in range(w.size):
            leads[j, WEIGHT] = w[j]
            leads[j, TOTAL] += w[j]
        charge(self.penalty, self.regularizer.value(w))
        if self.has_intercept:
            last = leads.shape[0] - 1
            pull(self, last, slope)
            stiff = stiffness(self.alpha, self.beta, leads[last, SQUARES])
            leads[last, WEIGHT] = leads[last, V] / stiff if stiff > 0.0 else 0.0
            leads[last, TOTAL] += leads[last, WEIGHT]

    def n_charges(self, rounds: int) -> int:
        """How often Omega is charged in so many rounds."""
        return 1 if self.is_once else rounds

    def point(self) -> LinearPoint:
        """What would be played next."""
        return LinearPoint.of(self.leads[:, WEIGHT].copy())

    def sum_of_points(self) -> LinearPoint:
        """That of the points after each step."""
        return LinearPoint.of(self.leads[:, TOTAL].copy())

    def penalties(self) -> float:
        """The sum of Omega at the points after each step; that of the last, where it is charged once, at w_1."""
        return float(self.regularizer.value(self.w) if self.is_once else self.penalty.sum())


class FTRLProximal(NamedTuple):
    """w <- argmin <sum g, w> + k Omega(w) + beta / (2 alpha) ||w||^2 + 1/2 sum_i sum_j sigma_ij (w_j - w_ij)^2.

    sigma_k = (sqrt(sum_{i<=k} g_i^2) - sqrt(sum_{i<k} g_i^2)) / alpha for each coordinate, so that without penalty and
    set and with beta = 0 it is AdaGrad. With l1 weights are exactly zero until their gradients speak up against the
    penalties of all rounds. `penalty` is "each" (l1 and l2 are those of a round, as everywhere) or "once", the form in
    which it was published: Omega counts once, as the loss of a round before the first. A round costs the row's
    non-zeros where Omega is l1 and l2, on a box or without one; else a step over all columns.
    Use it for sparse rows and weights that shall be few.
    References: McMahan et al. (2013); McMahan (2017), theorem 2.
    """

    alpha: float = 1.0
    beta: float = 1.0
    penalty: str = "each"

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "convex", "regularizer.prox_scaled")

    def refusal(self) -> str:
        """Why these parameters cannot be, or nothing."""
        if self.penalty not in PENALTIES:
            return f"penalty must be one of {', '.join(PENALTIES)}, got {self.penalty!r}"
        if not 0.0 <= self.beta < math.inf:
            return f"beta must be a finite number >= 0, got {self.beta}"
        return "" if 0.0 < self.alpha < math.inf else f"alpha must be positive and finite, got {self.alpha}"

    def begin(self, game: Game, first: LinearPoint) -> Any:
        """At the point of the set that is closest to zero."""
        nearest = np.zeros(first.weights.size)
        if game.constraint is not None:
            game.constraint.prox(nearest, 1.0, nearest)
        if first.intercept != 0.0 or not np.array_equal(first.weights, nearest):
            raise Unsupported("ftrl_proximal begins at zero, without a start")
        leads = np.zeros((nearest.size + 1, N_LEADS))
        leads[:-1, WEIGHT] = nearest
        kind, arrays = (self.penalty == "once", game.fit_intercept), (np.zeros(2), np.zeros(2))
        if offers(game.regularizer, "interval"):
            l1, low, high = game.regularizer.interval()
            strengths = l1, game.regularizer.strong_convexity(), low, high
            return adopted(LazyLeaderState(self.alpha, self.beta, *strengths, *kind, leads, *arrays))
        both = nearest, np.empty(nearest.size)
        return adopted(LeaderState(game.regularizer, self.alpha, self.beta, *kind, leads, *both, *arrays))

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem at u; None asks for the worst u of the set."""
        leads = met.state.leads
        stiff = np.sqrt(leads[:, SQUARES]) / self.alpha
        if u is None:
            if not math.isfinite(met.game.width):
                return none_because(f"for all comparators together, {UNBOUNDED}")
            apart = float(stiff.sum()) * met.game.width**2
            size = float(met.game.regularizer.norm_bound()) if self.beta > 0.0 else 0.0
        else:
            at = u.stacked()
            squares = at * at * stiff - 2.0 * at * leads[:, CENTERS] + leads[:, CENTER_SQUARES]
            apart, size = float(np.maximum(squares, 0.0).sum()), float(np.linalg.norm(at))
        beside = self.beta / self.alpha * size**2
        return Promise(0.5 * (apart + beside) + float(met.state.numbers[GAIN]))

    def theorem(self) -> str:
        """In one sentence."""
        return (
            "Regret is at most beta / (2 alpha) ||u||^2 + 1/2 sum_k sum_j (sigma_kj (u_j - w_kj)^2 + g_kj^2 / h_kj), "
            "h = (beta + sqrt(sum g_j^2)) / alpha: with beta = 0 at most that of AdaGrad (McMahan 2017, theorem 2)."
        )


@kernel
def stiffness(alpha, beta, squares):
    """h of a coordinate."""
    return (beta + math.sqrt(squares)) / alpha


@kernel(borrows=True)
def look_up(state, j):
    """Weight j as the sums and the rounds have it; what it was in the rounds since the last look is added up."""
    row = state.leads[j]
    rounds = state.numbers[ROUNDS]
    is_free = j == state.leads.shape[0] - 1  # the intercept: without penalty and set
    l1 = 0.0 if is_free else state.l1
    l2 = 0.0 if is_free else state.l2
    low = -math.inf if is_free else state.low
    high = math.inf if is_free else state.high
    count = rounds - row[SEEN]
    if count == 0.0:
        return
    h = stiffness(state.alpha, state.beta, row[SQUARES])
    if state.is_once:
        row[WEIGHT] = leader_weight(row[V], h, 1.0, l1, l2, low, high)
        row[TOTAL] += count * row[WEIGHT]
    else:
        sizes, squares = leader_sums(row[V], h, row[SEEN], count, l1, l2, low, high, l2 > 0.0)
        row[WEIGHT] = leader_weight(row[V], h, rounds, l1, l2, low, high)
        row[TOTAL] += math.copysign(sizes, row[V] if low < 0.0 < high else low + high)
        if l1 + l2 > 0.0:
            charge(state.penalty, l1 * sizes + 0.5 * l2 * squares)
    row[SEEN] = rounds


@kernel(borrows=True)
def pull(state, j, g):
    """The gradient g of coordinate j, and the regularizer of the round, which is centred at its weight."""
    row = state.leads[j]
    if g == 0.0:
        return
    before = math.sqrt(row[SQUARES])
    row[SQUARES] += g * g
    sigma = (math.sqrt(row[SQUARES]) - before) / state.alpha
    row[V] += sigma * row[WEIGHT] - g
    row[CENTERS] += sigma * row[WEIGHT]
    row[CENTER_SQUARES] += sigma * row[WEIGHT] * row[WEIGHT]
    h = stiffness(state.alpha, state.beta, row[SQUARES])
    state.numbers[GAIN] += 0.5 * g * g / h if h > 0.0 else 0.0


@kernel(borrows=True)
def _look_at_all(state):
    for j in range(state.leads.shape[0]):
        look_up(state, j)


def _settled(state: LazyLeaderState) -> LazyLeaderState:
    """In arrays of its own, with every coordinate looked at."""
    found: LazyLeaderState = copied(state)
    _look_at_all(found)
    return found
