"""python -m benchmarks.progressive --data FOLDER: the progressive logistic loss of online learners, nothing tuned.

Every row is answered before its label is seen, in one pass. Beside the mixture stand Vowpal Wabbit with its defaults,
its `--coin`, and the best of four of its learning rates in hindsight; it reads the same rows from a file of its own.
Beside scale-free betting stand gradient descent (steps that shrink with the root) and AdaGrad, each with its best step
in hindsight.
"""

import math
import tempfile
from pathlib import Path

import click
import numpy as np
import scipy.sparse

from benchmarks import machine, table
from benchmarks.data_sets import DataSet, cached_file, default_cache, load
from benchmarks.peers import installed_version
from benchmarks.publish import publish
from benchmarks.streams import STREAMS, stream
from empirisk.online import Overflowed, learn

OTHERS = ("rcv1_vw_small",)  # of the race
MOST_ROWS = 150_000
LEARNERS = ("mixture", "scale_free_betting")
RATES = (0.1, 0.5, 2.0, 8.0)
TUNED = {
    "descent, best step": [f"gradient_descent:steps=inverse_sqrt,distance={4.0**p!r}" for p in range(-12, 5)],
    "adagrad, best alpha": [f"adagrad:alpha={2.0**p!r}" for p in range(-14, 5)],
}
OPTIONS = "--loss_function logistic -b 18 --quiet --no_stdin"


def rows_of(name: str, folder: Path) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    cache = default_cache()
    data: DataSet
    data = stream(name, folder, cache) if name in STREAMS else load(name, cached_file("binary", name, folder, cache))
    return data.rows("csr")[:MOST_ROWS], data.y[:MOST_ROWS]


def write_rows(X: scipy.sparse.csr_matrix, y: np.ndarray, file: Path, mark: str = "| ") -> None:
    with file.open("w") as out:
        for i in range(X.shape[0]):
            part = slice(X.indptr[i], X.indptr[i + 1])
            entries = zip(X.indices[part].tolist(), X.data[part].tolist(), strict=True)
            out.write(f"{y[i]:g} {mark}{' '.join(f'{j}:{x!r}' for j, x in entries)}\n")


def loss_of_vw(file: Path, options: str) -> float:
    import vowpalwabbit

    workspace = vowpalwabbit.Workspace(f"{OPTIONS} {options} -d {file}")
    loss = workspace.get_sum_loss() / workspace.get_weighted_examples()
    workspace.finish()
    return float(loss)


def mean_loss(X: scipy.sparse.csr_matrix, y: np.ndarray, learner: str) -> float:
    """Infinite where the scores overflow."""
    try:
        return learn(X, y, learner).ledger.mean_loss
    except Overflowed:
        return math.inf


def losses_on(name: str, folder: Path) -> dict:
    X, y = rows_of(name, folder)
    found = {learner: mean_loss(X, y, learner) for learner in LEARNERS}
    found |= {name: min(mean_loss(X, y, learner) for learner in tried) for name, tried in TUNED.items()}
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "rows.vw"
        write_rows(X, y, file)
        found |= {"VW": loss_of_vw(file, ""), "VW --coin": loss_of_vw(file, "--coin")}
        found["VW, best of four rates"] = min(loss_of_vw(file, f"-l {rate}") for rate in RATES)
    return {"data": name, "rows": int(y.size), "losses": found}


def markdown(result: dict) -> str:
    what = result["machine"]
    heading = (
        f"# Progressive losses\n\nLogistic, one pass, with the defaults; at most {MOST_ROWS:,} rows. {what['cpu']}, "
        f"Python {what['python']}, vowpalwabbit {result['vowpalwabbit']} (`{OPTIONS}`); rates "
        f"{', '.join(map(str, RATES))}.\n\n"
    )
    titles = [
        "data",
        "rows",
        *result["sets"][0]["losses"],
        "mixture / best rate",
        "betting / descent",
        "betting / adagrad",
    ]
    lines = []
    for row in result["sets"]:
        losses = row["losses"]
        shares = [losses["mixture"] / losses["VW, best of four rates"]]
        shares += [losses["scale_free_betting"] / losses[name] for name in TUNED]
        numbers = [f"{loss:.4f}" for loss in losses.values()] + [f"{share:.3f}" for share in shares]
        lines.append([row["data"], f"{row['rows']:,}", *numbers])
    return heading + table.grid(titles, lines) + "\n"


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(path_type=Path), help="Folder of data sets.")
@click.option("--only", multiple=True, help="Data sets by name; all of them without.")
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(folder, only, json_path):
    """Measure progressive losses, ours and Vowpal Wabbit's."""
    result = {"machine": machine.description(), "vowpalwabbit": installed_version("vowpalwabbit"), "sets": []}
    for name in only or (*STREAMS, *OTHERS):
        row = losses_on(name, folder)
        result["sets"].append(row)
        click.echo(f"{name}: " + ", ".join(f"{k} {v:.4f}" for k, v in row["losses"].items()), err=True)
    publish(result, markdown, json_path)


if __name__ == "__main__":
    main()
