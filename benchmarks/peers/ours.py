"""empirisk itself, timed like the others: building the problem and minimising it, warm."""

import empirisk as er
from benchmarks.peers.solver import Solver, tolerances

N_THREADS = 2


def prepare(X, y, l2, loss):
    return X, y, l2, {"logistic": er.Logistic, "squared_hinge": er.SquaredHinge}[loss]


def fit(prepared, setting):
    X, y, l2, loss_class = prepared
    problem = er.EmpiricalRisk(X, y, loss=loss_class(), l2=l2, fit_intercept=False)
    solution = er.minimize(problem, solver="auto", n_threads=N_THREADS, **setting)
    remarks = {
        "objective": float(solution.objective),
        "gap": float(solution.certificate.gap),
        "solver": str(solution.solver),
        "reason": str(solution.reason),
        "status": str(solution.status),
    }
    return solution.weights, remarks


def solvers() -> list[Solver]:
    er.minimize  # noqa: B018  lazy attributes: fail here, with the reason, and not in the middle of a sweep
    # From far too loose: a gap is an upper bound, and a point may be much better than its proof.
    ladder = tolerances(1e3, 1e-9)
    certified = tuple((precision, {"tol": precision}) for precision in (1e-3, 1e-6))
    losses = ("logistic", "squared_hinge")
    return [Solver("empirisk", "auto", losses, (ladder,), prepare, fit, certified=certified)]
