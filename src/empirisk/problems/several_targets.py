"""Several regressions on the same rows, one a target."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.capabilities import is_convex, name_of
from empirisk.problems import copies
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint, point_like
from empirisk.problems.passes import project
from empirisk.protocols import Unsupported, Vector
from empirisk.rows.protocol import Rows, RowVector


class SeveralTargets:
    """P(W, b) = sum_t P_t(w_t, b_t), where P_t is the empirical risk of column t of the targets.

    The T problems share rows, sample weights, loss, penalty and constraint, and nothing else: W has a row w_t for each
    target. The parameters are those of `EmpiricalRisk`, with n x T targets in place of the labels.
    """

    parts: tuple[EmpiricalRisk, ...]  # one a target
    n_classes: int  # T: there is a score for each target, as for each of many classes
    loss: Any  # of one target, like all that follows but the labels
    rows: Rows
    regularizer: Any
    labels: RowVector  # T a row
    weights: RowVector  # of the rows; empty where all are one
    total_weight: float  # S
    fit_intercept: bool
    n_threads: int

    def __init__(self, X: Any, Y: Any, loss: Any = "squared", **options: Any) -> None:
        targets = np.asarray(Y)
        if targets.ndim != 2 or targets.shape[1] < 1:
            raise ValueError(f"the targets must be n x T numbers, got shape {targets.shape}")
        first = EmpiricalRisk(X, targets[:, 0], loss, **options)
        if not is_convex(first.loss):
            said = (
                f"the loss {name_of(first.loss)!r} is not convex, and several targets are certified for convex losses"
            )
            raise Unsupported(f"{said} only: wrap the estimator in scikit-learn's MultiOutputRegressor")
        # Built like the first, so that every target is checked like it; rows and penalty are those of the first.
        others = (EmpiricalRisk(first.rows, column, first.loss).labels for column in targets.T[1:])
        vars(self).update(_fields((first, *(first.with_loss(first.loss, labels) for labels in others))))

    __repr__ = copies.name_and_description
    __setattr__ = copies.refuse_change

    def description(self) -> str:
        """That of one target, and how many there are."""
        return f"{self.n_classes} targets, each {self.parts[0].description()}"

    def zero(self) -> LinearPoint:
        """Weights (T x d) and intercepts of zero, or the closest weights that the constraint allows."""
        return LinearPoint(np.tile(self.parts[0].zero().weights, (self.n_classes, 1)), np.zeros(self.n_classes))

    def start(self, given: Any) -> LinearPoint:
        """A pair (weights, intercepts), projected where the constraint excludes them."""
        point = point_like(self.zero(), given, self.fit_intercept)
        return point._replace(weights=np.array([project(self.parts[0], row) for row in point.weights]))

    def explain(self, error: Exception) -> Exception | None:
        """What a user's own loss raised, in a sentence."""
        return self.parts[0].explain(error)

    def of_class(self, j: int) -> EmpiricalRisk:
        """The problem of target j alone."""
        return self.parts[j]

    def with_strengths(self, l1: float | None = None, l2: float | None = None) -> SeveralTargets:
        """The same under other strengths; None keeps one."""
        return self._each(lambda part: part.with_strengths(l1, l2))

    def with_weights(self, weights: Vector) -> SeveralTargets:
        """The same under other sample weights."""
        return self._each(lambda part: part.with_weights(weights))

    def with_threads(self, n_threads: int) -> SeveralTargets:
        """The same, on so many threads."""
        return self._each(lambda part: part.with_threads(n_threads))

    def _each(self, change: Any) -> SeveralTargets:
        return copies.copy_with(self, **_fields(tuple(map(change, self.parts))))


SHARED = ("loss", "rows", "regularizer", "weights", "total_weight", "fit_intercept", "n_threads")


def _fields(parts: tuple[EmpiricalRisk, ...]) -> dict[str, Any]:
    """What the problem of these targets shows."""
    shared = {name: getattr(parts[0], name) for name in SHARED}
    rows = parts[0].rows
    labels = rows.place(np.column_stack([rows.gather(part.labels) for part in parts]))
    return {"parts": parts, "n_classes": len(parts), "labels": labels, **shared}
