"""python -m benchmarks.pac_bayes --data FOLDER: bounds on the future error of the logistic fit, no row held out.

The fit has l2 = 1e-4; for each data set the bounds of its plane at delta = 0.05 (vc_tail; PAC-Bayes with a prior from
half of the rows, as plane and as random draw, at several seeds; with the prior of zero; by margins), and J at 0.9
delta, the share of `pac_bayes` where 0.1 goes to vc_tail. PBGD is the random draw around the plane that minimises its
own bound under the prior of zero. Seconds are of the processor, the least of three, on one thread, compiling apart:
of the fit, of the bound with its prior's fit, and of its verification. Data sets that a plane separates have the
compression bounds too. covtype is class 2 and 500,000 random rows.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

import empirisk as er
from benchmarks import data_sets, machine, table
from benchmarks.publish import publish
from empirisk.bounds import LabelledRows, RiskBound, labelled_rows, plane_evidence, risk_bound
from empirisk.bounds.compression.rebuilding import gap_compression, perceptron_compression
from empirisk.bounds.pac_bayes.pbgd import pbgd
from empirisk.bounds.pac_bayes.prior_fit import pac_bayes_bound
from empirisk.separation.points import points_of

DELTA, SHARE, L2 = 0.05, 0.9, 1e-4
GOALS = {
    "a9a": 0.215,
    "ijcnn1": 0.095,
    "phishing": 0.106,
    "mushrooms": 0.009,
    "w8a": 0.040,
    "mnist": 0.185,
    "covtype": 0.260,
}
MORE = {
    "phishing": data_sets.read_libsvm("phishing", 68, data_sets.above_zero),
    "mushrooms": data_sets.read_libsvm("mushrooms", 112, data_sets.first_class),
}
COVTYPE_ROWS = 500_000
WITHOUT_FIT = ("vc_tail", "pac_bayes_zero", "pac_bayes_zero_draw", "margin")


def read(name: str, folder: Path) -> tuple:
    if name in MORE:
        return MORE[name](folder)
    found = data_sets.load(name, data_sets.cached_file("binary", name, folder, data_sets.default_cache()))
    if name != "covtype":
        return found.X, found.y
    rows = np.random.default_rng(0).permutation(len(found.y))[:COVTYPE_ROWS]
    return found.X[rows], found.y[rows]


def timed(what: Callable[[], Any]) -> tuple[Any, float]:
    """What it gives, and the least processor seconds of three."""
    seconds = []
    for _ in range(3):
        began = time.process_time()
        found = what()
        seconds.append(time.process_time() - began)
    return found, min(seconds)


def proven(bound: RiskBound, X: Any, y: Any) -> float:
    """J, verified."""
    verdict = er.verify(bound, X, y)
    if not verdict.holds:
        raise RuntimeError(f"{bound.kind}: {verdict.sentence}")
    return bound.value


def compressed(rows: LabelledRows, X: Any, y: Any) -> dict:
    """The compression bounds, where a plane separates the rows."""
    gap = er.widest_gap(X, y)
    if not isinstance(gap, er.WidestGap):
        return {}
    bounds = {"perceptron": perceptron_compression(rows, er.perceptron(X, y)), "gap": gap_compression(rows, gap)}
    return {name: {"J": proven(bound, X, y), "kept": bound.ingredients["kept"]} for name, bound in bounds.items()}


def measure(name: str, folder: Path, seeds: int) -> dict:
    X, y = read(name, folder)
    rows, problem = labelled_rows(X, y), er.EmpiricalRisk(X, y, l2=L2, n_threads=1)
    fit, fit_seconds = timed(lambda: er.minimize(problem))
    plane = fit.weights, fit.intercept
    bound, seconds = timed(lambda: pac_bayes_bound(rows, *plane, DELTA, l2=L2))
    _, verify_seconds = timed(lambda: er.verify(bound, X, y))
    found = {"data": name, "n": rows.n_rows, "d": rows.n_columns, "error": float(np.mean(bound.empirical))}
    found |= {"fit_seconds": fit_seconds, "seconds": seconds, "verify_seconds": verify_seconds}
    for kind, delta, of_draw in (("plane", DELTA, False), ("auto", SHARE * DELTA, False), ("draw", DELTA, True)):
        made = (pac_bayes_bound(rows, *plane, delta, l2=L2, seed=seed, of_draw=of_draw) for seed in range(seeds))
        found[kind] = [proven(one, X, y) for one in made]
    evidence = plane_evidence(*plane)
    for kind in WITHOUT_FIT:
        found[kind] = proven(risk_bound(kind, rows, DELTA, {"is_affine": True}, evidence), X, y)
    if rows.n_rows <= 100_000 and rows.n_columns <= 500:
        own, found["pbgd_seconds"] = timed(lambda: pbgd(points_of(X, y), DELTA))
        bound = risk_bound("pac_bayes_zero_draw", rows, DELTA, {"is_affine": True}, plane_evidence(*own))
        found["pbgd"] = proven(bound, X, y)
    found["compression"] = compressed(rows, X, y) if found["error"] == 0.0 else {}
    return found


def as_cells(row: dict) -> list[str]:
    def several(values: list[float]) -> str:
        return f"{values[0]:.4f}" + (f" ({min(values):.4f}-{max(values):.4f})" if len(values) > 1 else "")

    goal = GOALS[row["data"]]
    return [
        row["data"],
        f"{row['n']} x {row['d']}",
        f"{row['vc_tail']:.4f}",
        several(row["plane"]),
        f"{several(row['auto'])} {'<=' if row['auto'][0] <= goal else 'ABOVE'} {goal}",
        several(row["draw"]),
        f"{row['pac_bayes_zero']:.3f} / {row['pac_bayes_zero_draw']:.3f}",
        f"{row['pbgd']:.3f}" if "pbgd" in row else "",
        f"{row['margin']:.3f}",
        ", ".join(f"{name} {one['J']:.4f} ({one['kept']} rows)" for name, one in row["compression"].items()),
        " / ".join(table.seconds(row[name]) for name in ("fit_seconds", "seconds", "verify_seconds")),
    ]


TITLES = [
    "data", "size", "vc_tail", "pac_bayes: seed 0 (all)", "at 0.9 delta", "random draw", "prior of zero: plane / draw",
    "PBGD", "margin", "compression", "CPU seconds: fit / bound / check",
]  # fmt: skip


def markdown(result: dict) -> str:
    what = result["machine"]
    lines = [
        f"# Bounds on the future error of the logistic fit\n\n{what['cpu']}, {what['cores']} cores, {what['system']}, "
        f"Python {what['python']}. delta = {DELTA}, every certificate verified, {result['seeds']} seeds.\n",
        table.grid(TITLES, [as_cells(row) for row in result["rows"]]),
    ]
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--sets", default=",".join(GOALS), show_default=True)
@click.option("--seeds", default=5, show_default=True, help="For the rows of the prior.")
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(folder: Path, sets: str, seeds: int, json_path: Path | None) -> None:
    """Measure the bounds of the logistic fit."""
    rows = []
    for name in sets.split(","):
        rows.append(measure(name, folder, seeds))
        click.echo(" | ".join(as_cells(rows[-1])), err=True)
    publish({"machine": machine.description(), "seeds": seeds, "rows": rows}, markdown, json_path)


if __name__ == "__main__":
    main()
