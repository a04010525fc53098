"""LIBLINEAR's own Python package: 1/2 ||w||^2 + C sum_i loss_i, so C = 1 / (n l2); with ||w||_1, C = 1 / (n l1).

Its regression loss is r^2 (with -p 0), twice ours, so C is halved there. With more than two classes it is
one-versus-rest. Its `problem` object (16 bytes a nonzero) is built beforehand and not timed.
"""

from functools import partial

import numpy as np
from liblinear.liblinear import problem
from liblinear.liblinearutil import train

from benchmarks.objective import ONE_VERSUS_REST
from benchmarks.peers.solver import Solver, tolerances

PEER = "liblinear-official"


def prepare(X, y, objective):
    strength = objective.l1 if objective.l1 > 0.0 else objective.l2
    factor = 0.5 if objective.name == "squared" else 1.0
    return problem(y, X), factor / (len(y) * strength)


def fit(solver_type, prepared, setting):
    rows, cost = prepared
    model = train(rows, f"-s {solver_type} -c {cost!r} -e {setting['e']!r} -p 0 -q")
    if solver_type in (11, 12):
        return np.ctypeslib.as_array(model.w, shape=(model.nr_feature,)).copy(), {}
    if model.nr_class == 2:
        # Its weights score the first of its labels, whichever that is.
        return model.label[0] * np.ctypeslib.as_array(model.w, shape=(model.nr_feature,)), {}
    # Classes stand in the order in which the data name them.
    columns = np.ctypeslib.as_array(model.w, shape=(model.nr_feature, model.nr_class))
    return columns.T[np.argsort(model.label[: model.nr_class])], {}


def solver(solver_type: int, name: str, kinds: tuple[str, ...], loosest: float, strictest: float) -> Solver:
    # Finer steps than elsewhere: its wrapper has no limit of iterations to sweep instead.
    ladder = tolerances(loosest, strictest, key="e", per_decade=4)
    return Solver(PEER, f"-s {solver_type} ({name})", kinds, (ladder,), prepare, partial(fit, solver_type), ("csr",))


def both(loss: str) -> tuple[str, ...]:
    return f"{loss} l2", f"{ONE_VERSUS_REST}{loss} l2"


def solvers() -> list[Solver]:
    return [
        solver(0, "primal", both("logistic"), 10.0, 1e-8),
        solver(7, "dual", both("logistic"), 100.0, 1e-6),
        solver(2, "primal", both("squared_hinge"), 10.0, 1e-8),
        solver(1, "dual", both("squared_hinge"), 100.0, 1e-6),
        solver(3, "dual", ("hinge l2",), 100.0, 1e-6),
        solver(5, "l1", ("squared_hinge l1",), 100.0, 1e-7),
        solver(6, "l1", ("logistic l1",), 100.0, 1e-7),
        solver(11, "primal", ("squared l2",), 10.0, 1e-8),
        solver(12, "dual", ("squared l2",), 100.0, 1e-6),
    ]
