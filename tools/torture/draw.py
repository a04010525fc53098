"""Problems drawn wide: losses, penalties, constraints and designs, at scales from 1e-300 to 1e300."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

import empirisk as er
from empirisk.capabilities import name_of
from empirisk.losses import LOSSES
from tools.torture.formulas import FORMULAS

DEGREES = {"squared": 2, "huber": 2, "squared_epsilon_insensitive": 2} | dict.fromkeys(
    ("absolute", "quantile", "epsilon_insensitive"), 1
)  # of losses in the unit of their labels: the power of that unit that the loss has
WIDTHS = {"huber": "delta", "epsilon_insensitive": "epsilon", "squared_epsilon_insensitive": "epsilon"}  # in that unit
RANGES = (0, 8, 60, 290)  # decimal exponents that the scales of a problem span


class Case(NamedTuple):
    """What is minimised, as numbers; `unit` are the sizes of columns, labels and losses, as powers of two."""

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    loss: Any
    options: dict[str, Any]  # of EmpiricalRisk: strengths, constraint, weights, intercept
    unit: tuple[int, int, int]
    storage: str  # dense, sparse or float32

    def problem(self) -> er.EmpiricalRisk:
        """As a user would pose it."""
        return er.EmpiricalRisk(stored(self.X, self.storage), self.y, self.loss, n_threads=1, **self.options)


def stored(X: NDArray[np.float64], storage: str) -> Any:
    """The numbers as a user would hold them."""
    if storage == "sparse":
        return scipy.sparse.csr_array(X)
    return X.astype(np.float32) if storage == "float32" else X


def draw(seed: int) -> Case | None:
    """A problem; None where its numbers are not finite floats."""
    rng = np.random.default_rng(seed)
    name = str(rng.choice(sorted(FORMULAS)))
    X = entries(rng)
    return dressed(rng, name, X, labels_of(rng, name, X), name in DEGREES)


def dressed(
    rng: np.random.Generator, name: str, X: NDArray[np.float64], y: NDArray[np.float64], has_label_unit: bool
) -> Case | None:
    """A case of this loss on these numbers, brought to scales of its own, with strengths, weights and a storage."""
    n, d = X.shape
    span = int(rng.choice(RANGES))
    columns, labels, losses = (_power(rng, span) for _ in range(3))
    labels = labels if has_label_unit else 0
    with np.errstate(all="ignore"):
        size = np.ldexp(1.0, labels - columns)  # of weights that matter
        loss_size = np.ldexp(1.0, losses + DEGREES.get(name, 0) * labels)
        options = _penalty(rng, d, size, loss_size)
        X, y = np.ldexp(X, columns), np.ldexp(y, labels)
        fields = {"scale": float(rng.choice([1.0, rng.uniform(0.5, 2.0)])) * 2.0**losses}
        if name in WIDTHS:
            fields[WIDTHS[name]] = float(rng.uniform(0.05, 2.0)) * 2.0**labels
    if rng.random() < 0.3:
        options["sample_weight"] = weights_of(rng, n, span)
    options["fit_intercept"] = bool(rng.random() < 0.6)
    numbers = [X.ravel(), y, list(fields.values()), [options["l1"], options["l2"]]]
    if not all(np.all(np.isfinite(part)) for part in numbers) or min(fields.values()) < 1e-300:
        return None
    loss = LOSSES[name]()._replace(**fields)
    if name == "quantile":
        loss = loss._replace(level=float(rng.uniform(0.05, 0.95)))
    storage = str(rng.choice(["dense", "dense", "sparse", "float32" if span == 0 else "sparse"]))
    if storage == "float32":
        X = X.astype(np.float32).astype(np.float64)
    return Case(X, y, loss, options, (columns, labels, losses), storage)


def _power(rng: np.random.Generator, span: int) -> int:
    return int(rng.uniform(-span, span) / np.log10(2.0)) if rng.random() < 0.7 else 0


def entries(rng: np.random.Generator, least: int = 1) -> NDArray[np.float64]:
    """Some rows, at least so many, and columns, of sizes near one as a rule."""
    n, d = int(rng.integers(least, 9)), int(rng.integers(1, 4))
    kind = rng.choice(["normal", "integers", "offset", "uneven", "spread", "binary"])
    X = rng.normal(size=(n, d))
    if kind == "integers":
        X = rng.integers(-3, 4, size=(n, d)).astype(np.float64)
    elif kind == "offset":
        X += 10.0 ** rng.uniform(0, 9)
    elif kind == "uneven":
        X *= 10.0 ** rng.uniform(-6, 6, size=d)
    elif kind == "spread":
        X *= 10.0 ** rng.uniform(-200, 0, size=(n, d))
    elif kind == "binary":
        X = (rng.random((n, d)) < 0.4).astype(np.float64)
    if d > 1 and rng.random() < 0.1:
        X[:, 1] = X[:, 0]
    return X


def labels_of(rng: np.random.Generator, name: str, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Labels that this loss takes."""
    n, d = X.shape
    if name in DEGREES:
        y = rng.normal(size=n)
        if rng.random() < 0.5:  # near a plane, or on one
            y = X @ rng.integers(-2, 3, size=d) + float(rng.choice([0.0, 1e-9, 0.1])) * y
        if rng.random() < 0.1:
            y += 10.0 ** rng.uniform(0, 9)
        return y * float(rng.choice([1.0, 1.0, 1.0, 0.0]))
    if name == "poisson":
        return rng.poisson(3.0, size=n) * float(rng.choice([1.0, 1e-3]))
    return np.where(rng.random(n) < 0.5, -1.0, 1.0)


