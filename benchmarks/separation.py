"""python -m benchmarks.separation: time to a proven verdict on separability, against the full linear program.

Ours is `separate` and the certificate's own `verify`. The peers solve max t, y_i (<w, x_i> + b) >= t, |w_j| <= 1 on all
rows, by scipy.optimize.linprog and by CVXPY (its own choice of solver, and HiGHS); their matrices are made beforehand
and not timed, and their answers prove nothing in exact arithmetic. Each runs in a process of its own, which is cut off
after a limit: a ratio with > is then at least that much. The last line is the memory of a million rows.
"""

import math
import multiprocessing
import time
from pathlib import Path

import click
import numpy as np
import scipy.sparse

from benchmarks import data_sets, machine, table
from benchmarks.processes import Unmeasured, run_script
from benchmarks.publish import publish
from benchmarks.separation_sets import SETS

GOAL, MOST_MEMORY = 5.0, 1.5
CONTESTANTS = ("separate", "linprog", "CVXPY", "CVXPY with HiGHS")
LEAST_SECONDS = 0.5  # runs are repeated until they took so long together

MEMORY = """
import json, sys
import numpy as np
from empirisk.separation.separate import separate

def resident(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))

def make(n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    y = np.where(X @ rng.standard_normal(20) + 0.3 > 0.0, 1, -1)
    if sys.argv[1] == "inseparable":
        y[n // 2] *= -1
    return X, y

separate(*make(3000))
X, y = make(1_000_000)
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
before = resident("VmRSS")
verdict = separate(X, y)
extra = resident("VmHWM") - before
print(json.dumps({"verdict": verdict.is_separable, "fraction": 1.0 + extra / (X.nbytes + y.nbytes)}))
"""


def prepare_ours(X, y):
    from empirisk.models import verify
    from empirisk.separation.separate import separate

    def run():
        verdict = separate(X, y)
        if verdict.is_separable is None or not verify(verdict, X, y).holds:
            raise RuntimeError(verdict.sentence())
        return verdict.is_separable

    return run


def signed_points(X, y):
    ones = np.ones((len(y), 1))
    if scipy.sparse.issparse(X):
        return scipy.sparse.csr_array(scipy.sparse.diags_array(y) @ scipy.sparse.hstack([X, ones]))
    return y[:, None] * np.hstack([X, ones])


def prepare_linprog(X, y):
    from scipy.optimize import linprog

    Z = signed_points(X, y)
    n, d = Z.shape
    stack = scipy.sparse.hstack if scipy.sparse.issparse(Z) else np.hstack
    A = stack([-Z, np.ones((n, 1))])
    costs, bounds = np.append(np.zeros(d), -1.0), [(-1.0, 1.0)] * d + [(None, None)]

    def run():
        found = linprog(costs, A_ub=A, b_ub=np.zeros(n), bounds=bounds, method="highs")
        if found.status != 0:
            raise RuntimeError(found.message)
        return bool(found.x[-1] > 1e-9)

    return run


def prepare_cvxpy(X, y, **options):
    import cvxpy

    Z = signed_points(X, y)
    w, t = cvxpy.Variable(Z.shape[1]), cvxpy.Variable()

    def run():
        problem = cvxpy.Problem(cvxpy.Maximize(t), [Z @ w >= t, cvxpy.norm_inf(w) <= 1.0])
        problem.solve(**options)
        return bool(problem.value > 1e-9)

    return run


PREPARE = {
    "separate": prepare_ours,
    "linprog": prepare_linprog,
    "CVXPY": prepare_cvxpy,
    "CVXPY with HiGHS": lambda X, y: prepare_cvxpy(X, y, solver="HIGHS"),
}


def serve(connection, contestant: str, name: str, folder: Path, cache: Path, repeats: int) -> None:
    try:
        X, y = SETS[name](folder, cache)
        run = PREPARE[contestant](X, y)
        connection.send("ready")
        if contestant == "separate":
            run()  # compiles
        seconds, cpu_seconds, meter = [], [], machine.LoadMeter()
        while len(seconds) < repeats and (sum(seconds) < LEAST_SECONDS or len(seconds) < 2):
            meter.start()
            verdict = run()
            wall, cpu = meter.stop()
            seconds.append(wall)
            cpu_seconds.append(cpu)
            least = {"seconds": min(seconds), "cpu_seconds": min(cpu_seconds)}
            connection.send({"verdict": verdict, **least, "foreign_cores": meter.foreign_cores()})
        connection.send(None)
    except Exception as error:
        connection.send({"failed": f"{type(error).__name__}: {error}".splitlines()[0]})


