"""The data sets of `benchmarks.separation`: a folder of data and a folder for what is kept -> rows and labels."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks import data_sets


def read_iris(kind: int) -> Callable[[Path, Path], tuple]:
    def read(folder: Path, cache: Path):
        from sklearn.datasets import load_iris

        X, y = load_iris(return_X_y=True)
        return X, np.where(y == kind, 1.0, -1.0)

    return read


def read_breast_cancer(folder: Path, cache: Path):
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return X, np.where(y == 1, 1.0, -1.0)


def read_mushrooms(folder: Path, cache: Path):
    path = cache / "separation-mushrooms.npz"
    if not path.exists():
        data_sets.save(path, *data_sets.read_libsvm("mushrooms", 112, data_sets.first_class)(folder))
    data = data_sets.load("mushrooms", path)
    return data.X, data.y


def read_binary(name: str) -> Callable[[Path, Path], tuple]:
    def read(folder: Path, cache: Path):
        data = data_sets.load(name, data_sets.cached_file("binary", name, folder, cache))
        return data.X, data.y

    return read


def make_planted(n: int, d: int, flipped: float) -> Callable[[Path, Path], tuple]:
    """Gaussian points, the sides of a plane as labels, some of them flipped: without any the gap is that of chance."""

    def make(folder: Path, cache: Path):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((n, d))
        y = np.where(X @ rng.standard_normal(d) + 0.3 > 0.0, 1.0, -1.0)
        y[rng.random(n) < flipped] *= -1.0
        return X, y

    return make


SETS: dict[str, Callable[[Path, Path], tuple]] = {
    "iris setosa": read_iris(0),
    "iris versicolor": read_iris(1),
    "breast_cancer": read_breast_cancer,
    "mushrooms": read_mushrooms,
    "rcv1_vw_small": read_binary("rcv1_vw_small"),
    "reuters_tick": read_binary("reuters_tick"),
    "covtype": read_binary("covtype"),
    "planted 1e5 x 10": make_planted(100_000, 10, 0.0),
    "planted 1e5 x 10 flipped": make_planted(100_000, 10, 0.01),
    "planted 1e5 x 100": make_planted(100_000, 100, 0.0),
    "planted 1e5 x 100 flipped": make_planted(100_000, 100, 0.01),
}
