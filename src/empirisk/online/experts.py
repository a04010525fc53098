"""Prediction with expert advice: weights on experts, multiplied by what they lost."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.constraints import Simplex
from empirisk.online.learners.mixing import mixability_gap, share_of
from empirisk.online.learners.promise import promised
from empirisk.online.regret import OTHER_ROWS
from empirisk.online.replay import losses_of
from empirisk.online.rows_met import rows_met
from empirisk.online.run import Run
from empirisk.parameters import check_choice, check_positive
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import scores_of
from empirisk.protocols import Unsupported, Vector

RATES = ("adaptive", "anytime", "fixed")
FIXED, ANYTIME, ADAPTIVE = range(3)
CODES = {"fixed": FIXED, "anytime": ANYTIME, "adaptive": ADAPTIVE}


class HedgeRun(NamedTuple):
    """What a game of experts gives."""

    rate: str
    paid: Vector  # <w_k, c_k> of each round
    losses: Vector  # of each expert, summed
    weights: Vector  # that would be played next
    bound: float  # on the regret; nan where a row had a larger range than was given
    why: str

    @property
    def regret(self) -> float:
        """What was paid beyond the best expert."""
        return math.fsum(self.paid) - float(self.losses.min())

    @property
    def holds(self) -> bool:
        """Whether the regret is within its bound, rounding allowed for."""
        size = math.fsum(np.abs(self.paid)) + float(np.abs(self.losses).max())
        return math.isnan(self.bound) or self.regret <= self.bound + 2.0**-40 * (size + self.bound)

    def sentence(self) -> str:
        """The claim in words."""
        said = f"{self.paid.size} rounds with {self.losses.size} experts cost {self.regret:.6g} more than the best one"
        return f"{said}; no bound: {self.why}." if math.isnan(self.bound) else f"{said}, at most {self.bound:.6g}."


def hedge(losses: Any, rate: str = "adaptive", *, spread: float | None = None) -> HedgeRun:
    """Play a round for each row of losses, a column for each expert, with weights as exp(-eta loss so far).

    `rate` is "adaptive" (AdaHedge, which asks for nothing), "anytime" (eta = 2 sqrt(log d / k) / R) or "fixed"
    (eta = sqrt(8 log d / K) / R for these K rounds); the last two need R = `spread`, the most by which two experts can
    differ in a round.
    References: Freund and Schapire (1997); de Rooij, van Erven, Grunwald and Koolen (2014).
    """
    check_choice("rate", rate, RATES)
    table = _checked(losses)
    if rate != "adaptive" and spread is None:
        raise ValueError(f"rate={rate!r} needs spread, the most by which two experts can differ in a round")
    reach = check_positive("spread", spread) if spread is not None else 1.0
    n, d = table.shape
    paid, summed, gaps = np.empty(n), np.zeros(d), np.zeros(1)
    _play(table, CODES[rate], reach, paid, summed, gaps)
    spreads = table.max(axis=1) - table.min(axis=1)
    bound, why = _bound(rate, d, spreads, reach, float(gaps[0]))
    weights = np.empty(d)
    _weigh(summed, _eta(CODES[rate], reach, n + 1, n, d, float(gaps[0])), weights)
    return HedgeRun(rate, paid, summed, weights, bound, why)


class BestExpert(NamedTuple):
    """In a game on the simplex whose columns are forecasts: the best of them, where all the weight is on one."""

    column: int
    losses: Vector  # of each expert alone, summed
    regret: float  # what was paid beyond the best
    bound: float  # of the learner's theorem there; nan for none
    why: str

    def sentence(self) -> str:
        """The claim in words."""
        said = f"The rounds cost {self.regret:.6g} more than the best single expert, column {self.column}"
        return f"{said}; no bound: {self.why}." if math.isnan(self.bound) else f"{said}, at most {self.bound:.6g}."


def best_expert(run: Run, X: Any, y: Any, sample_weight: Any = None) -> BestExpert:
    """The best single expert beside the best mixture, which `run.regret` is against; for a run on the simplex."""
    game, ledger = run.game, run.ledger
    if not isinstance(game.constraint, Simplex) or game.fit_intercept:
        raise Unsupported("experts are the columns of a game with constraint='simplex' and fit_intercept=False")
    rows = rows_met(X, y, sample_weight, game.loss)
    if rows.fingerprint() != run.fingerprint:
        raise ValueError(OTHER_ROWS)
    if ledger.rounds == 0:
        raise ValueError("there is no best expert before the first round")
    losses = np.empty(rows.n_columns)
    for j in range(rows.n_columns):
        alone = np.zeros(rows.n_columns)
        alone[j] = game.constraint.radius
        losses[j] = math.fsum(losses_of(game.loss, scores_of(rows.design, alone, 0.0), rows))
    best = int(np.argmin(losses))
    corner = np.zeros(rows.n_columns)
    corner[best] = game.constraint.radius
    promise = promised(run.learner, run.met(), LinearPoint(corner)).at
    charged = ledger.charges * float(game.regularizer.value(corner))
    return BestExpert(best, losses, ledger.total - float(losses[best]) - charged, promise.value, promise.why)


def _checked(losses: Any) -> NDArray[np.float64]:
    table = np.ascontiguousarray(losses, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 1:
        raise ValueError(f"losses must have a row for each round and a column for each expert, got shape {table.shape}")
    if not np.isfinite(table).all():
        row = int(np.argmin(np.isfinite(table).all(axis=1)))
        raise ValueError(f"losses contain NaN or infinity (row {row}, counted from 0)")
    return table


def _bound(rate: str, d: int, spreads: Vector, reach: float, gaps: float) -> tuple[float, str]:
    """The right side of the theorem; why there is none."""
    rounds, largest = spreads.size, float(spreads.max(initial=0.0))
    if rate == "adaptive":
        known = math.sqrt(math.log(d) * float(spreads @ spreads)) + largest * (4.0 / 3.0 * math.log(d) + 2.0)
        return min(2.0 * gaps, known), ""
    if largest > reach * (1.0 + 2.0**-40):
        return math.nan, f"in a round two experts differed by {largest:.6g}, beyond spread = {reach:.6g}"
    return reach * math.sqrt(rounds * math.log(d) / (2.0 if rate == "fixed" else 1.0)), ""


@kernel
def _play(table, code, reach, paid, summed, gaps):
    rounds, d = table.shape
    weights = np.empty(d)
    for k in range(rounds):
        _weigh(summed, _eta(code, reach, k + 1, rounds, d, gaps[0]), weights)
        total = 0.0
        for j in range(d):
            total += weights[j] * table[k, j]
        paid[k] = total
        gaps[0] += mixability_gap(table[k], summed, gaps[0]) if d > 1 else 0.0
        for j in range(d):
            summed[j] += table[k, j]


@kernel
def _eta(code, reach, k, rounds, d, gaps):
    """The rate of round k; infinite before AdaHedge has seen the experts differ."""
    if code == FIXED:
        return math.sqrt(8.0 * math.log(d) / max(rounds, 1)) / reach
    if code == ANYTIME:
        return 2.0 * math.sqrt(math.log(d) / k) / reach
    return math.log(d) / gaps if gaps > 0.0 else math.inf


@kernel
def _weigh(summed, eta, weights):
    """Shares proportional to exp(-eta summed); at an infinite rate the leaders alone."""
    least = math.inf
    for j in range(summed.size):
        least = min(least, summed[j])
    total = 0.0
    for j in range(summed.size):
        behind = summed[j] - least
        weights[j] = math.exp(-eta * behind) if behind > 0.0 and eta < math.inf else share_of(behind, 0.0, 2)
        total += weights[j]
    for j in range(summed.size):
        weights[j] /= total
