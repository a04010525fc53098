"""The data sets of the benchmark: decoded once into an .npz outside the repository, then loaded in a blink.

FOLDER is a folder with `libsvm/*.bz2`, `tabular/covtype.csv.xz` and `images/mnist/*.gz`.
"""

import bz2
import gzip
import lzma
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse

# A dense copy above this size is no representation anybody would choose.
LARGEST_DENSE_BYTES = 1_000_000_000
# Above this share of nonzeros a CSR matrix is larger than the dense one and slower for every solver that takes both.
DENSEST_CSR = 0.6


@dataclass(frozen=True)
class DataSet:
    """Rows X (CSR or dense, as the source gives them) with labels y in {-1, +1}."""

    name: str
    X: np.ndarray | scipy.sparse.csr_matrix
    y: np.ndarray

    @property
    def n_rows(self) -> int:
        return self.X.shape[0]

    @property
    def n_columns(self) -> int:
        return self.X.shape[1]

    @property
    def n_nonzeros(self) -> int:
        return int(self.X.nnz) if scipy.sparse.issparse(self.X) else int(np.count_nonzero(self.X))

    @property
    def density(self) -> float:
        return self.n_nonzeros / (self.n_rows * self.n_columns)

    def representations(self) -> tuple[str, ...]:
        """The representations worth measuring, the likelier winner first."""
        if self.n_rows * self.n_columns * 8 > LARGEST_DENSE_BYTES:
            return ("csr",)
        if self.density > DENSEST_CSR:
            return ("dense",)
        return ("csr", "dense") if self.density < 0.3 else ("dense", "csr")

    def rows(self, representation: str) -> np.ndarray | scipy.sparse.csr_matrix:
        """X as "dense" (float64, C order) or "csr" (float64, 32-bit indices)."""
        if representation == "dense":
            dense = self.X.toarray() if scipy.sparse.issparse(self.X) else self.X
            return np.ascontiguousarray(dense, dtype=np.float64)
        return as_csr(self.X)


def as_csr(X) -> scipy.sparse.csr_matrix:
    # scikit-learn's liblinear refuses 64-bit indices, liblinear's own wrapper knows only the old matrix class.
    matrix = scipy.sparse.csr_matrix(X, dtype=np.float64)
    matrix.sort_indices()
    matrix.indices = matrix.indices.astype(np.int32)
    matrix.indptr = matrix.indptr.astype(np.int32)
    return matrix


def read_svmlight_bz2(path: Path, n_columns: int, positive: Callable[[np.ndarray], np.ndarray]):
    from sklearn.datasets import load_svmlight_file

    with bz2.open(path) as file:
        X, labels = load_svmlight_file(file, n_features=n_columns)
    return as_csr(X), np.where(positive(labels), 1.0, -1.0)


def read_libsvm(name: str, n_columns: int) -> Callable[[Path], tuple]:
    return lambda folder: read_svmlight_bz2(folder / "libsvm" / f"{name}.bz2", n_columns, lambda labels: labels > 0)


def read_news20(folder: Path):
    return read_svmlight_bz2(folder / "libsvm" / "news20.bz2", 62_061, lambda labels: labels == 1)


def read_covtype(folder: Path):
    with lzma.open(folder / "tabular" / "covtype.csv.xz", "rt") as file:
        table = np.loadtxt(file, delimiter=",", skiprows=1, dtype=np.float64)
    X, labels = table[:, :-1], table[:, -1]
    deviation = X.std(axis=0)
    deviation[deviation == 0.0] = 1.0
    return np.ascontiguousarray((X - X.mean(axis=0)) / deviation), np.where(labels == 2, 1.0, -1.0)


def read_mnist(folder: Path):
    images = folder / "images" / "mnist"
    with gzip.open(images / "train-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), dtype=np.uint8, offset=16)
    with gzip.open(images / "train-labels-idx1-ubyte.gz") as file:
        digits = np.frombuffer(file.read(), dtype=np.uint8, offset=8)
    X = pixels.reshape(len(digits), -1).astype(np.float64) / 255.0
    return X, np.where(digits % 2 == 0, 1.0, -1.0)


READERS: dict[str, Callable[[Path], tuple]] = {
    "a9a": read_libsvm("a9a", 123),
    "w8a": read_libsvm("w8a", 300),
    "ijcnn1": read_libsvm("ijcnn1", 22),
    "covtype": read_covtype,
    "mnist": read_mnist,
    "news20": read_news20,
}


def default_cache() -> Path:
    return Path(tempfile.gettempdir()) / "empirisk_benchmarks"


def save(path: Path, X, y: np.ndarray) -> None:
    arrays = {"y": y, "shape": np.array(X.shape)}
    if scipy.sparse.issparse(X):
        arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr}
    else:
        arrays |= {"dense": X}
    path.parent.mkdir(parents=True, exist_ok=True)
    # Renamed when whole, so that an interrupted run leaves no half file behind.
    partial = path.with_suffix(".partial.npz")
    np.savez(partial, **arrays)
    partial.replace(path)


def load(name: str, cached: Path) -> DataSet:
    with np.load(cached) as arrays:
        if "dense" in arrays:
            X = arrays["dense"]
        else:
            parts = (arrays["data"], arrays["indices"], arrays["indptr"])
            X = scipy.sparse.csr_matrix(parts, shape=tuple(arrays["shape"]))
        return DataSet(name, X, arrays["y"])


def cached_file(name: str, folder: Path, cache: Path) -> Path:
    """The decoded data set's file, written first if it is not there."""
    path = cache / f"{name}.npz"
    if not path.exists():
        save(path, *READERS[name](folder))
    return path
