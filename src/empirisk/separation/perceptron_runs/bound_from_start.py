"""The most mistakes of a run from weights other than zero, in many digits: large numbers leave little."""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction

from empirisk.separation.perceptron_runs.mistake_trace import Allowances
from empirisk.separation.perceptron_runs.run import Counts

DIGITS = 60


def most_mistakes(
    plane: Sequence[float],
    start: Sequence[float],
    b_high: float,
    radius: float,
    allowances: Allowances,
    counts: Counts,
    batch_step: float | None,
) -> float:
    """The most M with a M + <w*, w_0> <= B sqrt(||w_0||^2 + a^2 Q R^2), rounded up; batch: at the Q of the counts.

    w* is the plane (weights, then the intercept) shrunk until its norm is b_high; so is the start w_0. Online that is
    the larger root of (t + <w*, w_0>)^2 = B^2 (||w_0||^2 + t R^2). What rounding did to the run is allowed for; where
    that may be as much as a mistake at each step, there is no bound: infinity.
    """
    allowed, grown = allowances
    if not allowed < 1.0:
        return math.inf
    with decimal.localcontext(prec=DIGITS):
        inner = _exact_sum(a * b for a, b in zip(map(Fraction, plane), map(Fraction, start), strict=True))
        norm = _exact_sum(Fraction(a) ** 2 for a in plane).sqrt()
        square = _exact_sum(Fraction(a) ** 2 for a in start)
        reach, far, slack = Decimal(b_high), Decimal(radius), Decimal(allowed)
        inner *= min(Decimal(1), reach / norm)
        inner -= slack * abs(inner)
        reach *= (1 + Decimal(grown)).sqrt()
        if batch_step is not None:
            step = Decimal(batch_step)
            right = reach * (square + step * step * counts.squares * far * far).sqrt()
            return _above((right - inner) / step + slack * counts.mistakes)
        half = (reach * far) ** 2 / (2 * (1 - slack)) - inner
        root = half + max(Decimal(0), half * half - inner * inner + reach * reach * square).sqrt()
        return _above(root / (1 - slack))


def _exact_sum(terms: Iterable[Fraction]) -> Decimal:
    total = sum(terms, Fraction(0))
    return Decimal(total.numerator) / Decimal(total.denominator)


def _above(x: Decimal) -> float:
    return math.nextafter(float(x), math.inf)
