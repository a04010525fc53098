"""Online gradient descent."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.compiled import kernel
from empirisk.mirror_maps.euclidean import Euclidean
from empirisk.online.game import Game
from empirisk.online.learners.mirror_steps import MirrorState, bound_of, mirror_state
from empirisk.online.learners.promise import NOTHING, UNBOUNDED, WITHIN, Met, Promise, beyond, none_because
from empirisk.online.learners.states import adopted, settled_rule
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Vector
from empirisk.update_rules.lazy_steps import LONGEST
from empirisk.update_rules.penalty_sums import charge
from empirisk.update_rules.subgradient import INTERCEPT, INTERCEPT_SUM, PULL, SCALE, STEPS, Schedule, subgradient_rule

FORMS = ("agile", "lazy")
STEP_RULES = ("constant", "horizon", "inverse_sqrt", "adaptive", "inverse", "doubling")
CONSTANT, INVERSE_SQRT, ADAPTIVE, INVERSE, DOUBLING = range(5)
CODES = dict(zip(STEP_RULES, (CONSTANT, CONSTANT, INVERSE_SQRT, ADAPTIVE, INVERSE, DOUBLING), strict=True))
# Places in `sums`: of ||g||^2, of t ||g||^2, of ||g||^2 / k; the last t; where Omega is l2 alone ||w||^2, and the
# largest ||w_{k+1} - w_k||^2.
SQUARES, WEIGHED, DIVIDED, LENGTH, NORM, MOVE = range(6)
N_SUMS = 6


EACH = "without a bounded set it is a promise for each comparator, not for all together"


class DescentState(NamedTuple):
    """A point and its rule, how long its steps are, and the sums that bounds are made of."""

    rule: Any
    code: int
    reach: float  # t, D / G or D
    l2: float
    first: Vector  # where restarts begin: w_1, then its intercept; empty without restarts
    sums: Vector
    penalty: Vector  # the sum of Omega at the points after each step, in two parts

    def predict(self, X, i, s):
        """The score of row i, whose weight is s."""
        return self.rule.score(X, i)

    def update(self, loss, X, i, y, s, z, slope, square):
        """w <- prox_{t Omega}(w - t g)."""
        rule, sums = self.rule, self.sums
        k = rule.numbers[STEPS] + 1.0
        sums[SQUARES] += square
        t = length_of(self.code, self.reach, self.l2, k, sums[SQUARES])
        sums[WEIGHED] += t * square if square > 0.0 else 0.0
        sums[DIVIDED] += square / k
        sums[LENGTH] = t
        if self.code == DOUBLING and is_power_of_two(k + 1.0):  # the last round of its horizon
            rule.move_to(self.first)
            rule.end_step(0.0)
            sums[NORM] = square_of(self.first[:-1])
        else:
            pull = t * slope if slope != 0.0 else 0.0
            if rule.is_l2 and self.l2 > 0.0:
                inner = z - rule.numbers[INTERCEPT]
                row = X.squared_row_norm(i)
                far = square_of_move(t * self.l2, sums[NORM], pull, inner, row)
                sums[MOVE] = max(sums[MOVE], far + rule.ratio * pull * pull)
                moved = sums[NORM] - pull * (2.0 * inner - pull * row)
                sums[NORM] = max(0.0, moved) / ((1.0 + t * self.l2) * (1.0 + t * self.l2))
            elif square > 0.0:
                sums[MOVE] = max(sums[MOVE], t * t * square)
            rule.numbers[PULL] = pull / rule.numbers[SCALE]  # stored: see `SubgradientRule.learn`
            rule.pull(X, i, rule.numbers[PULL])
            rule.end_step(t)
            if rule.is_l2 and self.l2 > 0.0 and rule.numbers[SCALE] == 1.0:  # gathered: the norm is taken anew
                sums[NORM] = square_of(rule.w)
        charge(self.penalty, 0.5 * self.l2 * sums[NORM] if rule.is_l2 else rule.regularizer.value(rule.w))

    def point(self) -> LinearPoint:
        """What would be played next."""
        rule = settled_rule(self)
        return LinearPoint(rule.w, float(rule.numbers[INTERCEPT]))

    def sum_of_points(self) -> LinearPoint:
        """That of the points after each step."""
        rule = settled_rule(self)
        return LinearPoint(rule.w_mean * float(rule.numbers[STEPS]), float(rule.numbers[INTERCEPT_SUM]))

    def longest_move(self) -> float | None:
        """The largest ||w_{k+1} - w_k||, where a step is not one over all columns and no restart."""
        is_known = self.rule.is_l2 and self.code != DOUBLING
        return math.sqrt(float(self.sums[MOVE])) if is_known else None

    def metric(self) -> Vector:
        """h = 1 / t of the last step; nothing where it was a restart."""
        if self.code == DOUBLING and is_power_of_two(float(self.rule.numbers[STEPS]) + 1.0):
            return np.empty(0)
        return np.full(self.rule.w.size + 1, 1.0 / float(self.sums[LENGTH]))

    def penalties(self) -> float:
        """The sum of Omega at the points after each step."""
        return float(self.penalty.sum())


class GradientDescent(NamedTuple):
    """w <- prox_{t Omega}(w - t g), g a (sub)gradient of the round's loss.

    `steps` is "constant" (t = `length`), "horizon" (D / (G sqrt K), for K = `horizon` rounds), "inverse_sqrt"
    (D / (G sqrt k)), "adaptive" (D / sqrt(2 sum ||g||^2), which asks for no G), "inverse" (1 / (l2 k)) or "doubling"
    (those of a horizon of 1, 2, 4, ... rounds, each begun at w_1). D is `distance`, of which 0 stands for the diameter
    of the constraint, or 1 without a bounded one; G is `gradient`. `form` is "agile", or "lazy": the point before its
    projection is moved, with constant and horizon steps, as lazy mirror descent does. A round costs the row's non-zeros
    where an agile step meets l2 alone or nothing, else a step over all columns.
    Use it as the yardstick of the theory; what needs no tuning learns faster.
    References: Zinkevich (2003); Hazan, Agarwal and Kale (2007) for "inverse"; Orabona (2019), chapters 2 and 4.
    """

    steps: str = "adaptive"
    distance: float = 0.0
    gradient: float = 1.0
    horizon: float = 0.0
    length: float = 1.0
    form: str = "agile"

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the game."""
        return ("loss.derivative", "convex", "regularizer.prox", *(("l2 > 0",) if self.steps == "inverse" else ()))

    def refusal(self) -> str:
        """Why these numbers cannot be, or nothing."""
        if self.steps not in STEP_RULES:
            return f"steps must be one of {', '.join(STEP_RULES)}, got {self.steps!r}"
        if self.form not in FORMS:
            return f"form must be one of {', '.join(FORMS)}, got {self.form!r}"
        if self.form == "lazy" and self.steps not in ("constant", "horizon"):
            return f"form=lazy takes steps=constant or steps=horizon, got {self.steps!r}"
        if not 0.0 <= self.distance < math.inf:
            return f"distance must be a finite number >= 0, got {self.distance}"
        if self.steps == "horizon" and not self.horizon >= 1.0:
            return f"steps=horizon needs the number of rounds, horizon >= 1, got {self.horizon:g}"
        wrong = [name for name in ("gradient", "length") if not 0.0 < getattr(self, name) < math.inf]
        return f"{wrong[0]} must be positive and finite, got {getattr(self, wrong[0])}" if wrong else ""

    def begin(self, game: Game, first: LinearPoint) -> DescentState | MirrorState:
        """At w_1."""
        if self.form == "lazy":
            return mirror_state(game, first, Euclidean(), self._reach(self._distance(game)), True)
        l2 = float(game.regularizer.strong_convexity())
        schedule = Schedule(0, 1.0, l2)  # lengths are chosen here
        w, b = first.weights, float(first.intercept)
        rule = subgradient_rule(game.regularizer, schedule, float(game.fit_intercept), True, w, b)
        sums = np.zeros(N_SUMS)
        sums[NORM] = np.sum(w * w)  # without BLAS, whose threads cost more than they give
        starts = np.append(w, b) if self.steps == "doubling" else np.empty(0)
        reach = self._reach(self._distance(game))
        return adopted(DescentState(rule, CODES[self.steps], reach, l2, starts, sums, np.zeros(2)))

    def bound(self, met: Met, u: LinearPoint | None) -> Promise:
        """The right side of the theorem at u; None asks for the worst u of the set."""
        if self.form == "lazy":
            return bound_of(met, u)
        sums, l2 = met.state.sums, met.state.l2
        diameter = met.game.diameter
        reach = diameter if u is None else met.distance(u)
        if self.steps in ("constant", "horizon"):
            if not math.isfinite(reach):
                return none_because(EACH)
            return Promise(reach**2 / (2.0 * met.state.reach) + 0.5 * met.state.reach * met.ledger.squares)
        if self.steps == "inverse":
            if met.game.fit_intercept:
                return none_because("its steps are for an l2 on every coordinate, and the intercept has none")
            if not math.isfinite(reach):
                return none_because(EACH)
            return Promise(0.5 * l2 * reach**2 + float(sums[DIVIDED]) / (2.0 * l2))
        if self.steps == "doubling":
            if not math.isfinite(reach):
                return none_because(EACH)
            slow = sum(math.sqrt(2.0**e) for e in range(met.ledger.rounds.bit_length())) / met.state.reach
            return Promise(0.5 * reach**2 * slow + 0.5 * float(sums[WEIGHED]) + _restarts(met))
        if not math.isfinite(diameter):
            return none_because(UNBOUNDED)
        distance = self._distance(met.game)
        if diameter > distance * WITHIN:
            return none_because(f"the set has the diameter {diameter:.6g}, and the steps are for {distance:.6g}")
        if self.steps == "adaptive":
            return Promise(math.sqrt(2.0 * met.ledger.squares) * distance)
        last = float(sums[LENGTH])
        return Promise(distance**2 / (2.0 * last) + 0.5 * float(sums[WEIGHED])) if last > 0.0 else Promise(0.0)

    def beforehand(self, met: Met, u: LinearPoint) -> Promise:
        """What was promised before the first round, from D and G."""
        if self.steps in ("constant", "adaptive") or math.isnan(self.bound(met, u).value):
            return NOTHING
        steep, rounds, distance = self.gradient, met.ledger.rounds, self._distance(met.game)
        said = beyond(met.ledger.largest, steep)
        if self.steps in ("horizon", "doubling") and met.distance(u) > distance * WITHIN:
            said = f"the comparator is {met.distance(u):.6g} from w_1, and the steps are for {distance:.6g}"
        if said:
            return none_because(said)
        if self.steps == "horizon":
            t = self._reach(distance)
            return Promise(distance**2 / (2.0 * t) + 0.5 * t * rounds * steep**2)
        if self.steps == "inverse":
            l2 = met.state.l2
            return Promise(0.5 * l2 * met.distance(u) ** 2 + steep**2 * (1.0 + math.log(rounds)) / (2.0 * l2))
        if self.steps == "inverse_sqrt":
            return Promise(1.5 * steep * distance * math.sqrt(rounds))
        return Promise(steep * distance * math.sqrt(2.0 * rounds) / (math.sqrt(2.0) - 1.0) + _restarts(met))

    def theorem(self) -> str:
        """In one sentence."""
        said = {
            "constant": "||u - w_1||^2 / (2 t) + t/2 sum ||g_k||^2 for every u (Zinkevich 2003)",
            "horizon": "||u - w_1||^2 / (2 t) + t/2 sum ||g_k||^2, at most G D sqrt K (Zinkevich 2003)",
            "inverse_sqrt": "D^2 / (2 t_K) + 1/2 sum t_k ||g_k||^2, at most 1.5 G D sqrt K (Zinkevich 2003)",
            "adaptive": "sqrt(2) D sqrt(sum ||g_k||^2) (Streeter and McMahan 2010)",
            "inverse": "l2/2 ||u - w_1||^2 + sum ||g_k||^2 / (2 l2 k) (Hazan, Agarwal and Kale 2007)",
            "doubling": "||u - w_1||^2 / 2 sum 1/t + 1/2 sum t_k ||g_k||^2, the first sum over the restarts: at most "
            "sqrt(2) / (sqrt(2) - 1) G D sqrt K (Auer et al. 2002)",
        }
        return f"Regret is at most {said[self.steps]}."

    def _distance(self, game: Game) -> float:
        if self.distance > 0.0:
            return self.distance
        return game.diameter if math.isfinite(game.diameter) and game.diameter > 0.0 else 1.0

    def _reach(self, distance: float) -> float:
        """What `length_of` makes steps of."""
        if self.steps == "constant":
            return self.length
        if self.steps == "horizon":
            return distance / (self.gradient * math.sqrt(self.horizon))
        return distance if self.steps == "adaptive" else distance / self.gradient


