"""scikit-learn: LogisticRegression and LinearSVC minimise penalty + C sum_i loss_i, so C = 1 / (n l2) or 1 / (n l1).

With more than two classes LogisticRegression is softmax.
"""

import warnings
from functools import partial

import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.peers.solver import ONE_OR_TWO_THREADS, Ladder, Solver, iterations, tolerances, without_threads

PEER = "scikit-learn"


def prepare(X, y, objective):
    return X, y, 1.0 / (len(y) * (objective.l1 if objective.l1 > 0.0 else objective.l2))


def fit(estimator_class, fixed, prepared, setting):
    X, y, cost = prepared
    estimator = estimator_class(C=cost, fit_intercept=False, **fixed, **without_threads(setting))
    return run(estimator, X, y).coef_.squeeze(), {}


def run(estimator, X, y):
    # The check for NaN is switched off: a favour to the peer. Stopping early is what the search is for: no warning.
    with warnings.catch_warnings(), sklearn.config_context(assume_finite=True):
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FutureWarning)
        return estimator.fit(X, y)


def solver(estimator_class, name, kinds, *ladders: Ladder, most_weights=None, threads=True, **fixed) -> Solver:
    return Solver(
        PEER,
        name,
        kinds,
        ladders,
        prepare,
        partial(fit, estimator_class, fixed),
        most_weights=most_weights,
        variants=ONE_OR_TWO_THREADS if threads else ({},),
    )


def solvers() -> list[Solver]:
    primal = tolerances(1.0, 1e-8, max_iter=10_000)
    # random_state fixes the order of the coordinates, so that repeats repeat.
    dual = iterations(2000, tol=1e-12), tolerances(10.0, 1e-6, max_iter=10_000)
    newton = tolerances(1e-1, 1e-9, max_iter=1000)
    lbfgs = tolerances(1e-1, 1e-9, max_iter=100_000)
    passes = iterations(2000, tol=1e-12)
    logistic, svc = partial(solver, LogisticRegression), partial(solver, LinearSVC)
    both = ("logistic l2", "softmax l2")
    # The loops of liblinear, sag and saga are serial and call no BLAS: one thread.
    l1 = {"threads": False, "random_state": 0}
    return [
        logistic("lbfgs", both, lbfgs, solver="lbfgs"),
        logistic("newton-cholesky", both, newton, most_weights=5000, solver="newton-cholesky"),
        logistic("newton-cg", both, newton, solver="newton-cg"),
        logistic("liblinear primal", ("logistic l2",), primal, solver="liblinear", dual=False),
        logistic("liblinear dual", ("logistic l2",), *dual, solver="liblinear", dual=True, **l1),
        logistic("sag", both, passes, solver="sag", **l1),
        logistic("saga", both, passes, solver="saga", **l1),
        logistic("saga l1", ("logistic l1",), passes, solver="saga", l1_ratio=1.0, **l1),
        logistic("liblinear l1", ("logistic l1",), primal, passes, solver="liblinear", l1_ratio=1.0, **l1),
        svc("LinearSVC primal", ("squared_hinge l2",), primal, loss="squared_hinge", dual=False),
        svc("LinearSVC dual", ("squared_hinge l2",), *dual, loss="squared_hinge", dual=True, **l1),
        svc("LinearSVC hinge", ("hinge l2",), *dual, loss="hinge", dual=True, **l1),
        svc("LinearSVC l1", ("squared_hinge l1",), primal, passes, penalty="l1", dual=False, **l1),
    ]
