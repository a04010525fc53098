"""python -m benchmarks.redundant_columns: proven verdicts on separability where columns depend on each other.

Random sets of 50 to 5,000 rows and 2 to 40 columns. Some columns are drawn, the others are made of them: combinations
that are rounded, the same with a little noise, copies, and multiples that are rounded. Labels are those of a plane,
those of a plane with some flipped, or drawn. Each set has a twin whose columns are all drawn, with labels made in the
same way. Process seconds of `separate`, warm; each verdict is verified, which is not timed.
"""

import statistics
import time
from pathlib import Path

import click
import numpy as np

from benchmarks import machine
from benchmarks.publish import publish
from empirisk.models import verify
from empirisk.separation.separate import separate

GOAL = 5.0
LABELS = ("plane", "flipped", "drawn")
ENTRIES = ("normal", "rounded", "counts")
REPEATS = 2


def draw(rng: np.random.Generator, kind: str, n: int, d: int) -> np.ndarray:
    if kind == "counts":
        return rng.poisson(3.0, (n, d)).astype(np.float64)
    drawn = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, d)
    return np.round(drawn, 2) if kind == "rounded" else drawn


def dependent(rng: np.random.Generator, drawn: np.ndarray) -> np.ndarray:
    """One more column, made of those drawn."""
    kind, column = rng.integers(4), drawn[:, rng.integers(drawn.shape[1])]
    if kind == 0:
        return column.copy()
    if kind == 1:
        return column * rng.uniform(-3.0, 3.0)
    combined = drawn @ rng.uniform(-1.0, 1.0, drawn.shape[1])
    if kind == 2:
        return combined
    noise = rng.standard_normal(len(drawn)) * 10.0 ** rng.uniform(-17.0, -1.0)
    return combined + noise * np.abs(combined).max()


def make(number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict]:
    """Rows with dependent columns, rows without, labels for both, and what they are."""
    rng = np.random.default_rng([13, number])
    n, d = int(np.exp(rng.uniform(np.log(50), np.log(5001)))), int(rng.integers(2, 41))
    kind, labels = str(rng.choice(ENTRIES)), str(rng.choice(LABELS))
    n_drawn = int(rng.integers(1, d))
    twin = draw(rng, kind, n, d)
    drawn = twin[:, :n_drawn]
    X = np.column_stack([drawn, *(dependent(rng, drawn) for _ in range(d - n_drawn))])[:, rng.permutation(d)]
    scores = drawn / np.maximum(np.abs(drawn).max(axis=0), 1e-300) @ rng.standard_normal(n_drawn)
    y = np.where(scores > np.median(scores), 1, -1)
    if labels == "drawn":
        y = rng.choice([-1, 1], n)
    if labels == "flipped":
        y[rng.choice(n, max(1, n // 50), replace=False)] *= -1
    y[:2] = (1, -1) if y.min() == y.max() else y[:2]
    return X, twin, y, {"rows": n, "columns": d, "drawn": n_drawn, "entries": kind, "labels": labels}


def timed(X: np.ndarray, y: np.ndarray) -> tuple[object, float]:
    seconds = []
    for _ in range(REPEATS):
        began = time.process_time()
        verdict = separate(X, y)
        seconds.append(time.process_time() - began)
    return verdict, min(seconds)


def measure(number: int) -> dict:
    X, twin, y, what = make(number)
    verdict, seconds = timed(X, y)
    other, twin_seconds = timed(twin, y)
    holds = verdict.is_separable is not None and verify(verdict, X, y).holds
    return {
        "number": number,
        **what,
        "verdict": type(verdict).__name__,
        "is_separable": verdict.is_separable,
        "verified": holds,
        "seconds": seconds,
        "twin_is_separable": other.is_separable,
        "twin_seconds": twin_seconds,
    }


def markdown(result: dict) -> str:
    what, rows = result["machine"], result["rows"]
    ratios = [row["seconds"] / row["twin_seconds"] for row in rows]
    quarters = statistics.quantiles(ratios, n=100)
    medians = [statistics.median(row[name] for row in rows) for name in ("seconds", "twin_seconds")]
    kinds = sorted({row["verdict"] for row in rows})
    undecided = [row["number"] for row in rows if row["is_separable"] is None]
    lines = [
        f"# Verdicts where columns depend on each other\n\n{what['cpu']}, {what['cores']} cores, Python "
        f"{what['python']}. {len(rows)} of the sets, process seconds, warm, the lesser of {REPEATS} runs.\n",
        "| | |\n|---|---:|",
        *(f"| {kind} | {sum(row['verdict'] == kind for row in rows)} |" for kind in kinds),
        f"| undecided, of these sets | {len(undecided)} |",
        f"| undecided, of their twins | {sum(row['twin_is_separable'] is None for row in rows)} |",
        f"| verdicts that verify | {sum(row['verified'] for row in rows)} |",
        f"| median seconds | {medians[0]:.3g} |",
        f"| median seconds of the twins, without dependent columns | {medians[1]:.3g} |",
        f"| ratio of the medians (at most {GOAL:g} was asked for) | {medians[0] / medians[1]:.3g} |",
        f"| median of the ratios | {quarters[49]:.3g} |",
        f"| 90th, 99th percentile of the ratios | {quarters[89]:.3g}, {quarters[98]:.3g} |",
        f"| longest, seconds | {max(row['seconds'] for row in rows):.3g} |",
    ]
    if undecided:
        lines.append(f"\nUndecided: {', '.join(map(str, undecided))}.")
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--sets", default=10_000, show_default=True, type=click.IntRange(min=2))
@click.option("--first", default=0, show_default=True, help="The number of the first set.")
@click.option("--limit", default=float("inf"), help="Seconds after which no further set is begun.")
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(sets, first, limit, json_path):
    """Decide random sets with dependent columns, and their twins without."""
    measure(first)  # compiles
    rows, began = [], time.monotonic()
    for number in range(first, first + sets):
        if time.monotonic() - began > limit:
            break
        rows.append(measure(number))
        if rows[-1]["is_separable"] is None or not rows[-1]["verified"]:
            click.echo(f"{rows[-1]}", err=True)
    publish({"machine": machine.description(), "rows": rows}, markdown, json_path)


if __name__ == "__main__":
    main()
