"""statsmodels: quantile regression by reweighted least squares.

Its fit always makes a covariance matrix too; we ask for the cheaper one.
"""

import warnings

import numpy as np
from statsmodels.regression.quantile_regression import QuantReg
from statsmodels.tools.sm_exceptions import IterationLimitWarning

from benchmarks.peers.solver import ONE_OR_TWO_THREADS, Solver, iterations, tolerances, without_threads

PEER = "statsmodels"


def prepare(X, y, objective):
    # |r| is twice the quantile loss of level 1/2.
    level = objective.parameters.get("level", 0.5)
    return QuantReg(y, np.column_stack([X, np.ones(len(y))])), level


def fit(prepared, setting):
    model, level = prepared
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IterationLimitWarning)
        return model.fit(q=level, vcov="iid", **without_threads(setting)).params, {}


def solvers() -> list[Solver]:
    # Its tolerance is absolute, in the units of the weights.
    ladders = tolerances(1e3, 1e-9, key="p_tol", per_decade=1, max_iter=10_000), iterations(2000, p_tol=1e-14)
    kinds = ("quantile", "absolute")
    return [Solver(PEER, "QuantReg", kinds, ladders, prepare, fit, ("dense",), variants=ONE_OR_TWO_THREADS)]
