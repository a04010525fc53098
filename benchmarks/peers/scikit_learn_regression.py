"""scikit-learn: QuantileRegressor and HuberRegressor with alpha = 0, and so without a penalty.

HuberRegressor estimates the standard deviation s along with the weights and has no other mode. Its weights minimise
the Huber loss with delta = epsilon s, and are judged by that loss (`huber_scale.py` finds s).
"""

import warnings
from functools import partial

import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import HuberRegressor, QuantileRegressor

from benchmarks.huber_scale import EPSILON
from benchmarks.peers.highs import highs_options, ladders
from benchmarks.peers.solver import Solver, iterations, tolerances, with_threads
from benchmarks.peers.thread_pools import THREAD_POOLS

PEER = "scikit-learn"


def prepare(X, y, objective):
    return X, y, objective


def fit_quantile(method, prepared, setting):
    level = prepared[-1].parameters.get("level", 0.5)
    estimator = QuantileRegressor(
        quantile=level, alpha=0.0, solver=method, solver_options=highs_options(method, setting)
    )
    return fitted(estimator, prepared, setting)


def fit_huber(prepared, setting):
    own = {key: value for key, value in setting.items() if key != "threads"}
    return fitted(HuberRegressor(epsilon=EPSILON, alpha=0.0, **own), prepared, setting)


def fitted(estimator, prepared, setting):
    X, y, _ = prepared
    # The check for NaN is switched off: a favour to the peer. Stopping early is what the sweep is for: no warning.
    with (
        warnings.catch_warnings(),
        sklearn.config_context(assume_finite=True),
        THREAD_POOLS.limit(limits=setting.get("threads")),
    ):
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(X, y)
    return np.append(estimator.coef_, estimator.intercept_), {}


def solvers() -> list[Solver]:
    # By iterations too: L-BFGS-B also stops on a relative gain of 2e-9, which no tolerance of the class reaches.
    huber = with_threads(tolerances(1e3, 1e-9, max_iter=100_000), iterations(10_000, tol=1e-12))
    return [
        Solver(PEER, "HuberRegressor", ("huber",), huber, prepare, fit_huber, ("dense",)),
        *(
            Solver(
                PEER,
                f"QuantileRegressor {method}",
                ("quantile", "absolute"),
                ladders(),
                prepare,
                partial(fit_quantile, method),
                ("dense",),
            )
            for method in ("highs", "highs-ds", "highs-ipm")
        ),
    ]
