"""The plane in the middle of a prior: the fit of the prior's rows, which is what needs a solver."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.driver import minimize
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.solution import Solution


def prior_fit(problem: EmpiricalRisk, is_prior: NDArray[np.bool_], tol: float = 1e-6) -> Solution:
    """Minimise the same objective over these rows alone; ValueError where they are none, or all, or of one class.

    Strengths that were chosen by looking at all rows, and columns scaled by them, would let the prior see the others:
    the problem must have been posed without them.
    """
    rows = np.flatnonzero(is_prior)
    if not 0 < rows.size < is_prior.size:
        raise ValueError(f"{rows.size} of {is_prior.size} rows are the prior's: it needs some, and some for the bound")
    labels = np.asarray(problem.labels)[rows]
    if labels.min() == labels.max():
        raise ValueError("the rows of the prior are all of one class: give more rows, or another seed")
    return minimize(problem.with_rows(rows), tol=tol)
