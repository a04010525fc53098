"""Two classes of points, drawn wide: copies, nearly dependent columns, rows of zeros, the ends of double precision."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tools.torture.draw import RANGES, entries, weights_of

LOWEST, HIGHEST = -1060, 1023  # binary exponents at the ends of what doubles hold


class PointSet(NamedTuple):
    """Points with labels -1 and +1, and what is asked about them."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    weights: NDArray[np.float64] | None  # where they are taken
    fit_intercept: bool
    storage: str  # dense or sparse
    rng: np.random.Generator  # for what a question draws further

    def described(self) -> str:
        """One line for a report."""
        sizes = np.abs(self.X)
        least = sizes[sizes > 0.0].min(initial=np.inf)
        said = f"{self.X.shape} {self.storage} sizes {least:.3g} to {sizes.max():.3g}"
        return f"{said} fit_intercept={self.fit_intercept}"


def draw_points(seed: int) -> PointSet | None:
    """Some points; None where they are no finite floats."""
    rng = np.random.default_rng((seed, 4))
    X = entries(rng, least=2)
    n = len(X)
    _make_alike(rng, X)
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    if rng.random() < 0.5:  # on the sides of a plane, or nearly
        y = np.where(X @ rng.normal(size=X.shape[1]) + rng.choice([0.0, 1.0]) * rng.normal() > 0.0, 1.0, -1.0)
    if np.all(y == y[0]):
        y[int(rng.integers(n))] *= -1.0
    with np.errstate(all="ignore"):
        X = np.ldexp(X, _powers(rng, X))
    weights = weights_of(rng, n, int(rng.choice(RANGES))) if rng.random() < 0.3 else None
    if weights is not None and np.unique(y[weights > 0.0]).size < 2:
        weights = None
    if not np.all(np.isfinite(X)):
        return None
    return PointSet(X, y, weights, bool(rng.random() < 0.6), str(rng.choice(["dense", "dense", "sparse"])), rng)


def _make_alike(rng: np.random.Generator, X: NDArray[np.float64]) -> None:
    """Rows that are zero, copies or neighbours of others; columns that are combinations of others but for rounding."""
    n, d = X.shape
    if d > 1 and rng.random() < 0.3:
        X[:, -1] = X[:, :-1] @ rng.choice([-1.0, 0.1, 0.5, 1.0, 3.0], size=d - 1)
        X[:, -1] += X[:, -1] * 2.0 ** -float(rng.choice([20, 50, 52, 200])) * rng.integers(-1, 2, size=n)
    if n > 1 and rng.random() < 0.3:
        i, k = rng.choice(n, 2, replace=False)
        X[i] = X[k] * float(rng.choice([1.0, -1.0, 3.0]))
        if rng.random() < 0.3:
            X[i] = np.nextafter(X[i], np.inf)
    if rng.random() < 0.1:
        X[int(rng.integers(n))] = 0.0
    if rng.random() < 0.05:
        X[:, int(rng.integers(d))] = 0.0


def _powers(rng: np.random.Generator, X: NDArray[np.float64]) -> NDArray[np.int64]:
    """Of two, one for each column: within a span of scales, or to the ends of what doubles hold."""
    d = X.shape[1]
    if rng.random() < 0.25:
        ends = np.full(d, int(rng.choice([LOWEST, HIGHEST])))
        return ends - np.frexp(np.abs(X).max(axis=0))[1]
    span = int(rng.choice(RANGES)) / np.log10(2.0)
    shared = rng.random() < 0.5
    powers = rng.uniform(-span, span, size=1 if shared else d)
    return np.broadcast_to(powers.astype(np.int64), d)
