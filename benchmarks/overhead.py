"""python -m benchmarks.overhead: a fit of about 1000 rows, where what is not arithmetic counts most.

For each problem: the least wall time of building and minimising it, warm, beside its arithmetic, which is as many
gradient passes as the solver counts, and beside liblinear's and scikit-learn's time to about the same precision. A
profile by CPU time says which functions the rest goes to.
"""

import cProfile
import pstats
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np

import empirisk as er
from benchmarks import data_sets, machine, table
from benchmarks.bandwidth import least_seconds
from benchmarks.data_sets import DataSet
from benchmarks.objective import Objective
from benchmarks.peers import liblinear_official, ours, scikit_learn
from benchmarks.publish import publish
from empirisk.problems.passes import risk_gradient

LOSSES = ("logistic", "squared_hinge", "hinge")
PRECISION = 1e-6
SHOWN = 12  # lines of a profile
# The peers' solver and setting for a loss, to about PRECISION on both data sets.
LIBLINEAR = {"logistic": (7, 0.01), "squared_hinge": (1, 0.01), "hinge": (3, 0.01)}


def make_dense() -> DataSet:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 20))
    scores = X @ rng.standard_normal(20)
    y = np.where(scores + scores.std() * rng.standard_normal(1000) > 0.0, 1.0, -1.0)
    return DataSet("dense 1000 x 20", X, y)


def fit_ours(X, data: DataSet, objective: Objective, n_threads: int):
    problem = ours.problem_of(X, data.y, objective)
    return er.minimize(problem, tol=PRECISION, n_threads=n_threads)


def profile(call: Callable[[], object], calls: int) -> pstats.Stats:
    recorder = cProfile.Profile(time.process_time)
    recorder.enable()
    for _ in range(calls):
        call()
    recorder.disable()
    return pstats.Stats(recorder)


def lines_of(stats: pstats.Stats, calls: int) -> list[dict]:
    """The functions with the most time of their own, in microseconds a fit; file names without folders."""
    rows = []
    for (file, line, name), (_, n_calls, own, total, _) in stats.stats.items():
        place = f"{Path(file).name}:{line} {name}" if line else name
        micros = {"own": 1e6 * own / calls, "total": 1e6 * total / calls}
        rows.append({"function": place, "calls": n_calls / calls, **micros})
    return sorted(rows, key=lambda row: -row["own"])[:SHOWN]


def measure(data: DataSet, loss: str, repeats: int) -> dict:
    objective = Objective(loss, l2=1.0 / data.n_rows)
    X = data.rows(data.representations(("dense", "csr"))[0])
    solution = fit_ours(X, data, objective, 1)
    problem, scores = ours.problem_of(X, data.y, objective), np.empty(data.n_rows)
    one_pass = least_seconds(lambda: risk_gradient(problem, solution.point.stacked(), scores), repeats)
    row = {
        "data": data.name,
        "loss": loss,
        "solver": str(solution.solver),
        "passes": solution.passes,
        "checks": sum(not np.isnan(check.gap) for check in solution.trace.checks),
        "arithmetic": solution.passes * one_pass,
        "construction": least_seconds(lambda: ours.problem_of(X, data.y, objective), repeats),
        "one thread": least_seconds(lambda: fit_ours(X, data, objective, 1), repeats),
        "two threads": least_seconds(lambda: fit_ours(X, data, objective, 2), repeats),
    }
    solver_type, tolerance = LIBLINEAR[loss]
    prepared = liblinear_official.prepare(data.rows("csr"), data.y, objective)
    row["liblinear"] = least_seconds(lambda: liblinear_official.fit(solver_type, prepared, {"e": tolerance}), repeats)
    theirs = next(one for one in scikit_learn.solvers() if one.name == scikit_learn_name(loss))
    peer_prepared = theirs.prepare(X, data.y, objective)
    row["scikit-learn"] = least_seconds(lambda: theirs.fit(peer_prepared, {"tol": 1e-4, "max_iter": 1000}), repeats)
    calls = 20
    row["profile"] = lines_of(profile(lambda: fit_ours(X, data, objective, 1), calls), calls)
    return row


def scikit_learn_name(loss: str) -> str:
    return {"logistic": "lbfgs", "squared_hinge": "LinearSVC dual", "hinge": "LinearSVC hinge"}[loss]


def profile_cells(one: dict) -> list[str]:
    return [one["function"], f"{one['calls']:g}", f"{one['own']:.0f}", f"{one['total']:.0f}"]


def markdown(result: dict) -> str:
    what = result["machine"]
    heading = (
        f"# A fit of 1000 rows\n\n{what['cpu']}, {what['cores']} cores, {what['system']}, Python {what['python']}. "
        f"l2 = 1/n, no intercept, tol = {PRECISION:g}; milliseconds, warm, least of {result['repeats']}. "
        "*Arithmetic*: as many gradient passes as the solver counts. *Construction*: `EmpiricalRisk` alone; the fits "
        "include it.\n\n"
    )
    timed = ("arithmetic", "construction", "one thread", "two threads", "liblinear", "scikit-learn")
    titles = ["data", "loss", "solver", "passes", "certificates", *timed]
    rows = [
        [row["data"], row["loss"], row["solver"], f"{row['passes']:.0f}", str(row["checks"])]
        + [f"{1e3 * row[key]:.2f}" for key in timed]
        for row in result["rows"]
    ]
    profiles = [
        f"## {row['data']}, {row['loss']}: microseconds a fit, by own time (the profiler adds to every call)\n\n"
        + table.grid(
            ["function", "calls", "own", "with callees"],
            [profile_cells(one) for one in row["profile"]],
        )
        for row in result["rows"]
    ]
    return heading + table.grid(titles, rows) + "\n\n" + "\n\n".join(profiles) + "\n"


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--cache", default=data_sets.default_cache, type=click.Path(path_type=Path), help="Decoded data.")
@click.option("--repeats", default=20, show_default=True, type=click.IntRange(min=1))
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(folder, cache, repeats, json_path):
    """Measure fits of about 1000 rows and profile them."""
    warnings.simplefilter("ignore")  # an uncertified fit warns; its time is as good
    sparse = data_sets.load("rcv1_vw_small", data_sets.cached_file("binary", "rcv1_vw_small", folder, cache))
    rows = [measure(data, loss, repeats) for data in (make_dense(), sparse) for loss in LOSSES]
    result = {"machine": machine.description(), "repeats": repeats, "rows": rows}
    publish(result, markdown, json_path)


if __name__ == "__main__":
    main()
