"""Games for tests: rows, labels and weights of many kinds, tiny."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse


class Rows(NamedTuple):
    X: Any
    y: Any
    s: Any  # None: all one


def rows(kind: str, n: int = 60, d: int = 4, seed: int = 0) -> Rows:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0.0, 1.0, -1.0)
    s = None
    if kind == "alternating":
        X, y = np.ones((n, d)), np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    elif kind == "drifting":
        y = np.where(X @ rng.normal(size=d) * np.linspace(-1.0, 1.0, n) > 0.0, 1.0, -1.0)
    elif kind == "heavy":
        s = rng.pareto(1.1, size=n)
        s[rng.random(n) < 0.2] = 0.0
        s[0] = 1.0
    elif kind == "one_hot":
        X = np.eye(d)[np.minimum(d - 1, rng.geometric(0.5, size=n) - 1)]
    elif kind == "sparse":
        X = scipy.sparse.csr_array(X * (rng.random((n, d)) < 0.3))
    elif kind == "single":
        X = X.astype(np.float32)
    return Rows(X, y, s)


KINDS = ("random", "alternating", "drifting", "heavy", "one_hot", "sparse", "single")


def told(ledger: Any) -> dict[str, float]:
    """The numbers of a ledger that are known."""
    return {name: value for name, value in ledger._asdict().items() if value is not None}
