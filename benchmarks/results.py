"""From sweeps to figures: for every precision our two times, the best peer and every solver's best."""

from dataclasses import asdict

from benchmarks.measure import PRECISIONS, Measurement, Run, Sweep, describe
from benchmarks.peers import OURS
from benchmarks.peers.solver import Solver

Candidate = tuple[Sweep, Run]


def problem_result(measurement: Measurement, solvers: dict[str, Solver]) -> dict:
    data, optimum = measurement.data, measurement.optimum
    return {
        "data": data.name,
        "n_rows": data.n_rows,
        "n_columns": data.n_columns,
        "n_nonzeros": data.n_nonzeros,
        "loss": measurement.objective.label,
        "objective": asdict(measurement.objective),
        "optimum": optimum,
        "optimum_by": measurement.optimum_by,
        "has_reference": measurement.has_reference,
        "first_call": measurement.first_call,
        "precisions": [precision_result(measurement, solvers, precision) for precision in PRECISIONS],
        "sweeps": [sweep.as_dict(optimum) for sweep in measurement.sweeps],
    }


def precision_result(measurement: Measurement, solvers: dict[str, Solver], precision: float) -> dict:
    optimum = measurement.optimum
    best = best_by_solver(measurement.sweeps, precision, optimum)
    ours = least([candidate for (peer, _), candidate in best.items() if peer == OURS])
    rival = least([candidate for (peer, _), candidate in best.items() if peer != OURS])
    certified = least(certified_runs(measurement, solvers, precision))
    return {
        "precision": precision,
        "certified": as_figure(certified, optimum),
        "swept": as_figure(ours, optimum),
        "best_peer": as_figure(rival, optimum),
        "peer_over_certified": ratio(rival, certified),
        "peer_over_swept": ratio(rival, ours),
        "solvers": [solver_figure(measurement.sweeps, key, candidate, optimum) for key, candidate in best.items()],
    }


def best_by_solver(sweeps: list[Sweep], precision: float, optimum: float) -> dict[tuple, Candidate | None]:
    best: dict[tuple, Candidate | None] = {}
    for sweep in sweeps:
        key = (sweep.peer, sweep.solver)
        run = sweep.best(precision, optimum)
        best[key] = least([best.get(key), (sweep, run) if run is not None else None])
    return best


def certified_runs(measurement: Measurement, solvers: dict[str, Solver], precision: float) -> list[Candidate]:
    """Our runs at tol = precision whose certificate says so: gap <= precision * P."""
    candidates = []
    for sweep in measurement.sweeps:
        solver = solvers[f"{sweep.peer} {sweep.solver}"]
        promised = [setting for target, setting in solver.certified if target == precision]
        candidates += [
            (sweep, run)
            for run in sweep.runs
            if run.setting in promised and run.remarks["gap"] <= precision * run.objective
        ]
    return candidates


def least(candidates: list[Candidate | None]) -> Candidate | None:
    return min((one for one in candidates if one is not None), key=lambda one: one[1].best, default=None)


def ratio(peer: Candidate | None, ours: Candidate | None) -> float | None:
    return peer[1].best / ours[1].best if peer is not None and ours is not None else None


def as_figure(candidate: Candidate | None, optimum: float) -> dict | None:
    if candidate is None:
        return None
    sweep, run = candidate
    return {
        "peer": sweep.peer,
        "solver": run.remarks.get("solver", sweep.solver),
        "representation": sweep.representation,
        "setting": describe(run.setting),
        "seconds": run.best,
        "suboptimality": run.suboptimality(optimum),
        "foreign_cores": sweep.foreign_cores,
    }


def solver_figure(sweeps: list[Sweep], key: tuple, candidate: Candidate | None, optimum: float) -> dict:
    """The figure, or, where the precision was not reached, how near the solver came and why it ended."""
    peer, name = key
    own = [sweep for sweep in sweeps if (sweep.peer, sweep.solver) == key]
    nearest = min((run.suboptimality(optimum) for sweep in own for run in sweep.runs), default=None)
    figure = as_figure(candidate, optimum)
    status = "; ".join(f"{sweep.representation}: {sweep.status}" for sweep in own)
    return {"peer": peer, "name": name, "figure": figure, "nearest": nearest, "status": status}