def _restarts(met: Met) -> float:
    """Omega(w_1) is paid again at every restart."""
    return (met.ledger.rounds.bit_length() - 1) * float(met.game.regularizer.value(met.first.weights))


@kernel
def length_of(code, length, l2, k, squares):
    """t in round k, where the squares of the slopes, this one included, have this sum."""
    if code == CONSTANT:
        return length
    if code == INVERSE_SQRT:
        return length / math.sqrt(k)
    if code == ADAPTIVE:
        return min(length / math.sqrt(2.0 * squares), LONGEST) if squares > 0.0 else LONGEST
    if code == INVERSE:
        return 1.0 / (l2 * k)
    return length / math.sqrt(2.0 ** math.floor(math.log2(k)))


@kernel
def square_of_move(shrink, norm, pull, inner, row):
    """||w' - w||^2 for w' = (w - pull x) / (1 + shrink), where these are ||w||^2, <w, x> and ||x||^2."""
    far = shrink * shrink * norm + pull * (2.0 * shrink * inner + pull * row)
    return max(0.0, far) / ((1.0 + shrink) * (1.0 + shrink))


@kernel
def is_power_of_two(k):
    """Whether a whole number k >= 1 is one."""
    return 2.0 ** math.floor(math.log2(k) + 0.5) == k


@kernel
def square_of(w):
    """||w||^2."""
    total = 0.0
    for j in range(w.size):
        total += w[j] * w[j]
    return total
