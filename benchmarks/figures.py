"""From a race to figures: for every precision our two times, the best peer and every solver's best."""

from dataclasses import asdict

from benchmarks.peers import OURS
from benchmarks.problems import Problem
from benchmarks.runs import PRECISIONS, Entry, Run, describe
from benchmarks.track import Track

Candidate = tuple[Entry, Run]


def problem_result(problem: Problem, track: Track) -> dict:
    data, optimum = track.data, track.optimum
    return {
        "key": problem.key,
        "task": problem.task,
        "data": problem.data,
        "loss": track.task.objective.label,
        "penalty": problem.penalty_label,
        "n_rows": data.n_rows,
        "n_columns": data.n_columns,
        "n_nonzeros": data.n_nonzeros,
        "kind": track.task.objective.kind,
        "objective": asdict(track.task.objective),
        "optimum": optimum,
        "optimum_by": track.optimum_by,
        "lower_bound": track.lower_bound,
        "is_minimum_certain": track.is_minimum_certain,
        "peer_limit": track.longest_limit,
        "precisions": [precision_result(track.entries, optimum, precision) for precision in PRECISIONS],
        "entries": [entry.as_dict(optimum) for entry in track.entries],
    }


def precision_result(entries: list[Entry], optimum: float, precision: float) -> dict:
    best = best_by_solver(entries, precision, optimum)
    ours = least([candidate for (peer, _), candidate in best.items() if peer == OURS])
    rival = least([candidate for (peer, _), candidate in best.items() if peer != OURS])
    certified = least(certified_runs(entries, precision))
    return {
        "precision": precision,
        "certified": as_figure(certified, optimum),
        "swept": as_figure(ours, optimum),
        "best_peer": as_figure(rival, optimum),
        "peer_over_certified": ratio(rival, certified),
        "peer_over_swept": ratio(rival, ours),
        "solvers": [solver_figure(entries, key, candidate, optimum) for key, candidate in best.items()],
    }


def best_by_solver(entries: list[Entry], precision: float, optimum: float) -> dict[tuple, Candidate | None]:
    best: dict[tuple, Candidate | None] = {}
    for entry in entries:
        key = (entry.peer, entry.solver)
        run = entry.best(precision, optimum)
        best[key] = least([best.get(key), (entry, run) if run is not None else None])
    return best


def certified_runs(entries: list[Entry], precision: float) -> list[Candidate]:
    """Our runs at tol = precision or stricter whose certificate says so: gap <= precision * P."""
    return [
        (entry, run)
        for entry in entries
        if entry.peer == OURS
        for run in entry.runs
        if run.setting["tol"] <= precision and run.remarks["gap"] <= precision * abs(run.objective)
    ]


def least(candidates: list[Candidate | None]) -> Candidate | None:
    return min((one for one in candidates if one is not None), key=lambda one: one[1].best, default=None)


def ratio(peer: Candidate | None, ours: Candidate | None) -> float | None:
    return peer[1].best / ours[1].best if peer is not None and ours is not None else None


def as_figure(candidate: Candidate | None, optimum: float) -> dict | None:
    if candidate is None:
        return None
    entry, run = candidate
    return {
        "peer": entry.peer,
        "solver": run.remarks.get("solver", entry.solver),
        "label": entry.label,
        "representation": entry.representation,
        "setting": describe(run.setting),
        "seconds": run.best,
        "runs": len(run.seconds),
        "suboptimality": run.suboptimality(optimum),
        "foreign_cores": run.foreign_cores,
    }


def solver_figure(entries: list[Entry], key: tuple, candidate: Candidate | None, optimum: float) -> dict:
    """The figure, or, where the precision was not reached, how near the solver came and why it ended."""
    peer, name = key
    own = [entry for entry in entries if (entry.peer, entry.solver) == key]
    nearest = min((run.suboptimality(optimum) for entry in own for run in entry.runs), default=None)
    figure = as_figure(candidate, optimum)
    status = "; ".join(f"{entry.representation}: {entry.status}" for entry in own)
    return {"peer": peer, "name": name, "figure": figure, "nearest": nearest, "status": status}
