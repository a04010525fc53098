"""Cyanure: (1/n) sum_i loss_i + lambda_1/2 ||w||^2, with one half in its squared hinge, so lambda_1 = l2/2 there.

The conventions were checked numerically: its objective and ours agree to 1e-12 at the optimum.
"""

import warnings
from functools import partial

from cyanure.estimators import Classifier
from sklearn.exceptions import ConvergenceWarning

from benchmarks.objective import ONE_VERSUS_REST
from benchmarks.peers.solver import Solver, iterations, tolerances, with_threads

PEER = "cyanure"
# Its name of the loss, what it does with many classes, and lambda_1 / l2.
NAMES = {
    "logistic": ("logistic", "auto", 1.0),
    "squared_hinge": ("sqhinge", "auto", 0.5),
    "softmax": ("multiclass-logistic", "multinomial", 1.0),
    f"{ONE_VERSUS_REST}logistic": ("logistic", "ovr", 1.0),
    f"{ONE_VERSUS_REST}squared_hinge": ("sqhinge", "ovr", 0.5),
}


def prepare(X, y, objective):
    name, multi_class, factor = NAMES[objective.name]
    return X, y, {"loss": name, "multi_class": multi_class, "lambda_1": factor * objective.l2}


def fit(solver, prepared, setting):
    X, y, problem = prepared
    own = {key: value for key, value in setting.items() if key != "threads"}
    # safe=False leaves out its checks of the input: a favour to the peer.
    classifier = Classifier(
        penalty="l2",
        solver=solver,
        fit_intercept=False,
        verbose=False,
        n_threads=setting["threads"],
        safe=False,
        **problem,
        **own,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(X, y)
    return classifier.coef_.T, {}


def solvers() -> list[Solver]:
    # By passes without a look at the gap, and by the gap at its default interval.
    ladders = with_threads(
        iterations(500, tol=1e-14, duality_gap_interval=100_000),
        tolerances(1e-1, 1e-8, max_iter=2000, duality_gap_interval=10),
    )
    return [
        Solver(PEER, name, tuple(NAMES), ladders, prepare, partial(fit, name))
        for name in ("auto", "qning-miso", "catalyst-miso", "acc-svrg")
    ]