def measure(contestant: str, name: str, folder: Path, cache: Path, repeats: int, limit: float) -> dict:
    """The least time of some runs; cut off `limit` seconds after the data are ready."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, contestant, name, folder, cache, repeats))
    process.start()
    theirs.close()
    found: dict = {"failed": "it crashed"}
    try:
        if not ours.poll(600.0) or (said := ours.recv()) != "ready":
            return {"failed": "the data could not be read"} if not isinstance(said, dict) else said
        end = time.monotonic() + limit
        found = {"cut_off": limit}
        while ours.poll(max(0.0, end - time.monotonic())) and (said := ours.recv()) is not None:
            found = said
    except EOFError:
        found = {"failed": "it crashed"}
    finally:
        process.kill()
        process.join()
    return found


def seconds_of(found: dict, clock: str = "seconds") -> float:
    """A lower bound where the run was cut off; nan where it failed, or its CPU time is not known."""
    return found.get(clock, found.get("cut_off", math.nan) if clock == "seconds" else math.nan)


def ratio(row: dict, peer: str, clock: str = "seconds") -> float:
    return seconds_of(row["found"].get(peer, {}), clock) / seconds_of(row["found"]["separate"], clock)


def cell(found: dict) -> str:
    if "cut_off" in found:
        return f"> {found['cut_off']:.0f} s"
    return table.timing(found) if "seconds" in found else found.get("failed", "not run")


def ratio_cell(row: dict, peer: str) -> str:
    value = ratio(row, peer)
    if math.isnan(value):
        return ""
    return f"{'> ' if 'cut_off' in row['found'][peer] else ''}{value:.3g}"


def mean_ratio(rows: list[dict], peer: str, clock: str = "seconds") -> float:
    ratios = [ratio(row, peer, clock) for row in rows]
    logs = [math.log(value) for value in ratios if not math.isnan(value)]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def markdown(result: dict) -> str:
    what, rows = result["machine"], result["rows"]
    peers = [name for name in CONTESTANTS[1:] if any(name in row["found"] for row in rows)]
    lines = [
        f"# Separable or not, proven\n\n{what['cpu']}, {what['cores']} cores, {what['system']}, Python "
        f"{what['python']}. Wall time, warm, least of {result['repeats']} runs or fewer; ours to the verified "
        f"certificate, the peers' to a solution of the full program, cut off after {result['limit']:g} s. A time with "
        f"* was measured while others kept more than {machine.LOADED:g} of a core busy. "
        f"Ratios are to be at least {GOAL:g} in the geometric mean.\n",
        table.grid(
            ["data", "separable", "separate", *peers, *(f"{name} / ours" for name in peers)],
            [
                [
                    row["data"],
                    {True: "yes", False: "no"}.get(row["found"]["separate"].get("verdict"), "?"),
                    cell(row["found"]["separate"]),
                    *(cell(row["found"].get(name, {})) for name in peers),
                    *(ratio_cell(row, name) for name in peers),
                ]
                for row in rows
            ],
        ),
        "",
        *(
            f"Geometric mean, {name} / ours: {mean_ratio(rows, name):.3g}; in CPU seconds, where it was not cut off, "
            f"{mean_ratio(rows, name, 'cpu_seconds'):.3g}."
            for name in peers
        ),
    ]
    for row in rows:
        verdicts = {found["verdict"] for found in row["found"].values() if "verdict" in found}
        if len(verdicts) > 1:
            lines.append(f"The verdicts on {row['data']} differ; ours is proven.")
    for kind, found in result["memory"].items():
        said = found.get("unmeasured") or f"{found['fraction']:.2f} times the data (at most {MOST_MEMORY:g})"
        lines.append(f"Memory, 1e6 x 20, {kind}: {said}.")
    return "\n".join(lines) + "\n"


def measure_memory(kind: str) -> dict:
    try:
        return run_script(MEMORY, kind)
    except Unmeasured as error:
        return {"unmeasured": str(error)}


def listed(text: str, known) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise click.BadParameter(f"{', '.join(unknown)} is unknown; known: {', '.join(known)}")
    return names


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--cache", default=data_sets.default_cache, type=click.Path(path_type=Path), help="Decoded data.")
@click.option("--sets", default=",".join(SETS), show_default=True)
@click.option("--contestants", default=",".join(CONTESTANTS), show_default=True)
@click.option("--repeats", default=20, show_default=True, type=click.IntRange(min=2))
@click.option("--limit", default=120.0, show_default=True, help="Seconds for all runs of one on one set.")
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(folder, cache, sets, contestants, repeats, limit, json_path):
    """Compare `separate` with the full linear program."""
    chosen = listed(contestants, CONTESTANTS)
    rows = []
    for name in listed(sets, SETS):
        rows.append({"data": name, "found": {}})
        for contestant in chosen:
            rows[-1]["found"][contestant] = measure(contestant, name, folder, cache, repeats, limit)
            click.echo(f"{name}, {contestant}: {cell(rows[-1]['found'][contestant])}", err=True)
    memory = {kind: measure_memory(kind) for kind in ("separable", "inseparable")}
    result = {"machine": machine.description(), "repeats": repeats, "limit": limit, "rows": rows, "memory": memory}
    publish(result, markdown, json_path)


if __name__ == "__main__":
    main()
