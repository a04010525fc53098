"""python -m benchmarks.online --data FOLDER: rows a second of online learners, from memory.

By 1,000 rows: every row is answered before it is learned from. Ours does both in one call; scikit-learn's SGDClassifier
answers the batch (decision_function), then learns from it (partial_fit). One row a call: ours as an array of one row,
by `Run.learn` and by `OnlineClassifier.partial_fit`; river's LogisticRegression with AdaGrad, which takes one row at a
time, as dictionaries of the non-zeros that are made beforehand (predict_proba_one, then learn_one). SGDClassifier has
its default penalty, l2 = 1e-4, and so has ours beside it; `bare` is both without one, as all the others are. All by one
thread; CPU seconds, least of several runs, in turn.
"""

import math
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import scipy.sparse
from sklearn.linear_model import SGDClassifier
from threadpoolctl import threadpool_limits

from benchmarks import machine, table
from benchmarks.data_sets import DataSet, cached_file, default_cache, load
from benchmarks.peers import installed_version
from benchmarks.publish import publish
from benchmarks.streams import STREAMS, stream
from empirisk import OnlineClassifier
from empirisk.online import learn

SETS = ("a9a", "w8a", "ijcnn1", "covtype", "mnist", "news20")  # and the streams
BATCH = 1000
MOST_ROWS = 60_000  # by batches
MOST_CALLS = 5_000  # with one row each
PENALTY = 1e-4  # the default of SGDClassifier


def sets_of(folder: Path, names: tuple[str, ...]) -> list[DataSet]:
    cache = default_cache()
    return [
        stream(name, folder, cache) if name in STREAMS else load(name, cached_file("binary", name, folder, cache))
        for name in names or (*SETS, *STREAMS)
    ]


def batches_of(X, y: np.ndarray, size: int, most: int) -> list[tuple]:
    n = min(most, y.size)
    return [(X[k : k + size], y[k : k + size]) for k in range(0, n, size)]


def with_run(learner: str, parts: list[tuple], l2: float = 0.0) -> Callable[[], object]:
    def play() -> None:
        run = learn(*parts[0], learner, l2=l2)
        for rows, labels in parts[1:]:
            run.learn(rows, labels)

    return play


def with_estimator(parts: list[tuple]) -> Callable[[], object]:
    def play() -> None:
        model = OnlineClassifier().partial_fit(*parts[0], classes=[-1, 1])
        for rows, labels in parts[1:]:
            model.partial_fit(rows, labels)

    return play


def with_sgd(parts: list[tuple], penalty: str | None = "l2") -> Callable[[], object]:
    def play() -> None:
        model = SGDClassifier(loss="log_loss", penalty=penalty, alpha=PENALTY).partial_fit(*parts[0], classes=[-1, 1])
        for rows, labels in parts[1:]:
            model.decision_function(rows)
            model.partial_fit(rows, labels)

    return play


def with_river(parts: list[tuple]) -> Callable[[], object] | None:
    try:
        from river import linear_model, optim
    except ImportError:
        return None
    rows = [(as_dictionary(row), bool(label[0] > 0.0)) for row, label in parts]

    def play() -> None:
        model = linear_model.LogisticRegression(optim.AdaGrad())
        for row, label in rows:
            model.predict_proba_one(row)
            model.learn_one(row, label)

    return play


def as_dictionary(row) -> dict[int, float]:
    entries = scipy.sparse.coo_array(row)
    return dict(zip(entries.coords[1].tolist(), entries.data.tolist(), strict=True))


