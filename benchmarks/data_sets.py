"""The data sets of the benchmark: decoded once into an .npz outside the repository, then loaded in a blink.

FOLDER is a folder with `libsvm/*.bz2`, `tabular/*.csv.gz` or `.xz`, `text/*.tsv.gz` or `.xz`, and `images/mnist/*.gz`.
`READERS` has the data sets of each task. Columns of tables, of satimage and of sylva are standardised; pixels are
divided by 255; texts are tf-idf with logarithms of the counts; targets are as they are, but standardised for the task
of that name, which has no intercept; the other files are as they are.
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
# Above this share of nonzeros a sparse matrix is larger than the dense one, and below that one the dense one is fifty
# times larger: the other is slower for every solver that takes both.
DENSEST_SPARSE = 0.6
SPARSEST_DENSE = 0.02
SPARSE = ("csr", "csc")


@dataclass(frozen=True)
class DataSet:
    """Rows X (CSR or dense, as the source gives them) with y: -1 and +1, real targets, or numbers of classes (int)."""

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
    def n_weights(self) -> int:
        """The weights of a linear predictor: d, or d K for K classes."""
        return self.n_columns * (int(self.y.max()) + 1 if self.y.dtype.kind == "i" else 1)

    @property
    def n_nonzeros(self) -> int:
        return int(self.X.nnz) if scipy.sparse.issparse(self.X) else int(np.count_nonzero(self.X))

    @property
    def density(self) -> float:
        return self.n_nonzeros / (self.n_rows * self.n_columns)

    def representations(self, offered: tuple[str, ...]) -> list[str]:
        """Those of a solver's representations that are worth measuring, the likelier winner first."""
        sparse = [kind for kind in offered if kind in SPARSE]
        dense = [kind for kind in offered if kind not in SPARSE]
        if self.n_rows * self.n_columns * 8 > LARGEST_DENSE_BYTES:
            return sparse
        if self.density < SPARSEST_DENSE:
            return sparse or dense
        if self.density > DENSEST_SPARSE:
            return dense or sparse
        return sparse + dense if self.density < 0.3 else dense + sparse

    def rows(self, representation: str) -> np.ndarray | scipy.sparse.csr_matrix | scipy.sparse.csc_matrix:
        """X in float64: "dense" (C order), "fortran", "csr" or "csc" (32-bit indices)."""
        if representation in SPARSE:
            rows = as_csr(self.X)
            return rows if representation == "csr" else rows.tocsc()
        dense = self.X.toarray() if scipy.sparse.issparse(self.X) else self.X
        return np.require(dense, dtype=np.float64, requirements="C" if representation == "dense" else "F")


def as_csr(X) -> scipy.sparse.csr_matrix:
    # scikit-learn's liblinear refuses 64-bit indices, liblinear's own wrapper knows only the old matrix class.
    matrix = scipy.sparse.csr_matrix(X, dtype=np.float64)
    matrix.sort_indices()
    matrix.indices = matrix.indices.astype(np.int32)
    matrix.indptr = matrix.indptr.astype(np.int32)
    return matrix


def read_libsvm(name: str, n_columns: int, labels: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], tuple]:
    def read(folder: Path) -> tuple:
        from sklearn.datasets import load_svmlight_file

        with bz2.open(folder / "libsvm" / f"{name}.bz2") as file:
            X, y = load_svmlight_file(file, n_features=n_columns)
        return as_csr(X), labels(y)

    return read


def read_table(file_name: str, target: int = -1) -> Callable[[Path], tuple]:
    """A CSV file with a heading; `target` is the column of y, the last or the first."""

    def read(folder: Path) -> tuple:
        path = folder / "tabular" / file_name
        with (lzma.open if path.suffix == ".xz" else gzip.open)(path, "rt") as file:
            table = np.loadtxt(file, delimiter=",", skiprows=1, dtype=np.float64)
        return standardised(np.delete(table, target, axis=1)), table[:, target].copy()

    return read


def read_standardised_table(file_name: str) -> Callable[[Path], tuple]:
    """The same with a standardised target: for objectives without an intercept."""

    def read(folder: Path) -> tuple:
        X, y = read_table(file_name)(folder)
        return X, standardised(y)

    return read


def read_covtype(folder: Path):
    X, y = read_table("covtype.csv.xz")(folder)
    return X, np.where(y == 2, 1.0, -1.0)


def read_higgs(folder: Path):
    X, y = read_table("higgs_12k.csv.gz", target=0)(folder)
    return X, above_zero(y)


