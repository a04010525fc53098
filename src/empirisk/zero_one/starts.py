"""Planes to begin with: constants, surrogate losses, and local searches from each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from empirisk.driver import minimize
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Vector
from empirisk.zero_one.budget import Budget
from empirisk.zero_one.plane_sweeps import local_search, through_every_point
from empirisk.zero_one.whitened_points import WhitenedPoints

SURROGATES = ("logistic", "hinge")
STRENGTH = 1e-3  # l2 of the surrogates
PRECISION = 1e-3
ROUNDS = 20  # of a local search, for each coordinate
MOST_ROUNDS = 400
MOST_WORK = 2e8  # numbers read by one
LEAST_FOR_SURROGATES = 5  # coordinates, below which local searches alone do
SWEPT_THROUGH_EACH = 1000  # points up to which planes are swept through every one of them


def directions(whitened: WhitenedPoints, budget: Budget, seed: int) -> Iterator[Vector]:
    """Directions, each as good as a local search could make it; the first without one, for no time at all.

    With three coordinates or fewer sweeps through every point follow: one meets an optimal plane unless points lie on
    common lines. The surrogates are minimised on these points: y (x, 1), with labels +1 and no intercept.
    """
    k = whitened.a.shape[1]
    norms = np.maximum(np.sqrt(np.sum(whitened.a * whitened.a, axis=1)), 1e-300)
    unit = whitened.a / norms[:, None]
    shares = whitened.weights / whitened.weights.max()
    mean = np.sum(shares[:, None] * unit, axis=0)
    yield mean
    if budget.is_spent():
        return
    if 2 <= k <= 3 and whitened.a.shape[0] <= SWEPT_THROUGH_EACH:
        best = np.zeros(k)
        through_every_point(whitened.a, whitened.weights, best)
        yield best
        return
    surrogates = SURROGATES if k >= LEAST_FOR_SURROGATES else ()
    rounds = max(10, int(min(ROUNDS * k, MOST_ROUNDS, MOST_WORK / whitened.a.size)))
    for turn, loss in enumerate(("none", *surrogates, "random")):
        if budget.is_spent():
            return
        if loss == "none":
            u = mean
        elif loss == "random":
            u = np.random.default_rng(seed).standard_normal(size=(k,))
        else:
            problem = EmpiricalRisk(
                unit, np.ones(unit.shape[0]), loss, l2=STRENGTH, sample_weight=shares, fit_intercept=False
            )
            u = np.array(minimize(problem, tol=PRECISION, seed=seed).weights, dtype=np.float64)
            yield u
        if k > 1 and np.any(u):
            local_search(whitened.a, whitened.weights, norms, u, seed + turn, rounds)
            yield u
