"""Cyanure: (1/n) sum_i loss_i + lambda_1/2 ||w||^2 or lambda_1 ||w||_1, with one half in its squared hinge.

The conventions were checked numerically: its objective and ours agree to 1e-12 at the optimum.
"""

import warnings
from functools import partial

from cyanure.estimators import Classifier, Regression
from sklearn.exceptions import ConvergenceWarning

from benchmarks.objective import ONE_VERSUS_REST
from benchmarks.peers.solver import ONE_OR_TWO_THREADS, Solver, iterations, tolerances, without_threads

PEER = "cyanure"
# Its name of the loss, its class, what that does with many classes, and lambda_1 / strength.
LOSSES = {
    "logistic": ("logistic", Classifier, "auto", 1.0),
    "squared_hinge": ("sqhinge", Classifier, "auto", 0.5),
    "squared": ("square", Regression, "auto", 1.0),
    "softmax": ("multiclass-logistic", Classifier, "multinomial", 1.0),
    f"{ONE_VERSUS_REST}logistic": ("logistic", Classifier, "ovr", 1.0),
    f"{ONE_VERSUS_REST}squared_hinge": ("sqhinge", Classifier, "ovr", 0.5),
}
KINDS = (*(f"{loss} l2" for loss in LOSSES), "logistic l1", "squared_hinge l1", "squared l1")
SOLVERS = ("auto", "qning-miso", "catalyst-miso", "acc-svrg", "qning-svrg", "catalyst-svrg", "qning-ista", "fista")


def prepare(X, y, objective):
    name, estimator_class, multi_class, factor = LOSSES[objective.name]
    penalty, strength = ("l1", objective.l1) if objective.l1 > 0.0 else ("l2", objective.l2)
    problem = {"penalty": penalty, "lambda_1": factor * strength}
    if estimator_class is Classifier:
        problem |= {"loss": name, "multi_class": multi_class}
    return X, y, estimator_class, problem


def fit(solver, prepared, setting):
    X, y, estimator_class, problem = prepared
    # safe=False leaves out its checks of the input: a favour to the peer.
    estimator = estimator_class(
        solver=solver,
        fit_intercept=False,
        verbose=False,
        n_threads=setting["threads"],
        safe=False,
        **problem,
        **without_threads(setting),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator.fit(X, y)
    return estimator.coef_.T if estimator_class is Classifier else estimator.coef_.ravel(), {}


def solvers() -> list[Solver]:
    # By passes without a look at the gap; "auto" also by the gap at its default interval.
    passes = iterations(2000, tol=1e-14, duality_gap_interval=100_000)
    gaps = tolerances(1e-1, 1e-8, max_iter=2000, duality_gap_interval=10)
    return [
        Solver(
            PEER,
            name,
            KINDS,
            (passes, gaps) if name == "auto" else (passes,),
            prepare,
            partial(fit, name),
            variants=ONE_OR_TWO_THREADS,
        )
        for name in SOLVERS
    ]
