"""scikit-learn's regressors: Ridge, LinearSVR, Lasso, HuberRegressor and QuantileRegressor.

Ridge minimises ||y - X w||^2 + alpha ||w||^2, so alpha = n l2; LinearSVR with epsilon = 0 and the squared loss
1/2 ||w||^2 + C ||y - X w||^2, so C = 1 / (2 n l2); Lasso (1/2n) ||y - X w||^2 + alpha ||w||_1, so alpha = l1.
HuberRegressor estimates the standard deviation s along with the weights and has no other mode. Its weights minimise
the Huber loss with delta = epsilon s and l2 = alpha s / n, and are judged by that (`huber_scale.py` finds s).
"""

from functools import partial

import numpy as np
from sklearn.linear_model import HuberRegressor, Lasso, QuantileRegressor, Ridge
from sklearn.svm import LinearSVR

from benchmarks.huber_scale import EPSILON
from benchmarks.peers.highs import highs_options, ladders
from benchmarks.peers.scikit_learn import run
from benchmarks.peers.solver import ONE_OR_TWO_THREADS, Setting, Solver, iterations, tolerances, without_threads

PEER = "scikit-learn"


def prepare(X, y, objective):
    return X, y, objective


def point(estimator, objective) -> np.ndarray:
    w = estimator.coef_.ravel()
    return np.append(w, estimator.intercept_) if objective.fit_intercept else w


def fit_ridge(method, prepared, setting):
    X, y, objective = prepared
    own = {"solver": method, "random_state": 0, **without_threads(setting)}
    return point(run(Ridge(len(y) * objective.l2, fit_intercept=False, **own), X, y), objective), {}


def fit_svr(dual, prepared, setting):
    X, y, objective = prepared
    own = {"loss": "squared_epsilon_insensitive", "dual": dual, "random_state": 0, **without_threads(setting)}
    cost = 0.5 / (len(y) * objective.l2)
    return point(run(LinearSVR(C=cost, epsilon=0.0, fit_intercept=False, **own), X, y), objective), {}


def fit_lasso(fixed, prepared, setting):
    X, y, objective = prepared
    own = {"copy_X": False, "random_state": 0, **fixed, **without_threads(setting)}
    return point(run(Lasso(objective.l1, fit_intercept=False, **own), X, y), objective), {}


def fit_huber(prepared, setting):
    X, y, objective = prepared
    scale = objective.parameters["delta"] / EPSILON
    own = {"epsilon": EPSILON, "alpha": len(y) * objective.l2 / scale, "fit_intercept": objective.fit_intercept}
    return point(run(HuberRegressor(**own, **without_threads(setting)), X, y), objective), {}


def fit_quantile(method, prepared, setting):
    X, y, objective = prepared
    own = {"quantile": objective.parameters.get("level", 0.5), "solver_options": highs_options(method, setting)}
    return point(run(QuantileRegressor(alpha=0.0, solver=method, **own), X, y), objective), {}


def ridge(method: str, *ladder: tuple[Setting, ...], representations=("dense", "csr")) -> Solver:
    call = partial(fit_ridge, method)
    kinds = ("squared l2",)
    return Solver(PEER, f"Ridge {method}", kinds, ladder, prepare, call, representations, variants=ONE_OR_TWO_THREADS)


def lasso(name: str, most_weights: int | None = None, **fixed) -> Solver:
    ladder = tolerances(1e-1, 1e-10, max_iter=100_000)
    call = partial(fit_lasso, fixed)
    columns = ("fortran", "csc")
    kinds = ("squared l1",)
    return Solver(PEER, name, kinds, (ladder,), prepare, call, columns, most_weights, ONE_OR_TWO_THREADS)


def solvers() -> list[Solver]:
    # By iterations too: L-BFGS-B also stops on a relative gain of 2e-9, which no tolerance of the class reaches.
    huber = tolerances(1e3, 1e-9, max_iter=100_000), iterations(10_000, tol=1e-12)
    exact = (({"tol": 1e-4},),)  # direct methods, which take no notice of it
    passes, primal = iterations(2000, tol=1e-14), tolerances(1.0, 1e-8, max_iter=10_000)
    return [
        ridge("cholesky", *exact),
        ridge("svd", *exact, representations=("dense",)),
        ridge("lsqr", tolerances(1e-1, 1e-10)),
        ridge("sparse_cg", tolerances(1e-1, 1e-10)),
        ridge("sag", passes),
        ridge("saga", passes),
        Solver(PEER, "LinearSVR primal", ("squared l2",), (primal,), prepare, partial(fit_svr, False)),
        Solver(PEER, "LinearSVR dual", ("squared l2",), (passes,), prepare, partial(fit_svr, True)),
        lasso("Lasso"),
        lasso("Lasso random", selection="random"),
        lasso("Lasso Gram", 5000, precompute=True),
        Solver(
            PEER,
            "HuberRegressor",
            ("huber", "huber l2"),
            huber,
            prepare,
            fit_huber,
            ("dense",),
            variants=ONE_OR_TWO_THREADS,
        ),
        *(
            Solver(
                PEER,
                f"QuantileRegressor {method}",
                ("quantile", "absolute"),
                ladders(),
                prepare,
                partial(fit_quantile, method),
                ("dense",),
            )
            for method in ("highs", "highs-ds", "highs-ipm")
        ),
    ]
