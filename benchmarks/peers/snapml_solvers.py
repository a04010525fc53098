"""Snap ML: sum_i loss_i + regularizer (1/2 ||w||^2 or ||w||_1), so regularizer = n l2 or n l1; checked numerically.

Its threads change the algorithm, not only the time: both numbers are searched.
"""

import warnings
from functools import partial

import numpy as np
import snapml

from benchmarks.peers.solver import Solver, iterations

PEER = "snapml"


def prepare(X, y, objective):
    return X, y, len(y) * (objective.l1 if objective.l1 > 0.0 else objective.l2)


def fit(estimator_class, fixed, prepared, setting):
    X, y, regularizer = prepared
    estimator = estimator_class(
        regularizer=regularizer,
        fit_intercept=False,
        random_state=0,
        n_jobs=setting["threads"],
        max_iter=setting["max_iter"],
        tol=0.0,
        **fixed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(X, y)
    return np.ravel(estimator.coef_), {}


def solver(name, kind, estimator_class, **fixed) -> Solver:
    ladders = tuple(iterations(2000, threads=threads) for threads in (1, 2))
    return Solver(PEER, name, (kind,), ladders, prepare, partial(fit, estimator_class, fixed))


def solvers() -> list[Solver]:
    return [
        solver("LogisticRegression dual", "logistic l2", snapml.LogisticRegression, dual=True),
        solver("LogisticRegression primal", "logistic l2", snapml.LogisticRegression, dual=False),
        solver("LogisticRegression l1", "logistic l1", snapml.LogisticRegression, dual=False, penalty="l1"),
        solver("SupportVectorMachine", "hinge l2", snapml.SupportVectorMachine, loss="hinge"),
        solver("SupportVectorMachine squared", "squared_hinge l2", snapml.SupportVectorMachine, loss="squared_hinge"),
        solver("LinearRegression dual", "squared l2", snapml.LinearRegression, dual=True),
        solver("LinearRegression primal", "squared l2", snapml.LinearRegression, dual=False),
        solver("LinearRegression l1", "squared l1", snapml.LinearRegression, dual=False, penalty="l1"),
    ]
