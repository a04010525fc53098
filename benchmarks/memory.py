"""python -m benchmarks.memory: what a fit needs beyond X, as a share of the bytes of X.

A fresh process makes X, fits a small problem of the same types (so that compiled code is loaded and does not count),
resets the peak of its resident memory and fits. Linux only: elsewhere the peak cannot be reset.
"""

import json
from pathlib import Path

import click

from benchmarks import machine
from benchmarks.processes import Unmeasured, run_script

# Each with the problem that it is for: the logistic loss under l2, under l1, the hinge.
SOLVERS = {
    "newton": {"loss": "logistic", "l2": 1e-4},
    "lbfgs": {"loss": "logistic", "l2": 1e-4},
    "sdca": {"loss": "logistic", "l2": 1e-4},
    "coordinate_descent": {"loss": "logistic", "l1": 0.02, "l2": 0.0},
    "proximal_newton": {"loss": "hinge", "l2": 1e-4},
}
REPRESENTATIONS = ("dense", "csr")

FIT = """
import json, sys, time, warnings
import numpy as np
import scipy.sparse
import empirisk as er

solver, representation, megabytes, problem = sys.argv[1], sys.argv[2], float(sys.argv[3]), json.loads(sys.argv[4])
warnings.simplefilter("ignore")  # an uncertified fit warns; its memory is as good

def resident(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))

def make_dense(n_rows):
    return np.random.default_rng(0).standard_normal((n_rows, 100))

def make_csr(n_rows):
    # One entry in each of 100 groups of 5 columns: sorted and without duplicates by construction.
    rng = np.random.default_rng(0)
    indices = rng.integers(0, 5, (n_rows, 100), dtype=np.int32)
    indices += 5 * np.arange(100, dtype=np.int32)
    indptr = np.arange(0, 100 * n_rows + 1, 100, dtype=np.int32)
    return scipy.sparse.csr_array((rng.standard_normal(100 * n_rows), indices.ravel(), indptr), shape=(n_rows, 500))

def labels(X):
    scores = X @ np.random.default_rng(1).standard_normal(X.shape[1])
    return np.where(scores + scores.std() * np.random.default_rng(2).standard_normal(len(scores)) > 0, 1, -1)

def fit(X, y):
    return er.LinearClassifier(**problem, solver=solver, tol=1e-3, max_passes=50).fit(X, y)

make, row_bytes = (make_dense, 800) if representation == "dense" else (make_csr, 1204)
small = make(2000)
fit(small, labels(small))
X = make(int(megabytes * 1e6 / row_bytes))
y = labels(X)
size = X.nbytes if representation == "dense" else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
with open("/proc/self/clear_refs", "w") as peak:
    peak.write("5")
before = resident("VmRSS")
start = time.perf_counter()
fit(X, y)
seconds = time.perf_counter() - start
extra = resident("VmHWM") - before
print(json.dumps({"data_bytes": size, "extra_bytes": extra, "fraction": extra / size, "seconds": seconds}))
"""


def measure(solver: str, representation: str, megabytes: float) -> dict:
    row = {"solver": solver, "representation": representation}
    try:
        return row | run_script(FIT, solver, representation, str(megabytes), json.dumps(SOLVERS[solver]))
    except Unmeasured as error:
        return row | {"unmeasured": str(error)}


@click.command()
@click.option("--megabytes", default=250.0, show_default=True, help="Size of X.")
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(megabytes, json_path):
    """Measure the memory of a fit beyond X for every solver and representation."""
    pairs = [(solver, representation) for solver in SOLVERS for representation in REPRESENTATIONS]
    rows = [measure(solver, representation, megabytes) for solver, representation in pairs]
    text = json.dumps({"machine": machine.description(), "fits": rows}, indent=1)
    if json_path is not None:
        json_path.write_text(text + "\n")
    click.echo(text)


if __name__ == "__main__":
    main()
