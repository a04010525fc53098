"""The regularized empirical risk of a linear predictor."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from empirisk.compiled import adopt
from empirisk.data.blocks import available_threads, row_blocks
from empirisk.designs import as_design, check_finite, matrix_of
from empirisk.designs.transposed import columns_given, transposed
from empirisk.losses import as_loss
from empirisk.losses.check_loss import check_slopes
from empirisk.parameters import check_count
from empirisk.problems.joined import join
from empirisk.protocols import Vector, is_convex, name_of, offers, tasks_of
from empirisk.regularizers import add_elastic_net


class EmpiricalRisk:
    """P(w, b) = (1/S) sum_i s_i loss(<w, x_i> + b, y_i) + l1 ||w||_1 + l2/2 ||w||^2, S = sum_i s_i, w in constraint.

    A further `regularizer` (a group lasso, the negative entropy, an elastic net: more l1 and l2) adds to the penalty.
    `regularizer` of the problem is all of it and the constraint as one function Omega. The intercept b is free. A row
    of weight zero is as if absent. Labels of classification losses are -1 and +1 here; `models` maps users' labels to
    them.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        loss: Any = "logistic",
        *,
        l1: float = 0.0,
        l2: float = 1e-4,
        regularizer: Any = None,
        constraint: Any = None,
        sample_weight: Any = None,
        fit_intercept: bool = True,
        n_threads: int | None = None,
    ) -> None:
        self.loss = as_loss(loss)
        self.design = as_design(X)
        self._columns = [columns_given(X)]  # a cell that copies of the problem share
        self._parts = (*add_elastic_net(l1, l2, regularizer), constraint)
        self.regularizer = join(*self._parts, self.design.n_columns())
        self.fit_intercept = bool(fit_intercept)
        self.n_threads = available_threads() if n_threads is None else check_count("n_threads", n_threads)
        n = self.design.n_rows()
        if n == 0 or self.design.n_columns() == 0:
            raise ValueError(f"X is empty: it has {n} row(s) and {self.design.n_columns()} column(s)")
        check_finite(self.design)
        self.labels = _finite_vector("y", y, n)
        self._check_labels()
        if is_convex(self.loss) and offers(self.loss, "derivative") and not offers(self.loss, "conjugate"):
            check_slopes(self.loss, self.labels)  # the certificate believes them
        self.weights = np.empty(0) if sample_weight is None else check_weights(sample_weight, n)
        self.total_weight = float(self.weights.sum()) if self.weights.size else float(n)
        self.blocks = row_blocks(self.design, self.design.n_columns())
        adopt(self.loss, self.regularizer, self.design)

    def __repr__(self) -> str:
        n, d = self.design.n_rows(), self.design.n_columns()
        return f"EmpiricalRisk({n} x {d}, loss={self.loss}, {self.regularizer}, fit_intercept={self.fit_intercept})"

    @property
    def columns(self) -> Any:
        """The design of X^T, whose rows are the columns of X: built when first asked for, then kept."""
        if self._columns[0] is None:
            self._columns[0] = transposed(self.design)
        return self._columns[0]

    def zero(self) -> tuple[Vector, float]:
        """Where solvers start: weights and intercept of zero."""
        return np.zeros(self.design.n_columns()), 0.0

    def with_loss(self, loss: Any, labels: Vector) -> EmpiricalRisk:
        """The same data under another loss and other labels, which are taken as they are."""
        other = copy.copy(self)
        other.loss, other.labels = loss, labels
        adopt(loss)
        return other

    def with_strengths(self, l1: float | None = None, l2: float | None = None) -> EmpiricalRisk:
        """The same data, loss, regularizer and constraint under other strengths; None keeps one. Nothing is copied."""
        other = copy.copy(self)
        old_l1, old_l2, *others = self._parts
        other._parts = (old_l1 if l1 is None else l1, old_l2 if l2 is None else l2, *others)
        other.regularizer = join(*other._parts, self.design.n_columns())
        return other

    def with_weights(self, weights: Vector) -> EmpiricalRisk:
        """The same problem under other sample weights, which are taken as they are; zero leaves a row out."""
        other = copy.copy(self)
        other.weights, other.total_weight = weights, float(weights.sum())
        return other

    def with_rows(self, rows: Any) -> EmpiricalRisk:
        """The same problem on a copy of these rows, some of which must have weight."""
        other = copy.copy(self)
        other.design = as_design(matrix_of(self.design)[rows])
        other._columns = [None]
        other.labels = self.labels[rows]
        if self.weights.size:
            other.weights = self.weights[rows]
        other.total_weight = float(other.weights.sum()) if self.weights.size else float(rows.size)
        other.blocks = row_blocks(other.design, other.design.n_columns())
        return other

    def _check_labels(self) -> None:
        said, refused = "-1 and +1", np.zeros(0, dtype=np.bool_)
        if "regression" not in tasks_of(self.loss):
            refused = np.abs(self.labels) != 1.0
        elif offers(self.loss, "accepts"):
            said, refused = self.loss.labels(), np.array([not self.loss.accepts(y) for y in self.labels.tolist()])
        if bool(np.any(refused)):
            row = int(np.argmax(refused))
            found = f"found {self.labels[row]:g} (row {row}, counted from 0)"
            raise ValueError(f"y must hold {said} for the loss {name_of(self.loss)!r}, {found}")


def check_weights(sample_weight: Any, n: int) -> Vector:
    """Sample weights as float64: finite, non-negative, not all zero; scaled by a power of two, which is exact.

    Only ratios matter, and the scaling keeps sums and reciprocals of extreme weights finite.
    """
    weights = _finite_vector("sample_weight", sample_weight, n)
    if bool(np.any(weights < 0.0)):
        at = int(np.argmax(weights < 0.0))
        raise ValueError(f"sample_weight must be non-negative, found {weights[at]} at row {at}")
    if not bool(np.any(weights > 0.0)):
        raise ValueError("sample_weight is zero for every row: there is nothing to fit")
    scaled = np.ldexp(weights, 1 - int(np.frexp(weights.max())[1]))  # the largest in [1, 2): ones stay ones
    if bool(np.any((scaled == 0.0) & (weights > 0.0))):
        raise ValueError("sample_weight spans too many orders of magnitude: its smallest vanish beside its largest")
    return scaled


def _finite_vector(name: str, values: Any, n: int) -> Vector:
    # Writable: a read-only array is another type, and would compile every kernel again.
    try:
        vector = np.require(values, dtype=np.float64, requirements=["C", "W"])
    except (TypeError, ValueError):
        raise TypeError(f"{name} must hold numbers, got {np.asarray(values).dtype} values") from None
    if vector.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {vector.shape}")
    if vector.size != n:
        raise ValueError(f"{name} has {vector.size} value(s) for {n} row(s) of X")
    if not bool(np.all(np.isfinite(vector))):
        at = int(np.argmin(np.isfinite(vector)))
        raise ValueError(f"{name} contains NaN or infinity (row {at}, counted from 0)")
    return vector
