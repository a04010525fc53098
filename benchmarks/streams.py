"""Rows in the order of their time, for the benchmark of online learning: FOLDER has them in `stream/`.

Numbers are as they are, a category has a column, an empty cell is absent; times and ids are left out.
"""

import bz2
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse

from benchmarks.data_sets import DataSet, above_zero, as_csr, load, save


def read_table(
    file_name: str, label: str | int, positive: Callable, left_out: tuple[str, ...] = ()
) -> Callable[[Path], tuple]:
    def read(folder: Path) -> tuple:
        import pandas as pd

        table = pd.read_csv(folder / "stream" / file_name, header=None if isinstance(label, int) else "infer")
        y = np.where(positive(table.pop(label)), 1.0, -1.0)
        columns = [columns_of(cells) for _, cells in table.drop(columns=list(left_out)).items()]
        X = as_csr(scipy.sparse.hstack(columns))
        X.eliminate_zeros()
        return X.toarray() if X.nnz > X.shape[0] * X.shape[1] / 2 else X, y

    return read


def columns_of(cells) -> scipy.sparse.csc_matrix:
    """A column of numbers, or one for each category."""
    if cells.dtype.kind in "biuf":
        return scipy.sparse.csc_matrix(np.nan_to_num(cells.to_numpy(np.float64))[:, None])
    codes, kinds = cells.factorize()
    present = np.flatnonzero(codes >= 0)
    places = (present, codes[present])
    return scipy.sparse.csc_matrix((np.ones(present.size), places), shape=(codes.size, len(kinds)))


def read_svmlight(file_name: str, n_columns: int) -> Callable[[Path], tuple]:
    def read(folder: Path) -> tuple:
        from sklearn.datasets import load_svmlight_file

        with bz2.open(folder / "stream" / file_name) as file:
            X, y = load_svmlight_file(file, n_features=n_columns)
        return as_csr(X), above_zero(y)

    return read


STREAMS: dict[str, Callable[[Path], tuple]] = {
    "elec2": read_table("electricity_elec2.csv.gz", "class", lambda label: label == "UP"),
    "weather": read_table("weather_nebraska.csv.gz", "rain", lambda label: label == 1),
    "occupancy": read_table("occupancy.csv.gz", "occupancy", lambda label: label == 1, ("datetime",)),
    "criteo_tiny": read_table("criteo_tiny.csv.gz", "Label", lambda label: label == 1, ("Id",)),
    "spamassassin": read_svmlight("spamassassin.svm.bz2", 39_916),
    "kddcup99": read_table("kddcup99_10pct.csv.gz", 41, lambda label: label != "normal."),
}


def stream(name: str, folder: Path, cache: Path) -> DataSet:
    """Decoded the first time."""
    path = cache / f"stream-{name}.npz"
    if not path.exists():
        save(path, *STREAMS[name](folder))
    return load(name, path)
