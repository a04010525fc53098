"""Cyanure: (1/n) sum_i loss_i + lambda_1/2 ||w||^2, with one half in its squared hinge, so lambda_1 = l2/2 there.

Both conventions were checked numerically: its objective and ours agree to 1e-12 at the optimum.
"""

import warnings
from functools import partial

from cyanure.estimators import Classifier
from sklearn.exceptions import ConvergenceWarning

from benchmarks.peers.solver import Solver, iterations, tolerances, with_threads

PEER = "cyanure"
NAMES = {"logistic": ("logistic", 1.0), "squared_hinge": ("sqhinge", 0.5)}


def prepare(X, y, l2, loss):
    name, factor = NAMES[loss]
    return X, y, name, factor * l2


def fit(solver, prepared, setting):
    X, y, loss, strength = prepared
    own = {key: value for key, value in setting.items() if key != "threads"}
    # safe=False leaves out its checks of the input: a favour to the peer.
    classifier = Classifier(
        loss=loss,
        penalty="l2",
        lambda_1=strength,
        solver=solver,
        fit_intercept=False,
        verbose=False,
        n_threads=setting["threads"],
        safe=False,
        **own,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        classifier.fit(X, y)
    return classifier.coef_.ravel(), {}


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
