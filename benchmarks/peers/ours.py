"""empirisk itself, timed like the others: building the problem and minimising it, warm."""

import numpy as np

import empirisk as er
from benchmarks.objective import ONE_VERSUS_REST, SCORE_LOSSES
from benchmarks.peers.solver import Solver, tolerances
from empirisk.losses import as_loss
from empirisk.vector_losses import OneVersusRest, Softmax

N_THREADS = 2


def prepare(X, y, objective):
    return X, y, objective


def problem_of(X, y, objective):
    options = {"l1": objective.l1, "l2": objective.l2, "fit_intercept": objective.fit_intercept}
    if objective.name == "softmax":
        return er.MulticlassRisk(X, y, int(y.max()) + 1, Softmax(1.0), **options)
    if objective.name.startswith(ONE_VERSUS_REST):
        base = as_loss(objective.name.removeprefix(ONE_VERSUS_REST))
        return er.MulticlassRisk(X, y, int(y.max()) + 1, OneVersusRest(base), **options)
    return er.EmpiricalRisk(X, y, objective.loss, **options)


def fit(prepared, setting):
    objective = prepared[-1]
    solution = er.minimize(problem_of(*prepared), solver="auto", n_threads=N_THREADS, **setting)
    remarks = {
        "objective": float(solution.objective),
        "gap": float(solution.certificate.gap),
        "solver": str(solution.solver),
        "reason": str(solution.reason),
        "status": str(solution.status),
    }
    point = np.append(solution.weights, solution.intercept) if objective.fit_intercept else solution.weights
    return point, remarks


def solvers() -> list[Solver]:
    er.minimize  # noqa: B018  lazy attributes: fail here, with the reason, and not in the middle of a sweep
    # From far too loose: a gap is an upper bound, and a point may be much better than its proof.
    ladder = tolerances(1e3, 1e-9)
    certified = tuple((precision, {"tol": precision}) for precision in (1e-3, 1e-6))
    one_versus_rest = (f"{ONE_VERSUS_REST}{base}" for base in ("logistic", "squared_hinge"))
    losses = (*SCORE_LOSSES, "softmax", *one_versus_rest)
    kinds = tuple(f"{loss}{penalty}" for loss in losses for penalty in ("", " l1", " l2"))
    return [Solver("empirisk", "auto", kinds, (ladder,), prepare, fit, certified=certified)]
