"""python -m benchmarks.bandwidth: what share of the machine's memory bandwidth each full pass reaches.

The bandwidth is that of a compiled sum over an array much larger than the cache, by one and by two threads. A pass is
charged one read of X and of the vectors it must touch: one that reads X twice can reach one half.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import numba
import numpy as np
import scipy.sparse

import empirisk as er
from benchmarks import machine, table
from benchmarks.publish import publish
from empirisk.certificates import certify
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import gradient, hessian_products, risk_gradient, scores_of, to_curvatures

COLUMNS = 100  # of the dense matrix, and entries of a row of the sparse one
GROUP = 20  # columns, of which a sparse row has one
THREADS = (1, 2)
LOW = 0.3  # of the bandwidth: a pass below is marked


@numba.njit(nogil=True, fastmath={"reassoc", "contract"})
def read(values):
    total = 0.0
    for k in range(values.size):
        total += values[k]
    return total


def least_seconds(call: Callable[[], object], repeats: int) -> float:
    """The least of several, after one untimed call."""
    call()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def bandwidth(megabytes: float, n_threads: int, repeats: int) -> float:
    """Bytes a second that `n_threads` threads read, each its own part."""
    values = np.ones(int(megabytes * 1e6 / 8))
    parts = np.array_split(values, n_threads)
    with ThreadPoolExecutor(n_threads) as pool:
        return values.nbytes / least_seconds(lambda: list(pool.map(read, parts)), repeats)


def make_dense(megabytes: float, dtype: type) -> np.ndarray:
    rng = np.random.default_rng(0)
    n_rows = int(megabytes * 1e6 / (COLUMNS * np.dtype(dtype).itemsize))
    return rng.standard_normal((n_rows, COLUMNS), dtype=dtype)


def make_csr(megabytes: float, dtype: type) -> scipy.sparse.csr_array:
    # Sorted and without duplicates by construction.
    rng = np.random.default_rng(0)
    n_rows = int(megabytes * 1e6 / (COLUMNS * (np.dtype(dtype).itemsize + 4)))
    indices = rng.integers(0, GROUP, (n_rows, COLUMNS), dtype=np.int32)
    indices += GROUP * np.arange(COLUMNS, dtype=np.int32)
    indptr = np.arange(0, COLUMNS * n_rows + 1, COLUMNS, dtype=np.int32)
    values = rng.standard_normal(n_rows * COLUMNS, dtype=dtype)
    return scipy.sparse.csr_array((values, indices.ravel(), indptr), shape=(n_rows, GROUP * COLUMNS))


def size(X) -> int:
    return X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if scipy.sparse.issparse(X) else X.nbytes


def passes(problem, w: np.ndarray) -> dict[str, tuple[Callable[[], object], int]]:
    """Each pass, and how many vectors of n float64 it must read or write."""
    n = problem.rows.n_rows
    scores = np.zeros(n)
    curvatures = to_curvatures(problem, scores_of(problem.rows.whole(), w, 0.0))
    products = hessian_products(problem, curvatures)
    p = np.append(w, 0.0)
    return {
        "scores": (lambda: scores_of(problem.rows.whole(), w, 0.0, problem.n_threads), 1),
        "gradient": (lambda: gradient(problem, p, scores), 2),
        "risk_gradient": (lambda: risk_gradient(problem, p, scores), 2),
        "Hessian product": (lambda: products.apply(p), 1),
        "certificate": (lambda: certify(problem, LinearPoint(w, 0.0)), 1),
    }


def measure(name: str, X, rates: dict[int, float], repeats: int) -> list[dict]:
    w = 0.01 * np.random.default_rng(1).standard_normal(X.shape[1])
    y = np.where(np.random.default_rng(2).random(X.shape[0]) > 0.5, 1.0, -1.0)
    rows = []
    for n_threads in THREADS:
        problem = er.EmpiricalRisk(X, y, "logistic", l2=1e-4, fit_intercept=False, n_threads=n_threads)
        for kind, (call, vectors) in passes(problem, w).items():
            seconds = least_seconds(call, repeats)
            rate = (size(X) + 8 * vectors * len(y)) / seconds
            row = {"X": name, "pass": kind, "threads": n_threads, "seconds": seconds, "bytes_per_second": rate}
            rows.append(row | {"share": rate / rates[n_threads]})
    return rows


def markdown(result: dict) -> str:
    what = result["machine"]
    rates = ", ".join(f"{rate / 1e9:.1f} GB/s by {n} thread(s)" for n, rate in result["bandwidth"].items())
    heading = (
        f"# Share of the memory bandwidth\n\n{what['cpu']}, {what['cores']} cores, {what['system']}, Python "
        f"{what['python']}. Reading: {rates}.\n\nLogistic loss; {result['megabytes']:g} MB of X: dense with {COLUMNS} "
        f"columns, CSR with {COLUMNS} entries a row in {GROUP * COLUMNS} columns. A pass is charged one read of X and "
        "of its vectors; the share is of the bandwidth of as many threads, least of several runs.\n\n"
    )
    titles = ["X", "pass", *(f"{n} thread(s), GB/s" for n in THREADS), *(f"share, {n} thread(s)" for n in THREADS)]
    keys = dict.fromkeys((row["X"], row["pass"]) for row in result["rows"])
    lines = []
    for key in keys:
        found = [row for row in result["rows"] if (row["X"], row["pass"]) == key]
        rates_shown = [f"{row['bytes_per_second'] / 1e9:.2f}" for row in found]
        shares = [f"{row['share']:.0%}" + (" (low)" if row["share"] < LOW else "") for row in found]
        lines.append([*key, *rates_shown, *shares])
    return heading + table.grid(titles, lines) + "\n"


@click.command()
@click.option("--megabytes", default=400.0, show_default=True, help="Size of X.")
@click.option("--repeats", default=7, show_default=True, type=click.IntRange(min=1))
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(megabytes, repeats, json_path):
    """Measure the memory bandwidth and the share of it that each full pass reaches."""
    rates = {n: bandwidth(megabytes, n, repeats) for n in THREADS}
    result = {"machine": machine.description(), "megabytes": megabytes, "bandwidth": rates, "rows": []}
    for name, make in (("dense", make_dense), ("CSR", make_csr)):
        for dtype in (np.float64, np.float32):
            label = f"{name} {np.dtype(dtype).name}"
            result["rows"] += measure(label, make(megabytes, dtype), rates, repeats)
            click.echo(f"{label}: done", err=True)
    publish(result, markdown, json_path)


if __name__ == "__main__":
    main()
