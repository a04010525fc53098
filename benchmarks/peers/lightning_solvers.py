"""sklearn-contrib-lightning: its coordinate descent, SAG, SAGA, SDCA, FISTA and LinearSVC.

Conventions, checked numerically: LinearSVC has C = 1 / (n l2). SAG, SAGA and SDCA minimise (1/n) sum_i loss_i +
alpha/2 ||w||^2 (+ beta ||w||_1). CD and FISTA take C = 1/n and the strength as alpha; CDRegressor's loss lacks the
factor one half, so alpha is doubled there. SGD, SVRG and AdaGrad, whose step size the user must find, are left out.
"""

import warnings
from functools import partial

import sklearn
from lightning import classification, regression
from sklearn.exceptions import ConvergenceWarning

from benchmarks.peers.solver import Solver, iterations, tolerances

PEER = "lightning"
LOSS_NAMES = {"logistic": "log", "squared_hinge": "squared_hinge", "hinge": "hinge", "squared": "squared"}
ROWS, COLUMNS = ("dense", "csr"), ("fortran", "csc")


def prepare_svc(X, y, objective):
    return X, y, {"loss": objective.name, "C": 1.0 / (len(y) * objective.l2), "random_state": 0}


def prepare_sampling(X, y, objective):
    penalty = {"penalty": "l1", "beta": objective.l1} if objective.l1 > 0.0 else {"penalty": None, "beta": 0.0}
    return X, y, {"loss": LOSS_NAMES[objective.name], "alpha": objective.l2, "random_state": 0, **penalty}


def prepare_dual(X, y, objective):
    return X, y, {"loss": LOSS_NAMES[objective.name], "alpha": objective.l2, "random_state": 0}


def prepare_columns(X, y, objective):
    factor = 2.0 if objective.name == "squared" else 1.0
    penalty, strength = ("l1", objective.l1) if objective.l1 > 0.0 else ("l2", objective.l2)
    problem = {"penalty": penalty, "alpha": factor * strength, "C": 1.0 / len(y)}
    return X, y, {"loss": LOSS_NAMES[objective.name], "random_state": 0, **problem}


def prepare_fista(X, y, objective):
    named = {} if objective.name == "squared" else {"loss": LOSS_NAMES[objective.name]}
    return X, y, {"penalty": "l1", "alpha": objective.l1, "C": 1.0 / len(y), **named}


def fit(estimator_class, prepared, setting):
    X, y, problem = prepared
    with warnings.catch_warnings(), sklearn.config_context(assume_finite=True):
        warnings.simplefilter("ignore", ConvergenceWarning)
        return estimator_class(**problem, **setting).fit(X, y).coef_.ravel(), {}


def solver(estimator_class, losses, ladder, prepare, representations) -> Solver:
    name = estimator_class.__name__
    return Solver(PEER, name, losses, (ladder,), prepare, partial(fit, estimator_class), representations)


def solvers() -> list[Solver]:
    passes = iterations(2000, tol=1e-14)
    dual = tolerances(1e1, 1e-8, max_iter=10_000)
    smooth = ("logistic l2", "squared_hinge l2")
    return [
        solver(classification.LinearSVC, ("hinge l2", "squared_hinge l2"), dual, prepare_svc, ROWS),
        solver(classification.SDCAClassifier, ("hinge l2", "squared_hinge l2"), passes, prepare_dual, ROWS),
        solver(classification.SAGClassifier, smooth, passes, prepare_sampling, ROWS),
        solver(classification.SAGAClassifier, (*smooth, "logistic l1"), passes, prepare_sampling, ROWS),
        solver(
            classification.CDClassifier, (*smooth, "logistic l1", "squared_hinge l1"), passes, prepare_columns, COLUMNS
        ),
        solver(classification.FistaClassifier, ("squared_hinge l1",), iterations(2000), prepare_fista, ROWS),
        solver(regression.SDCARegressor, ("squared l2",), passes, prepare_dual, ROWS),
        solver(regression.SAGRegressor, ("squared l2",), passes, prepare_sampling, ROWS),
        solver(regression.SAGARegressor, ("squared l2", "squared l1"), passes, prepare_sampling, ROWS),
        solver(regression.CDRegressor, ("squared l2", "squared l1"), passes, prepare_columns, COLUMNS),
        solver(regression.FistaRegressor, ("squared l1",), iterations(2000), prepare_fista, ROWS),
    ]
