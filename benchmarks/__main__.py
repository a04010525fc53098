"""python -m benchmarks: time to relative suboptimality 1e-3 and 1e-6, ours against the peers."""

import sys
from pathlib import Path

import click

from benchmarks import data_sets, machine, peers, table
from benchmarks.measure import Limits, Measurement
from benchmarks.results import problem_result
from benchmarks.worker import Worker

LOSSES = ("logistic", "squared_hinge")
QUICK_PROBLEMS = "a9a,ijcnn1"
# Strict solves that fix P* before the sweeps; the last word has whoever finds the least value.
REFERENCES = {
    "empirisk auto": {"tol": 1e-12},
    "scikit-learn newton-cholesky": {"tol": 1e-12, "max_iter": 1000},
    "liblinear-official -s 0 (primal)": {"e": 1e-8},
    "liblinear-official -s 2 (primal)": {"e": 1e-8},
}


def say(text: str) -> None:
    click.echo(text, err=True)


def chosen(names: str, known: tuple[str, ...]) -> list[str]:
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise click.BadParameter(f"{', '.join(unknown)} is unknown; known: {', '.join(known)}")
    return wanted


def find_references(measurement: Measurement, solvers: dict) -> None:
    for label, setting in REFERENCES.items():
        solver = solvers.get(label)
        if solver is not None and solver.refusal(measurement.loss, measurement.data.n_columns) is None:
            say(f"  reference, {label}: {measurement.find_reference(solver, setting)}")


def measure_problem(data, cached: Path, loss: str, l2: float, solvers: dict, limits: Limits) -> dict:
    worker = Worker(data.name, cached, loss, l2)
    measurement = Measurement(data, loss, l2, worker, limits)
    try:
        # Before anything else: only the first call of the process says what compiling costs.
        for solver in solvers.values():
            if solver.peer == peers.OURS:
                measurement.call_first(solver)
        find_references(measurement, solvers)
        for solver in solvers.values():
            measurement.sweep(solver)
            if solver.refusal(loss, data.n_columns) is None:
                report_sweeps(measurement, solver)
        return problem_result(measurement, solvers)
    finally:
        worker.close()


def report_sweeps(measurement: Measurement, solver) -> None:
    for sweep in measurement.sweeps:
        if (sweep.peer, sweep.solver) == (solver.peer, solver.name):
            found = [sweep.best(precision, measurement.optimum) for precision in (1e-3, 1e-6)]
            shown = ", ".join(table.seconds(run.best if run else None) for run in found)
            say(f"  {solver.label}, {sweep.representation}: {shown} ({sweep.status}, {len(sweep.runs)} settings)")


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--problems", default=",".join(data_sets.READERS), show_default=True)
@click.option("--losses", default=",".join(LOSSES), show_default=True)
@click.option("--solvers", "parts", default="", help="Only solvers whose label holds one of these, such as -s 2,lbfgs.")
@click.option("--repeats", default=3, show_default=True, type=click.IntRange(min=1))
@click.option("--l2-times-n", default=1.0, show_default=True, help="l2 = this / n.")
@click.option("--limit", default=60.0, show_default=True, help="Seconds a solver, problem and representation.")
@click.option("--cache", default=data_sets.default_cache, type=click.Path(path_type=Path), help="Decoded data.")
@click.option("--json", "json_path", type=click.Path(path_type=Path))
@click.option("--markdown", "markdown_path", type=click.Path(path_type=Path))
@click.option("--quick", is_flag=True, help=f"{QUICK_PROBLEMS}, one run a setting, ten seconds a solver.")
def main(folder, problems, losses, parts, repeats, l2_times_n, limit, cache, json_path, markdown_path, quick):
    """Measure ours and the peers' time to relative suboptimality 1e-3 and 1e-6."""
    if quick:
        problems, repeats, limit = QUICK_PROBLEMS, 1, min(limit, 10.0)
    solvers, missing = peers.available()
    wanted = [part.strip() for part in parts.split(",") if part.strip()]
    if wanted:
        solvers = {
            label: solver
            for label, solver in solvers.items()
            if solver.peer == peers.OURS or any(part in label for part in wanted)
        }
    for peer, reason in missing.items():
        say(f"missing: {peer} ({reason})")
    result = {
        "machine": machine.description(),
        "options": {"repeats": repeats, "l2_times_n": l2_times_n, "limit": limit},
        "missing": missing,
        "problems": [],
    }
    for name in chosen(problems, tuple(data_sets.READERS)):
        cached = data_sets.cached_file(name, folder, cache)
        data = data_sets.load(name, cached)
        for loss in chosen(losses, LOSSES):
            say(f"{name}, {loss}")
            limits = Limits(repeats=repeats, solver=limit)
            result["problems"].append(measure_problem(data, cached, loss, l2_times_n / data.n_rows, solvers, limits))
            # Written after every problem: an interrupted run keeps what it has.
            if json_path is not None:
                table.write_json(result, json_path)
            if markdown_path is not None:
                markdown_path.write_text(table.markdown(result))
    click.echo(table.markdown(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
