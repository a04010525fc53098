"""python -m benchmarks.perceptron --data FOLDER: row visits a second, beside scikit-learn's Perceptron.

Both run as many passes, a whole fit each, by one thread; CPU seconds, least of several runs. Our visits are those of
the run alone: those that count the errors of a plane, to keep the best one seen, cost time here and are not counted.
Where ours stops because every point is right, the peer gets as many passes as that took.
"""

import math
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import numpy as np
import scipy.sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import Perceptron
from threadpoolctl import threadpool_limits

from benchmarks import machine, table
from benchmarks.data_sets import READERS, DataSet, cached_file, default_cache, load
from benchmarks.publish import publish
from empirisk.separation.perceptron import perceptron

ENTRIES = 4e7  # visited in a run
FEWEST_PASSES = 10
ORDERS = {"cyclic": False, "random": True}  # our order, the peer's `shuffle`
SYNTHETIC = {"gaussian 1e5 x 10": (100_000, 10), "gaussian 1e5 x 100": (100_000, 100)}


def bundled() -> Iterator[DataSet]:
    X, y = load_iris(return_X_y=True)
    yield DataSet("iris", X, np.where(y == 0, 1.0, -1.0))
    X, y = load_breast_cancer(return_X_y=True)
    yield DataSet("breast_cancer", X, np.where(y == 1, 1.0, -1.0))
    for name, (n, d) in SYNTHETIC.items():
        rng = np.random.default_rng(0)
        X = rng.standard_normal((n, d))
        yield DataSet(name, X, np.where(X @ rng.standard_normal(d) + rng.standard_normal(n) > 0.0, 1.0, -1.0))


def from_files(folder: Path, names: tuple[str, ...]) -> Iterator[DataSet]:
    for name in names or READERS["binary"]:
        yield load(name, cached_file("binary", name, folder, default_cache()))


def busy_seconds(call: Callable[[], object]) -> float:
    """Of this process, whatever its neighbours do."""
    start = time.process_time()
    call()
    return time.process_time() - start


def measure(data: DataSet, repeats: int) -> Iterator[dict]:
    for kind in data.representations(("csr", "dense")):
        X = data.rows(kind)
        entries = X.nnz if scipy.sparse.issparse(X) else X.size
        passes = max(FEWEST_PASSES, round(ENTRIES / (entries + 8 * data.n_rows)))
        for order, shuffle in ORDERS.items():
            yield measure_order(data, kind, X, order, shuffle, passes, repeats)


def measure_order(data: DataSet, kind: str, X, order: str, shuffle: bool, passes: int, repeats: int) -> dict:
    def ours():
        return perceptron(X, data.y, order=order, max_passes=passes, certify=False)

    run = ours()
    equal = max(1, math.ceil(run.visits / data.n_rows))
    peer = Perceptron(max_iter=equal, tol=None, shuffle=shuffle, random_state=0)
    peer.fit(X, data.y)
    # In turn, so that both meet the same neighbours.
    seconds, peer_seconds = math.inf, math.inf
    for _ in range(repeats):
        seconds = min(seconds, busy_seconds(ours))
        peer_seconds = min(peer_seconds, busy_seconds(lambda: peer.fit(X, data.y)))
    rate, peer_rate = run.visits / seconds, equal * data.n_rows / peer_seconds
    return {
        "data": data.name,
        "rows": data.n_rows,
        "columns": data.n_columns,
        "storage": kind,
        "order": order,
        "passes": run.visits / data.n_rows,
        "separated": run.is_separated,
        "visits_per_second": rate,
        "peer_visits_per_second": peer_rate,
        "ratio": rate / peer_rate,
    }


def markdown(result: dict) -> str:
    what, rows = result["machine"], result["rows"]
    mean = math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows))
    heading = (
        f"# Row visits a second: the perceptron\n\n{what['cpu']}, {what['cores']} cores, {what['system']}, Python "
        f"{what['python']}, scikit-learn {what['versions'].get('scikit-learn', '')}. Millions of row visits a second "
        "of CPU time, a whole fit; ratio: ours / the peer's.\n\n"
    )
    titles = ["data", "n x d", "storage", "order", "passes", "ours", "scikit-learn", "ratio"]
    lines = [
        [
            row["data"],
            f"{row['rows']} x {row['columns']}",
            row["storage"],
            row["order"],
            f"{row['passes']:.4g}" + (" (separated)" if row["separated"] else ""),
            f"{row['visits_per_second'] / 1e6:.3g}",
            f"{row['peer_visits_per_second'] / 1e6:.3g}",
            f"{row['ratio']:.2f}",
        ]
        for row in rows
    ]
    least = min(row["ratio"] for row in rows)
    return heading + table.grid(titles, lines) + f"\n\nGeometric mean of the ratios {mean:.2f}, least {least:.2f}.\n"


@click.command()
@click.option("--data", "folder", type=click.Path(path_type=Path), help="Folder of data sets; bundled ones without.")
@click.option("--only", multiple=True, help="Data sets of the folder by name; all of them without.")
@click.option("--repeats", default=5, show_default=True, type=click.IntRange(min=1))
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(folder, only, repeats, json_path):
    """Measure row visits a second, ours and scikit-learn's."""
    warnings.simplefilter("ignore")  # the peer warns where it did not converge
    result = {"machine": machine.description(), "rows": []}
    sets = [*bundled(), *(from_files(folder, only) if folder is not None else ())]
    with threadpool_limits(1):
        for data in sets:
            for row in measure(data, repeats):
                result["rows"].append(row)
                said = f"{row['data']} {row['storage']} {row['order']}: ratio {row['ratio']:.2f}"
                click.echo(said, err=True)
    publish(result, markdown, json_path)


if __name__ == "__main__":
    main()
