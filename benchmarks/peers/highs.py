"""HiGHS through scipy's linprog, on the two linear programs of quantile regression with level q.

    primal:  minimise  q <1, r+> + (1 - q) <1, r->   where  X w + b + r+ - r- = y,  r+, r- >= 0
    dual:    maximise  <y, a>   where  X^T a = 0,  <1, a> = 0,  q - 1 <= a_i <= q

The weights of the dual program are the multipliers of its rows. The matrices are built beforehand and not timed.
"""

from functools import partial

import numpy as np
import scipy.sparse
from scipy.optimize import linprog

from benchmarks.peers.solver import Ladder, Setting, Solver, tolerances

PEER = "HiGHS"
METHODS = {"dual simplex": "highs-ds", "interior point": "highs-ipm"}


def prepare_primal(X, y, objective):
    level, A = objective.parameters.get("level", 0.5), with_ones(X)
    n, d = A.shape
    matrix = scipy.sparse.hstack([A, scipy.sparse.eye_array(n), -scipy.sparse.eye_array(n)], format="csc")
    costs = np.concatenate([np.zeros(d), np.full(n, level), np.full(n, 1.0 - level)])
    bounds = np.vstack([np.tile([-np.inf, np.inf], (d, 1)), np.tile([0.0, np.inf], (2 * n, 1))])
    return {"c": costs, "A_eq": matrix, "b_eq": y, "bounds": bounds}


def prepare_dual(X, y, objective):
    level, A = objective.parameters.get("level", 0.5), with_ones(X)
    n, d = A.shape
    bounds = np.tile([level - 1.0, level], (n, 1))
    return {"c": -y, "A_eq": scipy.sparse.csc_array(A.T), "b_eq": np.zeros(d), "bounds": bounds}


def with_ones(X) -> np.ndarray:
    return np.column_stack([X, np.ones(len(X))])


def fit_primal(method, program, setting):
    found = solved(method, program, setting)
    return found.x[: len(program["c"]) - 2 * len(program["b_eq"])], {}


def fit_dual(method, program, setting):
    return -solved(method, program, setting).eqlin.marginals, {}


def solved(method, program, setting):
    found = linprog(**program, method=method, options=highs_options(method, setting))
    if found.x is None:
        raise RuntimeError(f"HiGHS says: {found.message}")
    return found


def highs_options(method: str, setting: Setting) -> dict:
    """What a setting means to linprog."""
    options = {
        "presolve": bool(setting["presolve"]),
        "primal_feasibility_tolerance": setting["tol"],
        "dual_feasibility_tolerance": setting["tol"],
    }
    return options | ({"ipm_optimality_tolerance": setting["tol"]} if method == "highs-ipm" else {})


def ladders() -> tuple[Ladder, ...]:
    """Around the tolerance that HiGHS chooses by itself, 1e-7, with and without its presolve."""
    return tuple(tolerances(1e-4, 1e-9, per_decade=1, presolve=presolve) for presolve in (1, 0))


def solvers() -> list[Solver]:
    programs = {"primal": (prepare_primal, fit_primal), "dual": (prepare_dual, fit_dual)}
    kinds = ("quantile", "absolute")
    return [
        Solver(PEER, f"{program}, {name}", kinds, ladders(), prepare, partial(fit, method), ("dense",))
        for program, (prepare, fit) in programs.items()
        for name, method in METHODS.items()
    ]