def read_standardised(name: str, n_columns: int, labels: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], tuple]:
    def read(folder: Path) -> tuple:
        X, y = read_libsvm(name, n_columns, labels)(folder)
        return standardised(X.toarray()), y

    return read


def read_digits(folder: Path, part: str = "train"):
    images = folder / "images" / "mnist"
    with gzip.open(images / f"{part}-images-idx3-ubyte.gz") as file:
        pixels = np.frombuffer(file.read(), dtype=np.uint8, offset=16)
    with gzip.open(images / f"{part}-labels-idx1-ubyte.gz") as file:
        digits = np.frombuffer(file.read(), dtype=np.uint8, offset=8)
    return pixels.reshape(len(digits), -1).astype(np.float64) / 255.0, digits.astype(np.int64)


def read_even_digits(folder: Path, part: str = "train"):
    X, digits = read_digits(folder, part)
    return X, np.where(digits % 2 == 0, 1.0, -1.0)


def read_tf_idf(file_name: str, positive: str) -> Callable[[Path], tuple]:
    """Documents of a TSV file, a label and a text in each line, as tf-idf; this label against the rest."""

    def read(folder: Path) -> tuple:
        from sklearn.feature_extraction.text import TfidfVectorizer

        path = folder / "text" / file_name
        with (lzma.open if path.suffix == ".xz" else gzip.open)(path, "rt", encoding="utf-8") as file:
            heading, *lines = file.read().splitlines()
        label, text = map(heading.split("\t").index, ("label", "text"))
        cells = [line.split("\t") for line in lines]
        X = TfidfVectorizer(sublinear_tf=True).fit_transform([row[text] for row in cells])
        return as_csr(X), np.where([row[label] == positive for row in cells], 1.0, -1.0)

    return read


def standardised(X: np.ndarray) -> np.ndarray:
    deviation = X.std(axis=0)
    deviation = np.where(deviation == 0.0, 1.0, deviation)
    return np.ascontiguousarray((X - X.mean(axis=0)) / deviation)


def above_zero(labels: np.ndarray) -> np.ndarray:
    return np.where(labels > 0, 1.0, -1.0)


def first_class(labels: np.ndarray) -> np.ndarray:
    return np.where(labels == 1, 1.0, -1.0)


def class_numbers(labels: np.ndarray) -> np.ndarray:
    """From 0, in the order of the labels."""
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


READERS: dict[str, dict[str, Callable[[Path], tuple]]] = {
    "binary": {
        "a9a": read_libsvm("a9a", 123, above_zero),
        "w8a": read_libsvm("w8a", 300, above_zero),
        "ijcnn1": read_libsvm("ijcnn1", 22, above_zero),
        "covtype": read_covtype,
        "mnist": read_even_digits,
        "news20": read_libsvm("news20", 62_061, first_class),
        "sector": read_libsvm("sector.scale", 55_197, first_class),
        "reuters_tick": read_libsvm("reuters_tick", 8_315, above_zero),
        "dorothea": read_libsvm("dorothea", 88_119, above_zero),
        "higgs_12k": read_higgs,
        "sylva": read_standardised("sylva", 216, above_zero),
        "rcv1_vw_small": read_libsvm("rcv1_vw_small", 47_236, above_zero),
        "polarity": read_tf_idf("sentence_polarity.tsv.xz", "1"),
        "sms_spam": read_tf_idf("sms_spam.tsv.gz", "spam"),
        "reuters_r8": read_tf_idf("reuters_r8.tsv.xz", "earn"),
    },
    "regression": {
        "protein": read_table("uci_protein.csv.xz"),
        "bike": read_table("uci_bike.csv.xz"),
        "cadata": read_table("cadata_california.csv.gz"),
        "cpusmall": read_table("cpusmall.csv.gz"),
    },
    "standardised": {
        "protein": read_standardised_table("uci_protein.csv.xz"),
        "bike": read_standardised_table("uci_bike.csv.xz"),
        "cadata": read_standardised_table("cadata_california.csv.gz"),
    },
    "multiclass": {
        "mnist": read_digits,
        "letter": read_libsvm("letter.scale", 16, class_numbers),
        "satimage": read_standardised("satimage", 36, class_numbers),
        "sector": read_libsvm("sector.scale", 55_197, class_numbers),
    },
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


def cached_file(task: str, name: str, folder: Path, cache: Path) -> Path:
    """The decoded data set's file, written first if it is not there."""
    path = cache / f"{task}-{name}.npz"
    if not path.exists():
        save(path, *READERS[task][name](folder))
    return path
