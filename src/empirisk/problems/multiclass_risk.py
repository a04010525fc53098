"""The regularized empirical risk of a linear predictor of many classes."""

from __future__ import annotations

import copy
import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import adopt
from empirisk.designs import Dense, as_design, check_finite
from empirisk.losses import as_loss
from empirisk.parameters import check_count
from empirisk.problems.empirical_risk import EmpiricalRisk, check_weights
from empirisk.protocols import Vector
from empirisk.regularizers import ElasticNet, strength
from empirisk.rows.blocks import available_threads, row_blocks
from empirisk.vector_losses import OneVersusRest, Softmax


class MulticlassRisk:
    """P(W, b) = (1/S) sum_i s_i loss(W x_i + b, k_i) + l1 ||W||_1 + l2/2 ||W||_F^2, S = sum_i s_i.

    W has a row for each of the K classes, k_i is the number of a class, from 0. The intercepts are not penalised;
    softmax leaves their sum free, which solvers keep at zero.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        n_classes: int,
        loss: Any,
        *,
        l1: float = 0.0,
        l2: float = 1e-4,
        sample_weight: Any = None,
        fit_intercept: bool = True,
        n_threads: int | None = None,
    ) -> None:
        self.loss = _vector_loss(loss)
        self.n_classes = check_count("n_classes", n_classes, 2)
        self.design = as_design(X)
        self.regularizer = ElasticNet(strength("l1", l1), strength("l2", l2))
        self.fit_intercept = bool(fit_intercept)
        self.n_threads = available_threads() if n_threads is None else check_count("n_threads", n_threads)
        n, d = self.design.n_rows(), self.design.n_columns()
        if n == 0 or d == 0:
            raise ValueError(f"X is empty: it has {n} row(s) and {d} column(s)")
        check_finite(self.design)
        self.labels = _class_labels(y, n, self.n_classes)
        self.weights = np.empty(0) if sample_weight is None else check_weights(sample_weight, n)
        self.total_weight = float(self.weights.sum()) if self.weights.size else float(n)
        # An entry costs K multiply-adds, of which BLAS does about eight in the time of one.
        self.work = self.n_classes / 8.0 if isinstance(self.design, Dense) else float(self.n_classes)
        self.blocks = row_blocks(self.design, (d + 1) * self.n_classes, self.work)
        adopt(self.loss, inline=("gradient", "curvature", "hessian_product"))
        adopt(self.regularizer, self.design)
        if self.loss.is_separable():
            adopt(self.loss.base)

    def __repr__(self) -> str:
        n, d = self.design.n_rows(), self.design.n_columns()
        return (
            f"MulticlassRisk({n} x {d}, {self.n_classes} classes, loss={self.loss}, {self.regularizer}, "
            f"fit_intercept={self.fit_intercept})"
        )

    def zero(self) -> tuple[NDArray[np.float64], Vector]:
        """Where solvers start: weights (K x d) and intercepts of zero."""
        return np.zeros((self.n_classes, self.design.n_columns())), np.zeros(self.n_classes)

    def of_class(self, j: int) -> EmpiricalRisk:
        """The problem of class j against the rest, one of the K that a separable loss adds up; it shares the data."""
        if not self.loss.is_separable():
            raise ValueError("only one-versus-rest falls apart into problems of two classes")
        return self._binary.with_loss(self.loss.base, np.where(self.labels == j, 1.0, -1.0))

    def of_classes(self, first: int, last: int) -> MulticlassRisk:
        """The problem of the classes from first to last, counted from first, of a separable loss."""
        other = copy.copy(self)
        other.n_classes = last - first
        other.labels = self.labels - first
        return other

    def with_strengths(self, l1: float | None = None, l2: float | None = None) -> MulticlassRisk:
        """The same data and loss under other strengths; None keeps one. Nothing is copied."""
        given = {name: strength(name, value) for name, value in (("l1", l1), ("l2", l2)) if value is not None}
        other = copy.copy(self)
        other.regularizer = self.regularizer._replace(**given)
        if "_binary" in vars(self):
            other._binary = self._binary.with_strengths(l1, l2)
        return other

    def with_weights(self, weights: Vector) -> MulticlassRisk:
        """The same problem under other sample weights, which are taken as they are; zero leaves a row out."""
        other = copy.copy(self)
        other.weights, other.total_weight = weights, float(weights.sum())
        if "_binary" in vars(self):
            other._binary = self._binary.with_weights(weights)
        return other

    @functools.cached_property
    def _binary(self) -> EmpiricalRisk:
        return EmpiricalRisk(
            self.design,
            np.where(self.labels == 0, 1.0, -1.0),
            self.loss.base,
            l1=self.regularizer.l1,
            l2=self.regularizer.l2,
            sample_weight=self.weights if self.weights.size else None,
            fit_intercept=self.fit_intercept,
            n_threads=self.n_threads,
        )

    def row_weights(self) -> Vector:
        """s_i / S for each row."""
        n = self.design.n_rows()
        return self.weights / self.total_weight if self.weights.size else np.full(n, 1.0 / self.total_weight)


def _vector_loss(loss: Any) -> Any:
    if isinstance(loss, OneVersusRest):
        return OneVersusRest(as_loss(loss.base, "classification"))
    if isinstance(loss, Softmax):
        if not 0.0 < float(loss.scale) < np.inf:
            raise ValueError(f"the scale of softmax must be positive and finite, got {loss.scale!r}")
        return Softmax(float(loss.scale))  # an integer field would compile every kernel again
    raise TypeError(f"loss must be Softmax() or OneVersusRest(base), such as OneVersusRest(Logistic()), got {loss!r}")


def _class_labels(y: Any, n: int, n_classes: int) -> NDArray[np.int64]:
    labels = np.asarray(y)
    if labels.ndim != 1 or labels.size != n:
        raise ValueError(f"y must hold one class for each of the {n} row(s) of X, got shape {labels.shape}")
    if labels.dtype.kind not in "iu":
        raise TypeError(f"y must hold integers, the numbers of the classes, got {labels.dtype} values")
    if int(labels.min()) < 0 or int(labels.max()) >= n_classes:
        found = int(labels.min()) if int(labels.min()) < 0 else int(labels.max())
        raise ValueError(f"y must hold numbers of classes from 0 to {n_classes - 1}, found {found}")
    return np.array(labels, dtype=np.int64)  # a copy that is writable: a read-only one would compile again
