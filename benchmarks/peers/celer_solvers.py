"""Celer: working sets with dual extrapolation for the Lasso, (1/2n) ||y - X w||^2 + alpha ||w||_1, and l1-logistic.

Its LogisticRegression minimises ||w||_1 + C sum_i loss_i, so C = 1 / (n l1). Columns: Fortran order or CSC.
"""

import warnings
from functools import partial

import celer
import sklearn
from sklearn.exceptions import ConvergenceWarning

from benchmarks.peers.solver import ONE_OR_TWO_THREADS, Solver, tolerances, without_threads

PEER = "celer"


def prepare(X, y, objective):
    return X, y, objective.l1


def fit_lasso(prepared, setting):
    return fitted(celer.Lasso(alpha=prepared[-1], fit_intercept=False, **without_threads(setting)), prepared)


def fit_logistic(method, prepared, setting):
    _, y, l1 = prepared
    return fitted(celer.LogisticRegression(C=1.0 / (len(y) * l1), solver=method, **without_threads(setting)), prepared)


def fitted(estimator, prepared):
    X, y, _ = prepared
    # The check for NaN is switched off: a favour to the peer.
    with warnings.catch_warnings(), sklearn.config_context(assume_finite=True):
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FutureWarning)
        estimator.fit(X, y)
    return estimator.coef_.ravel(), {}


def solvers() -> list[Solver]:
    ladder = tolerances(1e-1, 1e-10)
    columns = ("fortran", "csc")
    return [
        Solver(PEER, name, (kind,), (ladder,), prepare, fit, columns, variants=ONE_OR_TWO_THREADS)
        for name, kind, fit in (
            ("Lasso", "squared l1", fit_lasso),
            ("celer-pn", "logistic l1", partial(fit_logistic, "celer-pn")),
            ("celer", "logistic l1", partial(fit_logistic, "celer")),
        )
    ]
