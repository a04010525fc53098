"""skglm: (1/n) sum_i loss_i + penalty, as ours. Columns: Fortran order or CSC; compiled by Numba at the first call.

Its LinearSVC minimises 1/2 ||w||^2 + C sum_i hinge_i in the dual, so C = 1 / (n l2). The solvers are called without the
estimators around them, which would check and copy: a favour to the peer.
"""

import warnings
from functools import partial

import sklearn
from skglm import LinearSVC
from skglm.datafits import Huber, Logistic, Quadratic
from skglm.penalties import L1, L2, L1_plus_L2
from skglm.solvers import FISTA, LBFGS, AndersonCD, GramCD, ProxNewton
from sklearn.exceptions import ConvergenceWarning

from benchmarks.peers.solver import ONE_OR_TWO_THREADS, Solver, tolerances, without_threads

PEER = "skglm"
COLUMNS = ("fortran", "csc")
OUTER = 1000  # outer iterations: the tolerance is what stops
COMPILING = {"tol": 1e-10, "max_iter": 2}


def datafit(objective):
    return {"logistic": Logistic, "squared": Quadratic, "huber": Huber}[objective.name](**objective.parameters)


def prepare(X, y, objective):
    penalty = L1(objective.l1) if objective.l1 > 0.0 else L1_plus_L2(objective.l2, 0.0)
    return X, y, datafit(objective), penalty


def prepare_smooth(X, y, objective):
    return X, y, datafit(objective), L2(objective.l2)


def prepare_gram(X, y, objective):
    return X, y, None, L1(objective.l1)


def fit(solver_class, fixed, prepared, setting):
    X, y, loss, penalty = prepared
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solver_class(**{**fixed, **without_threads(setting)}).solve(X, y, loss, penalty)[0], {}


def prepare_svc(X, y, objective):
    return X, y, 1.0 / (len(y) * objective.l2)


def fit_svc(prepared, setting):
    X, y, cost = prepared
    with warnings.catch_warnings(), sklearn.config_context(assume_finite=True):
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LinearSVC(C=cost, fit_intercept=False, **{"max_iter": OUTER, **without_threads(setting)}).fit(
            X, y
        ).coef_.ravel(), {}


def solver(name, kinds, solver_class, prepare=prepare, most_weights=None, representations=COLUMNS, **fixed) -> Solver:
    call = partial(fit, solver_class, {"max_iter": OUTER, **fixed})
    # Its tolerance bounds a (sub)gradient, absolutely.
    ladder = tolerances(1e-1, 1e-10)
    threads = ONE_OR_TWO_THREADS
    return Solver(PEER, name, kinds, (ladder,), prepare, call, representations, most_weights, threads, (), COMPILING)


def solvers() -> list[Solver]:
    l1 = ("logistic l1", "squared l1")
    coordinate = (*l1, "squared l2", "huber l2")
    svc_ladder = tolerances(1e1, 1e-8)
    return [
        solver("ProxNewton", ("logistic l1",), ProxNewton, fit_intercept=False),
        solver("AndersonCD", coordinate, AndersonCD, fit_intercept=False),
        solver("AndersonCD fixpoint", coordinate, AndersonCD, fit_intercept=False, ws_strategy="fixpoint"),
        solver("GramCD", ("squared l1",), GramCD, prepare_gram, 5000, fit_intercept=False),
        solver("FISTA", ("squared l1",), FISTA, max_iter=10_000),
        solver("LBFGS", ("logistic l2",), LBFGS, prepare_smooth),
        solver("LBFGS dense", ("squared l2",), LBFGS, prepare_smooth, representations=("fortran",)),
        Solver(PEER, "LinearSVC", ("hinge l2",), (svc_ladder,), prepare_svc, fit_svc, COLUMNS, compiling=COMPILING),
    ]
