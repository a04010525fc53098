"""The held-out losses of a quadratic loss from the moments of the folds: each row is read once, whatever is tried.

The moments of the rows outside a fold are the weighted mean of those of the other folds. They give the minimiser for
each pair of strengths, with its gap, and the moments of the fold itself its mean loss there (`problems.moments`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import missing
from empirisk.models.limit import NO_LIMIT, Limit
from empirisk.models.newest_fit import NewestFit
from empirisk.models.options import FitOptions
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.moments import Moments, joined, moments_of
from empirisk.protocols import Vector
from empirisk.solvers import NormalEquations, cholesky_is_cheap

LEAST_LOSS = 1e-6  # of the mean loss at zero: what is smaller has lost digits in the moments


def losses_by_moments(
    problem: LinearRisk,
    options: FitOptions,
    pairs: Sequence[tuple[float, float]],
    folds: NDArray[np.int64],
    limit: Limit = NO_LIMIT,
    newest: NewestFit | None = None,
) -> NDArray[np.float64] | None:
    """The mean loss on each fold (rows) for each pair (l1, l2) of strengths, fitted on the others to the tolerance.

    Where the limit is reached there are the folds before; `newest` is told of every fit. None where moments are not the
    way, or do not reach the tolerance: classification, whose errors need every score, losses that are not quadratic,
    too many columns, columns too much alike.
    """
    method = NormalEquations()
    if options.task != "regression" or not (options.solver == "auto" or isinstance(options.solver, NormalEquations)):
        return None
    if not isinstance(problem, EmpiricalRisk) or missing(method, problem) or not cholesky_is_cheap(problem.rows):
        return None
    newest = NewestFit() if newest is None else newest
    parts = [problem.with_rows(np.flatnonzero(folds == fold)) for fold in range(int(folds.max()) + 1)]
    means = [moments_of(part) for part in parts]
    weighed = [problem.with_strengths(*pair) for pair in pairs]
    losses = np.empty((len(parts), len(weighed)))
    for fold, held_out in enumerate(means):
        others = [k for k in range(len(parts)) if k != fold]
        training = joined([means[k] for k in others], [parts[k].total_weight for k in others])
        x = problem.zero().stacked()
        for k, one in enumerate(weighed):
            if limit.is_reached():
                return losses[:fold]
            found = _minimiser(method, one, x, training, options.tol)
            if found is not None:
                x = found
                losses[fold, k] = held_out.risk(x if problem.fit_intercept else x[:-1])
            if found is None or not losses[fold, k] > LEAST_LOSS * held_out.level:
                newest.forget()
                return None
            newest.note(fold, *pairs[k], losses[fold, k], LinearPoint.of(x))
    return losses


def _minimiser(method: NormalEquations, problem: EmpiricalRisk, x: Vector, means: Moments, tol: float) -> Vector | None:
    """From x on; None where its gap, as the moments have it, is above the tolerance."""
    state = method.step(problem, method.begin(problem, x, means))
    said = method.progress(problem, state)
    return state.x if said.gap <= tol * abs(said.objective) else None
