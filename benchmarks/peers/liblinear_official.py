"""LIBLINEAR's own Python package: 1/2 ||w||^2 + C sum_i loss_i, so C = 1 / (n l2).

With more than two classes it is one-versus-rest. Its `problem` object (16 bytes a nonzero) is built beforehand and not
timed.
"""

from functools import partial

import numpy as np
from liblinear.liblinear import problem
from liblinear.liblinearutil import train

from benchmarks.objective import ONE_VERSUS_REST
from benchmarks.peers.solver import Solver, tolerances

PEER = "liblinear-official"


def prepare(X, y, objective):
    return problem(y, X), 1.0 / (len(y) * objective.l2)


def fit(solver_type, prepared, setting):
    rows, cost = prepared
    model = train(rows, f"-s {solver_type} -c {cost!r} -e {setting['e']!r} -q")
    if model.nr_class == 2:
        # Its weights score the first of its labels, whichever that is.
        return model.label[0] * np.ctypeslib.as_array(model.w, shape=(model.nr_feature,)), {}
    # Classes stand in the order in which the data name them.
    columns = np.ctypeslib.as_array(model.w, shape=(model.nr_feature, model.nr_class))
    return columns.T[np.argsort(model.label[: model.nr_class])], {}


def solver(solver_type: int, name: str, loss: str, loosest: float, strictest: float) -> Solver:
    # Finer steps than elsewhere: its wrapper has no limit of iterations to sweep instead.
    ladder = tolerances(loosest, strictest, key="e", per_decade=4)
    losses = (loss, f"{ONE_VERSUS_REST}{loss}")
    return Solver(PEER, f"-s {solver_type} ({name})", losses, (ladder,), prepare, partial(fit, solver_type), ("csr",))


def solvers() -> list[Solver]:
    return [
        solver(0, "primal", "logistic", 10.0, 1e-8),
        solver(7, "dual", "logistic", 100.0, 1e-6),
        solver(2, "primal", "squared_hinge", 10.0, 1e-8),
        solver(1, "dual", "squared_hinge", 100.0, 1e-6),
    ]
