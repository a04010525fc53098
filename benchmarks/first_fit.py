"""python -m benchmarks.first_fit: seconds of a first use, with nothing compiled, and what it compiles.

    python -m benchmarks.first_fit
    python -m benchmarks.first_fit --before ../before/src

Each case is a process of its own with an empty cache of machine code; the clock starts before the import. The sources
are compiled to byte code before, as pip leaves them. Behind a "+" are further uses in the same process. Seconds are by
the clock and of the processor; kernels are what the compiler was asked for, functions what it compiled for them.
"""

import compileall
import tempfile
from pathlib import Path

import click

from benchmarks.processes import run_script

ROOT = Path(__file__).resolve().parent.parent

CASES = {
    "LinearClassifier(), dense": "dense",
    "LinearClassifier(), sparse": "sparse",
    "hinge": "hinge",
    "squared hinge": "squared_hinge",
    "Huber": "huber",
    "quantile": "quantile",
    "softmax": "softmax",
    "l1": "l1",
    "box constraint": "box",
    "a user's own loss": "own",
    "separate": "separate",
    "perceptron": "perceptron",
    "exact": "exact",
    "empirisk fit, CSV": "csv",
    "empirisk fit, svmlight": "svmlight",
    "dense + hinge": "dense,hinge",
    "dense + squared hinge": "dense,squared_hinge",
    "dense + sparse": "dense,sparse",
    "dense + softmax": "dense,softmax",
}

SCRIPT = """
import contextlib, json, os, sys, time
began, worked = time.perf_counter(), 0.0
from typing import NamedTuple
import numpy as np
import scipy.sparse
from numba.core import event

class Count(event.Listener):
    def __init__(self):
        self.depth = self.kernels = self.functions = 0
    def on_start(self, _):
        self.kernels += self.depth == 0
        self.depth += 1
    def on_end(self, _):
        self.functions += 1
        self.depth -= 1

count = Count()
event.register("numba:compile", count)
import empirisk as er

class Own(NamedTuple):
    scale: float = 1.0
    def value(self, z, y):
        return 0.5 * self.scale * (z - y) * (z - y)
    def derivative(self, z, y):
        return self.scale * (z - y)

rng = np.random.default_rng(0)
X = rng.normal(size=(500, 20))
y = np.where(X[:, 0] + rng.normal(size=500) > 0, 1, -1)

def command(name, lines):
    from empirisk.cli.entry import run
    os.chdir(os.environ["NUMBA_CACHE_DIR"])
    with open(name, "w") as file:
        file.write("\\n".join(lines) + "\\n")
    sys.argv = ["empirisk", "fit", name, "-o", "model.erm", "--quiet"]
    sys.argv += ["--label", "y"] if name.endswith("csv") else []
    with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.suppress(SystemExit):
        run()
    assert os.path.exists("model.erm")

def run(case):
    if case == "dense": er.LinearClassifier().fit(X, y)
    elif case == "sparse": er.LinearClassifier().fit(scipy.sparse.csr_array(X), y)
    elif case == "l1": er.LinearClassifier(l1=0.01).fit(X, y)
    elif case == "box": er.LinearClassifier(constraint=er.Box(-1.0, 1.0)).fit(X, y)
    elif case == "softmax": er.LinearClassifier().fit(X, np.digitize(X[:, 0], [-0.5, 0.5]))
    elif case == "separate": er.separate(X, y)
    elif case == "perceptron": er.perceptron(X, np.where(X[:, 0] > 0, 1, -1), max_passes=10)
    elif case == "exact": er.fewest_errors(X[:60, :2], y[:60])
    elif case == "own": er.LinearRegressor(loss=Own()).fit(X, X[:, 0])
    elif case == "csv":
        command("train.csv", [",".join([*map("x{}".format, range(20)), "y"])] + [
            ",".join([*map(repr, row.tolist()), str(int(label))]) for row, label in zip(X, y)])
    elif case == "svmlight":
        command("train.svm", [" ".join([str(int(label)), *(f"{j + 1}:{x!r}" for j, x in enumerate(row.tolist()))])
                              for row, label in zip(X, y)])
    elif case in ("huber", "quantile"): er.LinearRegressor(loss=case).fit(X, X[:, 0])
    else: er.LinearClassifier(loss=case).fit(X, y)

for case in sys.argv[1].split(","):
    run(case)
    said = [time.process_time() - worked, time.perf_counter() - began, count.kernels, count.functions]
    began, worked, count.kernels, count.functions = time.perf_counter(), time.process_time(), 0, 0
print(json.dumps(said))
"""


def measured(source: Path, case: str) -> list[float]:
    """Seconds of the processor and by the clock, kernels and functions of the last use that the case names."""
    with tempfile.TemporaryDirectory() as cache:
        return run_script(SCRIPT, case, environment={"NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(source)})


@click.command()
@click.option("--before", type=click.Path(exists=True, file_okay=False, path_type=Path), help="Another version's src.")
@click.option("--repeats", default=1, show_default=True, type=click.IntRange(min=1), help="Of which the least counts.")
def main(before: Path | None, repeats: int) -> None:
    """Measure first uses."""
    sources = ([before.resolve()] if before else []) + [ROOT / "src"]
    for source in sources:
        compileall.compile_dir(source, quiet=1)
    heads = ["before", "now"][-len(sources) :]
    columns = [f"{head}, {what}" for head in heads for what in ("processor s", "s", "kernels", "functions")]
    click.echo(f"| first use | {' | '.join(columns)} |\n|---|{'---:|' * len(columns)}")
    for name, case in CASES.items():
        cells = []
        for source in sources:
            worked, seconds, kernels, functions = min(measured(source, case) for _ in range(repeats))
            cells += [f"{worked:.1f}", f"{seconds:.1f}", str(kernels), str(functions)]
        click.echo(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
