"""The empirical Rademacher complexity of planes by random labels, and the bound that it gives.

Rad = E max over h of (1/n) sum_i s_i h(x_i), s_i = -1 or +1 by a coin. Changing one of the n T coins of T draws
changes their mean by at most 2 c_i / (n T), c_i = max |h(x_i)|, so with probability 1 - delta (McDiarmid)

    Rad <= mean of the T maxima + sqrt(2 ln(1 / delta) sum_i c_i^2 / T) / n

Norm balls, h(x) = <w, z~> with ||w|| <= B: the maximum is (B / n) ||sum_i s_i z~_i||, c_i = B ||z~_i||. Affine planes
that predict -1 or +1: the maximum is 1 - 2 (fewest errors on the labels s) / n, c_i = 1. A plane with a row on it can
be moved off it without changing its prediction, +1, so that errors may be counted strictly. A search that was cut
short has proven a lower bound of the errors: it stands in, and the claim stays valid. Then with probability 1 - delta

    R <= k / n + Rad + 3 sqrt(ln(2 / delta) / (2 n))          for all planes at once

Reference: Bartlett and Mendelson (2002); Mohri, Rostamizadeh and Talwalkar (2018), theorem 3.5.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.bounds.augmented_rows import lengths_of, with_one
from empirisk.designs import as_design, check_finite, matrix_of
from empirisk.parameters import check_count, check_positive, check_seed, check_share
from empirisk.protocols import Vector
from empirisk.rows.fingerprint import mixed_words
from empirisk.zero_one.fewest_errors import fewest_errors
from empirisk.zero_one.optimality import ZeroOneOptimality

TOP_BIT = np.uint64(63)


class Complexity(NamedTuple):
    """An upper bound of an empirical Rademacher complexity, which fails with probability `delta` over the coins."""

    value: float  # mean + error
    mean: float  # of the maxima, or of upper bounds of them
    error: float  # of so many draws
    draws: int
    delta: float
    proofs: tuple[ZeroOneOptimality | None, ...] = ()  # of the fewest errors; None where all labels were alike


def ball_complexity(
    X: Any, radius: float, *, fit_intercept: bool = True, draws: int = 100, seed: int = 0, delta: float = 0.005
) -> Complexity:
    """Of scores <w, z~> with ||w|| <= radius, z~ = (x, 1) or x."""
    rows, count, delta = _rows(X, fit_intercept), check_count("draws", draws), check_share("delta", delta)
    radius = check_positive("radius", radius)
    n, lengths = rows.shape[0], lengths_of(rows)
    maxima = [radius / n * float(np.linalg.norm(np.asarray(rows.T @ s))) for s in _signs(n, count, seed)]
    return _complexity(maxima, radius * float(np.linalg.norm(lengths)), n, delta, ())


def plane_complexity(
    X: Any,
    *,
    draws: int = 20,
    seed: int = 0,
    delta: float = 0.005,
    time_limit: float | None = 10.0,
    max_nodes: int | None = None,
) -> Complexity:
    """Of the predictions of affine planes; `time_limit` (seconds) and `max_nodes` are for each draw."""
    design, count, delta = as_design(X), check_count("draws", draws), check_share("delta", delta)
    n = design.n_rows()
    maxima: list[float] = []
    proofs: list[ZeroOneOptimality | None] = []
    for s in _signs(n, count, seed):
        if np.all(s == s[0]):
            proofs.append(None)
            maxima.append(1.0)
            continue
        found = fewest_errors(design, s, time_limit=time_limit, max_nodes=max_nodes, seed=0)
        proofs.append(found.certificate)
        maxima.append(1.0 - 2.0 * math.floor(found.bound) / n)
    return _complexity(maxima, math.sqrt(n), n, delta, tuple(proofs))


def rademacher_bound(errors: int, n: int, complexity: Complexity, delta: float = 0.05) -> float:
    """J of every plane with so many errors on these rows; the `delta` of the complexity is part of this one."""
    n, errors, delta = check_count("n", n), check_count("errors", errors, 0), check_share("delta", delta)
    if errors > n:
        raise ValueError(f"errors must be at most n = {n}, got {errors}")
    if not complexity.delta < delta:
        raise ValueError(f"delta must be larger than that of the complexity, {complexity.delta:g}, got {delta:g}")
    rest = 3.0 * math.sqrt(math.log(2.0 / (delta - complexity.delta)) / (2.0 * n))
    return min(1.0, (errors / n + complexity.value + rest) * (1.0 + 16.0 * UNIT))


def _complexity(maxima: list[float], size: float, n: int, delta: float, proofs: Any) -> Complexity:
    """`size` is sqrt(sum c_i^2)."""
    draws = len(maxima)
    mean = math.fsum(maxima) / draws
    error = size / n * math.sqrt(2.0 * math.log(1.0 / delta) / draws)
    value = (max(0.0, mean) + error) * (1.0 + 8.0 * (n + 8) * UNIT)
    return Complexity(value, mean, error, draws, delta, proofs)


def _rows(X: Any, fit_intercept: bool) -> Any:
    design = as_design(X)
    check_finite(design)
    return with_one(matrix_of(design), fit_intercept)


def _signs(n: int, draws: int, seed: int) -> list[Vector]:
    """Coins, the same on every machine."""
    words = mixed_words(n * draws, check_seed(seed)).reshape(draws, n)
    return [np.where(line >> TOP_BIT == 0, -1.0, 1.0) for line in words]
