"""python -m benchmarks.bounds_beside_fits --data folder: what bounds beside a fit cost, and how near a tested one is.

The logistic fit, l2 = 1e-4, of all rows; its line "Future error" (`vc_tail`); and `model.bound(X, y)`, "auto". Seconds
are of the processor, one thread, the least of seven in turns, compiling apart. Then fits on 80 % of the rows, with
their errors on the other 20 % and the bound of `fit --holdout 0.2`: of so many seeds the largest distance between them.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks import machine, table
from benchmarks.pac_bayes import L2, read
from benchmarks.publish import publish
from empirisk.bounds.labelled_rows import labelled_rows
from empirisk.models.future_error.bounding import Bounded, bound_of
from empirisk.models.linear import LinearModel
from empirisk.models.linear_fit import fit_linear
from empirisk.models.options import FitOptions
from empirisk.models.validation.holdout import Holdout

SETS = ("a9a", "ijcnn1", "phishing", "mushrooms", "w8a", "mnist", "covtype")
TURNS, SHARE = 7, 0.2
OPTIONS = FitOptions(l2=L2, n_threads=1)


def fitted(X: Any, y: Any) -> LinearModel:
    return fit_linear(X, y, OPTIONS).model


def bounded(model: LinearModel, X: Any, y: Any, kind: str, is_seen: bool) -> Any:
    """As `empirisk fit` does it, which knows the rows."""
    rows = labelled_rows(X, y, model.classes, is_finite=is_seen)
    if is_seen:
        rows = rows._replace(printed=model.fingerprint_without_weights())
    return bound_of(Bounded(rows, model.weights, model.intercept, True, is_seen, model), kind)


def seconds_of(what: Callable[[], Any]) -> float:
    began = time.process_time()
    what()
    return time.process_time() - began


def measure(name: str, folder: Path, seeds: int) -> dict:
    X, y = read(name, folder)
    model = fitted(X, y)
    tasks = {
        "fit": lambda: fitted(X, y),
        "line": lambda: bounded(model, X, y, "vc_tail", True),
        "auto": lambda: model.bound(X, y),
    }
    turns = [{task: seconds_of(what) for task, what in tasks.items()} for _ in range(TURNS)]
    found: dict[str, Any] = {"data": name, "n": y.size, "d": X.shape[1], "J": model.bound(X, y).value, "tested": []}
    found |= {task: min(turn[task] for turn in turns) for task in tasks}
    for seed in range(seeds):
        kept, out = Holdout(SHARE, seed, y.size).split(y, None, True)
        bound = bounded(fitted(X[kept], y[kept]), X[out], y[out], "test", False)
        found["tested"].append([bound.empirical, bound.value])
    return found


def as_cells(row: dict) -> list[str]:
    errors, bounds = np.array(row["tested"]).T
    line = row["line"] / row["fit"]
    return [
        row["data"],
        f"{row['n']} x {row['d']}",
        table.seconds(row["fit"]),
        f"{table.seconds(row['line'])} ({100.0 * line:.0f} %)",
        "yes" if row["line"] <= 0.05 or line <= 0.05 else "NO",
        f"{table.seconds(row['auto'])} ({row['auto'] / row['fit']:.2f})",
        "yes" if row["auto"] <= 3.0 * row["fit"] else "NO",
        f"{row['J']:.4f}",
        f"{np.mean(errors):.4f}",
        f"{np.mean(bounds):.4f}",
        f"{np.max(bounds - errors):.4f}",
    ]


TITLES = [
    "data", "size", "fit, s", "vc_tail, s (of the fit)", "5 % or 50 ms", "auto, s (times the fit)", "at most 3",
    "auto: J", "held out: error", "its bound", "largest distance",
]  # fmt: skip


def markdown(result: dict) -> str:
    what = result["machine"]
    return (
        f"# Bounds beside a fit\n\n{what['cpu']}, {what['cores']} cores, {what['system']}, Python {what['python']}. "
        f"delta = 0.05, {result['seeds']} seeds of the rows held out.\n\n"
        f"{table.grid(TITLES, [as_cells(row) for row in result['rows']])}\n"
    )


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--sets", default=",".join(SETS), show_default=True)
@click.option("--seeds", default=5, show_default=True, help="Of the rows held out.")
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(folder: Path, sets: str, seeds: int, json_path: Path | None) -> None:
    """Measure."""
    rows = []
    for name in sets.split(","):
        rows.append(measure(name, folder, seeds))
        click.echo(" | ".join(as_cells(rows[-1])), err=True)
    publish({"machine": machine.description(), "seeds": seeds, "rows": rows}, markdown, json_path)


if __name__ == "__main__":
    main()
