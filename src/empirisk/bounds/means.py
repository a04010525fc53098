"""Upper bounds of a mean of numbers in [0, 1] that were drawn one after the other.

`mean_by_kl`: independent draws with mean x satisfy P(kl(x, mu) >= c and x <= mu) <= exp(-n c) (Chernoff; numbers in
[0, 1] have no larger exponential moments than coins).

`mean_by_betting`: whoever bets that the next number is below m, a share lambda_t decided before it is seen, has the
capital prod_t (1 + lambda_t (m - x_t)), a martingale where m is the mean; by Ville it reaches 1/delta with probability
delta at most. Each factor rises with m, also where lambda_t is cut at CUT / (1 - m), so the m that are not refuted
end at one number. Reference: Waudby-Smith and Ramdas (2023), Estimating means of bounded random variables by betting.

`mean_of_risks`: predictors that are each fixed before their row comes, with risks p_t. E exp(-lambda x_t) <= 1 -
(1 - exp(-lambda)) p_t, so a product of quotients is a supermartingale, and as ln(1 - a p) is concave the mean of the
p_t is at most (1 - exp(-(lambda S + ln(G / delta)) / T)) / (1 - exp(-lambda)), S = sum x_t, for each of G fixed lambda.
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.bounds.tails import kl_upper
from empirisk.bounds.tails.factorials import STEP
from empirisk.protocols import Vector

CUT = 0.75  # of all that can be lost at once
LAMBDAS = tuple(2.0**j for j in range(-11, 5))  # fixed, whatever the losses
HALVINGS = 60


def mean_by_kl(values: Vector, log_delta: float) -> float:
    """The largest mu with kl(mean, mu) <= ln(1 / delta) / n, rounded up."""
    mean = min(1.0, math.fsum(values.tolist()) / values.size * (1.0 + 2.0 * STEP))
    return kl_upper(mean, -log_delta / values.size * (1.0 + 2.0 * STEP))


def mean_by_betting(values: Vector, log_delta: float) -> float:
    """The least m that the bets refute, rounded up; 1 where they refute none."""
    bets = _bets(values, -log_delta)
    high, low = 1.0, 0.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if _log_capital(values, bets, middle) >= -log_delta:
            high = middle
        else:
            low = middle
    return high


def mean_of_risks(values: Vector, log_delta: float) -> float:
    """The bound of progressive validation, rounded up; at most 1."""
    total, count = math.fsum(values.tolist()) * (1.0 + STEP), values.size
    room = (math.log(len(LAMBDAS)) - log_delta) * (1.0 + 2.0 * STEP)
    best = min(math.expm1(-(x * total + room) / count) / math.expm1(-x) for x in LAMBDAS)
    return min(1.0, best * (1.0 + 16.0 * STEP))


def _bets(values: Vector, log_capital: float) -> Vector:
    """sqrt(2 ln(1/delta) / (n v)) with v the variance of the numbers before, started at 1/4 with weight one."""
    counts = np.arange(1.0, values.size + 1.0)
    means = (0.5 + np.cumsum(values)) / (counts + 1.0)
    squares = np.append(0.0, np.cumsum((values - means) ** 2)[:-1])
    return np.sqrt(2.0 * log_capital * counts / (values.size * (0.25 + squares)))


def _log_capital(values: Vector, bets: Vector, m: float) -> float:
    """ln of the largest capital at any time, less its rounding."""
    if m >= 1.0:
        return math.inf
    steps = np.log1p(np.minimum(bets, CUT / (1.0 - m)) * (m - values))
    end = int(np.argmax(np.cumsum(steps))) + 1
    return math.fsum(steps[:end].tolist()) - 16.0 * STEP * end