def weights_of(rng: np.random.Generator, n: int, span: int) -> NDArray[np.float64]:
    """Weights of rows, some of them zero and some small; one is not."""
    weights = rng.integers(0, 4, size=n) + 0.5 * rng.integers(0, 2, size=n)
    weights[int(rng.integers(n))] = 1.0
    return weights * 10.0 ** rng.uniform(-min(span, 100), 0, size=n)


def _penalty(rng: np.random.Generator, d: int, size: float, loss_size: float) -> dict[str, Any]:
    """Strengths and a constraint, in units in which they matter, or nearly."""
    l1 = loss_size / size * 10.0 ** rng.uniform(-8, 1) if rng.random() < 0.4 else 0.0
    l2 = loss_size / size / size * 10.0 ** rng.uniform(-8, 1) if rng.random() < 0.75 else 0.0
    options: dict[str, Any] = {"l1": float(l1), "l2": float(l2)}
    radius = float(size * 10.0 ** rng.uniform(-2, 1))
    if not 0.0 < radius < np.inf:
        return options
    kind = rng.choice(["none", "none", "none", "box", "positive", "l2_ball", "l1_ball", "simplex", "entropy"])
    if kind == "box":
        options["constraint"] = er.Box(-radius, float(rng.choice([1.0, 0.5, 0.0])) * radius)
    elif kind == "positive":
        options["constraint"] = er.Box()
    elif kind == "l2_ball":
        options["constraint"] = er.L2Ball(radius)
    elif kind == "l1_ball":
        options["constraint"] = er.L1Ball(radius)
    elif kind in ("simplex", "entropy"):
        options["constraint"] = er.Simplex(radius)
    strength = loss_size / size * 10.0 ** rng.uniform(-6, 2)
    if kind == "entropy" and 0.0 < strength < np.inf:
        options |= {"l2": 0.0, "regularizer": er.NegativeEntropy(float(strength))}
    return options


def described(case: Any) -> str:
    """One line for a report."""
    options = {key: value for key, value in case.options.items() if key != "sample_weight"}
    return f"{name_of(case.loss)} {case.X.shape} {case.storage} units 2^{case.unit} {case.loss} {options}"
