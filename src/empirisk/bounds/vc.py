"""Bounds that hold for every member of a class of VC dimension h at once, and so for the one that a fit picked.

`vapnik`: with E = (h ln(2 e n / h) + ln(4 / delta)) / n and r = k / n, J = r + 2 E (1 + sqrt(1 + r / E)), for n >= h.
Reference: Vapnik (1998), Statistical learning theory, section 4.

`vc_tail`: a ghost sample of n' = 4 n more rows, M = n + n', and J = max(1, K - 1 - k) / n' with K the least number for
which P(at most k of K marked are among n drawn from M) <= delta / (4 G(M)). The ghost size is a function of n alone: to
tune it on k would have to be paid for. Reference: Leboeuf, LeBlanc and Marchand (2021); the 4 is from Greenberg and
Mohri (2014), P(Bin(n', p) >= n' p) > 1/4 for p > 1/n'.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.bounds.growth import growth, growth_of_classes
from empirisk.bounds.tails import hypergeometric_least_marked, log_choose
from empirisk.bounds.tails.factorials import STEP
from empirisk.parameters import check_count, check_share

GHOSTS = 4  # for each row


class TailBound(NamedTuple):
    """J of `vc_tail`, and what it is made of."""

    value: float
    ghosts: int  # n'
    log_growth: float  # ln G(M)
    log_level: float  # ln of the level at which the tail is inverted
    marked: int  # K


def vapnik(errors: int, n: int, h: int, delta: float = 0.05) -> float:
    """Vapnik's J, rounded up, at most 1."""
    errors, n, h, delta = _checked(errors, n, h, delta)
    r, confidence = errors / n, vapnik_confidence(n, h, delta)
    return min(1.0, (r + 2.0 * confidence * (1.0 + math.sqrt(1.0 + r / confidence))) * (1.0 + 8.0 * STEP))


def vapnik_confidence(n: int, h: int, delta: float) -> float:
    """E, rounded up."""
    if n < h:
        raise ValueError(f"Vapnik's bound needs at least h = {h} rows, got {n}; vc_tail does not")
    return (h * (1.0 + math.log(2.0 * n / h)) + math.log(4.0 / delta)) / n * (1.0 + 8.0 * STEP)


def vc_tail(errors: int, n: int, h: int, delta: float = 0.05) -> float:
    """J by inversion of the hypergeometric tail, rounded up."""
    errors, n, h, delta = _checked(errors, n, h, delta)
    return tail_bound(errors, n, growth(h, (1 + GHOSTS) * n), log_of(delta)).value


def vc_tail_of_classes(errors: int, n: int, h: int, n_classes: int, delta: float = 0.05) -> float:
    """The same for the largest of K scores, each a plane of dimension h."""
    errors, n, h, delta = _checked(errors, n, h, delta)
    return tail_bound(errors, n, growth_of_classes(h, (1 + GHOSTS) * n, n_classes), log_of(delta)).value


def vc_tail_sparse(
    errors: int, n: int, n_columns: int, nonzero: int, delta: float = 0.05, is_affine: bool = True
) -> float:
    """The same for planes with s non-zero weights of d: h = s (+ 1 affine), at delta / ((d + 1) C(d, s))."""
    h = max(1, check_count("nonzero", nonzero, 0) + is_affine)
    errors, n, h, delta = _checked(errors, n, h, delta)
    d = check_count("n_columns", n_columns)
    log_delta = log_of(delta) - sparse_cost(d, nonzero)
    return tail_bound(errors, n, growth(h, (1 + GHOSTS) * n), log_delta).value


def sparse_cost(n_columns: int, nonzero: int) -> float:
    """ln((d + 1) C(d, s)), rounded up: of choosing how many columns, and which."""
    cost = math.log(n_columns + 1.0) + log_choose(n_columns, nonzero)
    return cost + 2.0 * STEP * cost


def tail_bound(errors: int, n: int, log_growth: float, log_delta: float) -> TailBound:
    """J for a class with so many labellings of M = 5 n points."""
    ghosts = GHOSTS * n
    log_level = log_delta - math.log(4.0) - log_growth
    log_level -= 4.0 * STEP * abs(log_level)
    marked = hypergeometric_least_marked(errors, n, n + ghosts, log_level)
    value = min(1.0, max(1, marked - 1 - errors) / ghosts * (1.0 + 2.0 * STEP))
    return TailBound(value, ghosts, log_growth, log_level, marked)


def log_of(delta: float) -> float:
    """ln(delta), rounded down."""
    return math.log(delta) - STEP * abs(math.log(delta))


def _checked(errors: int, n: int, h: int, delta: float) -> tuple[int, int, int, float]:
    n, errors, h = check_count("n", n), check_count("errors", errors, 0), check_count("h", h)
    if errors > n:
        raise ValueError(f"errors must be at most n = {n}, got {errors}")
    return errors, n, h, check_share("delta", delta)
