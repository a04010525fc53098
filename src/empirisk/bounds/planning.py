"""How many rows are needed for a promise, and what promise so many rows can keep, before any row is seen.

The textbook's numbers: a finite class that holds the truth, (ln|H| + ln(1/delta)) / epsilon; a finite class at large,
2 (ln|H| + ln(2/delta)) / epsilon^2; VC dimension h and the truth in the class,
max((4/epsilon) log2(2/delta), (8 h / epsilon) log2(13/epsilon)). Beside them the smaller number at which the bound
itself, `vc_tail` or, for a finite class, B(k, n, delta / |H|), proves it if a share `error` of the rows is wrong.
Rounds of a learner, (D G / epsilon)^2, are planned by `er.online.plan`.
Reference: Valiant (1984); Blumer, Ehrenfeucht, Haussler and Warmuth (1989).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.bounds.growth import growth
from empirisk.bounds.tails import binomial_upper
from empirisk.bounds.tails.factorials import STEP
from empirisk.bounds.vc import GHOSTS, log_of, tail_bound
from empirisk.parameters import check_count, check_positive, check_share

MOST = 10**9  # rows


class SampleSize(NamedTuple):
    """Rows for a promise: with probability 1 - `delta`, a future error of at most `error` + `epsilon`."""

    epsilon: float
    delta: float
    error: float
    n: int  # at which the bound proves it
    textbook: int | None  # None where the textbook has no number
    bound: str  # the kind that proves it

    def sentence(self) -> str:
        """The plan in words."""
        made = f"if at most {100.0 * self.error:.6g} % of them are predicted wrong"
        said = f"{self.n} rows prove a future error of at most {100.0 * (self.error + self.epsilon):.6g} %"
        beside = "" if self.textbook is None else f" The textbook asks for {self.textbook}."
        return f"{said} with probability {1.0 - self.delta:.12g}, {made} (bound {self.bound}).{beside}"


def sample_size(
    epsilon: float, delta: float = 0.05, h: int | None = None, finite: int | None = None, error: float = 0.0
) -> SampleSize:
    """The rows that are needed for epsilon and delta, of a class of VC dimension h or of `finite` members."""
    epsilon, delta, error = check_share("epsilon", epsilon), check_share("delta", delta), _check_error(error)
    if error + epsilon >= 1.0:
        raise ValueError(f"error + epsilon must be below 1 to say anything, got {error + epsilon:g}")
    h, finite = _check_class(h, finite)
    high = 1
    while _bound(high, delta, h, finite, error) > error + epsilon:
        high *= 2
        if high > MOST:
            raise ValueError(f"more than {MOST} rows would be needed; ask for a larger epsilon")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if _bound(middle, delta, h, finite, error) <= error + epsilon:
            high = middle
        else:
            low = middle
    textbook = _textbook(epsilon, delta, h, finite, error)
    return SampleSize(epsilon, delta, error, high, textbook, "vc_tail" if finite is None else "finite class")


def accuracy(n: int, delta: float = 0.05, h: int | None = None, finite: int | None = None, error: float = 0.0) -> float:
    """The reverse: the epsilon that n rows prove, if a share `error` of them is predicted wrong."""
    n, delta, error = check_count("n", n), check_share("delta", delta), _check_error(error)
    h, finite = _check_class(h, finite)
    return _bound(n, delta, h, finite, error) - error


def _bound(n: int, delta: float, h: int | None, finite: int | None, error: float) -> float:
    """J with as many errors as a share `error` of n rows allows."""
    k = math.floor(error * n)
    if finite is not None:
        log_delta = log_of(delta) - math.log(finite) * (1.0 + STEP)
        return binomial_upper(k, n, log_delta)
    return tail_bound(k, n, growth(h or 1, (1 + GHOSTS) * n), log_of(delta)).value


def _textbook(epsilon: float, delta: float, h: int | None, finite: int | None, error: float) -> int | None:
    if finite is not None and error == 0.0:
        return math.ceil((math.log(finite) + math.log(1.0 / delta)) / epsilon)
    if finite is not None:
        return math.ceil(2.0 * (math.log(finite) + math.log(2.0 / delta)) / epsilon**2)
    if error == 0.0 and h is not None:
        largest = max(4.0 * math.log2(2.0 / delta), 8.0 * h * math.log2(13.0 / epsilon))
        return math.ceil(largest / epsilon)
    return None


def _check_error(error: float) -> float:
    error = check_positive("error", error, allows_zero=True)
    if error >= 1.0:
        raise ValueError(f"error must be a share of the rows below 1, got {error}")
    return error


def _check_class(h: int | None, finite: int | None) -> tuple[int | None, int | None]:
    if (h is None) == (finite is None):
        raise ValueError("give either h, the VC dimension of the class, or finite, the number of its members")
    return (None if h is None else check_count("h", h)), (None if finite is None else check_count("finite", finite))