def measure(data: DataSet, repeats: int) -> dict:
    X = data.rows(data.representations(("csr", "dense"))[0])
    batches, ones = batches_of(X, data.y, BATCH, MOST_ROWS), batches_of(X, data.y, 1, MOST_CALLS)
    plays = {
        "descent": (with_run("gradient_descent", batches, PENALTY), batches),
        "sgd": (with_sgd(batches), batches),
        "bare_descent": (with_run("gradient_descent", batches), batches),
        "bare_sgd": (with_sgd(batches, None), batches),
        "adagrad": (with_run("adagrad", batches), batches),
        "learn_one": (with_run("adagrad", ones), ones),
        "partial_fit_one": (with_estimator(ones), ones),
        "river": (with_river(ones), ones),
    }
    seconds = dict.fromkeys(plays, math.inf)
    for turn in range(repeats + 1):  # the first one compiles
        for name, (play, _) in plays.items():
            if play is not None:
                start = time.process_time()
                play()
                took = time.process_time() - start
                seconds[name] = min(seconds[name], took) if turn else math.inf
    rates = {name: sum(y.size for _, y in parts) / seconds[name] for name, (_, parts) in plays.items()}
    return {
        "data": data.name,
        "rows": data.n_rows,
        "columns": data.n_columns,
        "storage": "csr" if scipy.sparse.issparse(X) else "dense",
        "entries": data.n_nonzeros / data.n_rows,
        "rates": rates,
    }


def markdown(result: dict) -> str:
    what, rows = result["machine"], result["rows"]
    versions = f"scikit-learn {what['versions'].get('scikit-learn', '')}, river {result['river']}"
    heading = (
        f"# Rows a second: online learning\n\n{what['cpu']}, {what['cores']} cores, {what['system']}, Python "
        f"{what['python']}, {versions}. Thousands of rows a second of CPU time. *Descent* and *AdaGrad*: "
        "`gradient_descent` and `adagrad` by 1,000 rows; *one row*: `adagrad` by `Run.learn` and by "
        "`OnlineClassifier.partial_fit`, one row a call. Ratios: descent / SGDClassifier under l2 = 1e-4, the same "
        "without a penalty (*bare*), AdaGrad / river's.\n\n"
    )
    titles = ["data", "n x d", "non-zeros a row", "storage", "descent", "SGDClassifier", "ratio", "bare"]
    titles += ["AdaGrad", "river", "ratio", "one row: run", "estimator"]
    lines = []
    for row in rows:
        rates = row["rates"]
        size = [row["data"], f"{row['rows']} x {row['columns']}", f"{row['entries']:.3g}", row["storage"]]
        descent = [*thousands(rates, "descent", "sgd"), ratio(rates, "descent", "sgd")]
        adagrad = [*thousands(rates, "adagrad", "river"), ratio(rates, "adagrad", "river")]
        ones = thousands(rates, "learn_one", "partial_fit_one")
        lines.append([*size, *descent, ratio(rates, "bare_descent", "bare_sgd"), *adagrad, *ones])
    return heading + table.grid(titles, lines) + "\n"


def thousands(rates: dict[str, float], *names: str) -> list[str]:
    return [f"{rates[name] / 1e3:,.{0 if rates[name] >= 1e5 else 1}f}" for name in names]


def ratio(rates: dict[str, float], ours: str, peer: str) -> str:
    return f"{rates[ours] / rates[peer]:.3g}" if rates[peer] > 0.0 else "-"


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(path_type=Path), help="Folder of data sets.")
@click.option("--only", multiple=True, help="Data sets by name; all of them without.")
@click.option("--repeats", default=3, show_default=True, type=click.IntRange(min=1))
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(folder, only, repeats, json_path):
    """Measure rows a second, ours and the peers'."""
    warnings.simplefilter("ignore")
    result = {"machine": machine.description(), "river": installed_version("river"), "rows": []}
    with threadpool_limits(1):
        for data in sets_of(folder, only):
            row = measure(data, repeats)
            result["rows"].append(row)
            click.echo(f"{row['data']}: " + ", ".join(f"{k} {v:,.0f}" for k, v in row["rates"].items()), err=True)
    publish(result, markdown, json_path)


if __name__ == "__main__":
    main()
