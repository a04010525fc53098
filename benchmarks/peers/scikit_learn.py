"""scikit-learn: LogisticRegression and LinearSVC minimise 1/2 ||w||^2 + C sum_i loss_i, so C = 1 / (n l2).

With more than two classes LogisticRegression is softmax.
"""

import warnings
from functools import partial

import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from benchmarks.peers.solver import Solver, iterations, tolerances, with_threads
from benchmarks.peers.thread_pools import THREAD_POOLS

PEER = "scikit-learn"


def prepare(X, y, objective):
    return X, y, 1.0 / (len(y) * objective.l2)


def fit(estimator_class, fixed, prepared, setting):
    X, y, cost = prepared
    own = {key: value for key, value in setting.items() if key != "threads"}
    estimator = estimator_class(C=cost, fit_intercept=False, **fixed, **own)
    # The check for NaN is switched off: a favour to the peer. Stopping early is what the sweep is for: no warning.
    with (
        warnings.catch_warnings(),
        sklearn.config_context(assume_finite=True),
        THREAD_POOLS.limit(limits=setting.get("threads")),
    ):
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FutureWarning)
        estimator.fit(X, y)
    return estimator.coef_.squeeze(), {}


def logistic(name, ladders, losses=("logistic",), most_weights=None, **fixed) -> Solver:
    call = partial(fit, LogisticRegression, fixed)
    return Solver(PEER, name, losses, ladders, prepare, call, most_weights=most_weights)


def squared_hinge(name, ladders, **fixed) -> Solver:
    fixed = {"loss": "squared_hinge", **fixed}
    return Solver(PEER, name, ("squared_hinge",), ladders, prepare, partial(fit, LinearSVC, fixed))


def solvers() -> list[Solver]:
    primal = with_threads(tolerances(1.0, 1e-8, max_iter=10_000))
    # random_state fixes the order of the coordinates, so that repeats repeat.
    dual = with_threads(iterations(2000, tol=1e-12), tolerances(10.0, 1e-6, max_iter=10_000))
    newton = with_threads(tolerances(1e-1, 1e-9, max_iter=1000))
    lbfgs = with_threads(tolerances(1e-1, 1e-9, max_iter=100_000))
    # Their loops are serial and call no BLAS: one thread.
    sampling = tuple(iterations(2000, tol=1e-12)), tuple(tolerances(1e-1, 1e-9, max_iter=10_000))
    both = ("logistic", "softmax")
    return [
        logistic("lbfgs", lbfgs, both, solver="lbfgs"),
        logistic("newton-cholesky", newton, both, 5000, solver="newton-cholesky"),
        logistic("newton-cg", newton, both, solver="newton-cg"),
        logistic("liblinear primal", primal, solver="liblinear", dual=False),
        logistic("liblinear dual", dual, solver="liblinear", dual=True, random_state=0),
        logistic("sag", sampling, ("softmax",), solver="sag", random_state=0),
        logistic("saga", sampling, ("softmax",), solver="saga", random_state=0),
        squared_hinge("LinearSVC primal", primal, dual=False),
        squared_hinge("LinearSVC dual", dual, dual=True, random_state=0),
    ]
