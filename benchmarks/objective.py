"""The objectives of the benchmark, evaluated with numpy: no solver judges itself.

    P(w, b) = (1/n) sum_i loss(<w, x_i> + b, y_i) + l1 ||w||_1 + l2/2 ||w||^2

A point is w, or (w, b) where there is an intercept, or the K rows of W where there are K classes.
"""

from dataclasses import dataclass

import numpy as np
import scipy.special

from benchmarks.data_sets import DataSet

ONE_VERSUS_REST = "one_vs_rest_"


@dataclass(frozen=True)
class Objective:
    """A loss by its name, with parameters as in huber:delta=1.5, and what is added to it."""

    loss: str
    l1: float = 0.0
    l2: float = 0.0
    fit_intercept: bool = False

    @property
    def name(self) -> str:
        return self.loss.partition(":")[0]

    @property
    def kind(self) -> str:
        """What a solver must be able to minimise: "logistic l2", "squared l1", "quantile"."""
        penalties = [name for name, strength in (("l1", self.l1), ("l2", self.l2)) if strength > 0.0]
        return " ".join([self.name, *penalties])

    @property
    def parameters(self) -> dict[str, float]:
        pairs = (item.partition("=") for item in self.loss.partition(":")[2].split(",") if item)
        return {key: float(value) for key, _, value in pairs}

    @property
    def label(self) -> str:
        """The loss with its parameters rounded, for tables."""
        shown = ", ".join(f"{key}={value:.4g}" for key, value in self.parameters.items())
        return " ".join(filter(None, (self.name.replace("_", " "), shown)))

    def value(self, data: DataSet, point: np.ndarray) -> float:
        weights, intercept = (point[:-1], point[-1]) if self.fit_intercept else (point, 0.0)
        losses = mean_loss(self, data.X @ weights.T + intercept, data.y)
        penalty = self.l1 * np.abs(weights).sum() + self.l2 / 2.0 * np.vdot(weights, weights)
        value = float(losses + penalty)
        return value if np.isfinite(value) else float("inf")


def mean_loss(objective: Objective, scores: np.ndarray, y: np.ndarray) -> float:
    if objective.name == "softmax":
        return float(np.mean(scipy.special.logsumexp(scores, axis=1) - scores[np.arange(len(y)), y]))
    if objective.name.startswith(ONE_VERSUS_REST):
        loss = SCORE_LOSSES[objective.name.removeprefix(ONE_VERSUS_REST)]
        signs = np.where(y[:, None] == np.arange(scores.shape[1]), 1.0, -1.0)
        return float(np.sum(loss(scores, signs)) / len(y))
    return float(np.mean(SCORE_LOSSES[objective.name](scores, y, **objective.parameters)))


def logistic(z, y):
    return np.logaddexp(0.0, -y * z)


def hinge(z, y):
    return np.maximum(0.0, 1.0 - y * z)


def squared_hinge(z, y):
    return np.maximum(0.0, 1.0 - y * z) ** 2


def squared(z, y):
    return 0.5 * (z - y) ** 2


def huber(z, y, delta):
    r = np.abs(z - y)
    return np.where(r <= delta, 0.5 * r * r, delta * (r - 0.5 * delta))


def quantile(z, y, level):
    return np.maximum(level * (y - z), (1.0 - level) * (z - y))


def absolute(z, y):
    return np.abs(z - y)


LOSSES = (logistic, hinge, squared_hinge, squared, huber, quantile, absolute)
SCORE_LOSSES = {loss.__name__: loss for loss in LOSSES}
# |loss'(0, y)| / |y|, for the least l1 whose minimiser is zero.
SLOPES_AT_ZERO = {"logistic": 0.5, "squared_hinge": 2.0, "squared": 1.0}


def largest_l1(loss: str, data: DataSet) -> float:
    """max_j |(1/n) sum_i loss'(0, y_i) x_ij|: from this l1 on, w = 0 is the minimiser."""
    return SLOPES_AT_ZERO[loss] * float(np.abs(data.X.T @ data.y).max()) / data.n_rows
