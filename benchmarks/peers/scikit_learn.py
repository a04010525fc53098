"""scikit-learn: LogisticRegression and LinearSVC minimise 1/2 ||w||^2 + C sum_i loss_i, so C = 1 / (n l2)."""

import warnings
from functools import partial

import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from threadpoolctl import ThreadpoolController

from benchmarks.peers.solver import Solver, iterations, tolerances, with_threads

PEER = "scikit-learn"
# Made once: looking for the loaded libraries takes milliseconds, which would be charged to the fit.
THREAD_POOLS = ThreadpoolController()


def prepare(X, y, l2, loss):
    return X, y, 1.0 / (len(y) * l2)


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
    return estimator.coef_.ravel(), {}


def logistic(name, ladders, most_columns=None, **fixed) -> Solver:
    return Solver(
        PEER, name, ("logistic",), ladders, prepare, partial(fit, LogisticRegression, fixed), most_columns=most_columns
    )


def squared_hinge(name, ladders, **fixed) -> Solver:
    fixed = {"loss": "squared_hinge", **fixed}
    return Solver(PEER, name, ("squared_hinge",), ladders, prepare, partial(fit, LinearSVC, fixed))


def solvers() -> list[Solver]:
    primal = with_threads(tolerances(1.0, 1e-8, max_iter=10_000))
    # random_state fixes the order of the coordinates, so that repeats repeat.
    dual = with_threads(iterations(2000, tol=1e-12), tolerances(10.0, 1e-6, max_iter=10_000))
    newton = with_threads(tolerances(1e-1, 1e-9, max_iter=1000))
    return [
        logistic("lbfgs", with_threads(tolerances(1e-1, 1e-9, max_iter=100_000)), solver="lbfgs"),
        logistic("newton-cholesky", newton, 5000, solver="newton-cholesky"),
        logistic("newton-cg", newton, solver="newton-cg"),
        logistic("liblinear primal", primal, solver="liblinear", dual=False),
        logistic("liblinear dual", dual, solver="liblinear", dual=True, random_state=0),
        squared_hinge("LinearSVC primal", primal, dual=False),
        squared_hinge("LinearSVC dual", dual, dual=True, random_state=0),
    ]
