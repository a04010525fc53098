"""The regularized empirical risk of a linear predictor of many classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import adopt
from empirisk.losses import as_loss
from empirisk.losses.own_errors import explain
from empirisk.other_packages import hinting
from empirisk.parameters import check_count
from empirisk.problems import copies
from empirisk.problems.class_products import work_of
from empirisk.problems.construction import penalty_of, rows_for, weight_fields
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint, point_like
from empirisk.problems.passes import project
from empirisk.protocols import Unsupported
from empirisk.regularizers import add_elastic_net
from empirisk.rows.protocol import RowBlock, Rows, RowVector
from empirisk.vector_losses import OneVersusRest, Softmax


class MulticlassRisk:
    """P(W, b) = (1/S) sum_i s_i loss(W x_i + b, k_i) + sum_c Omega(w_c), S = sum_i s_i.

    W has a row w_c for each of the K classes, k_i is the number of a class, from 0; Omega is l1 ||w||_1 + l2/2 ||w||^2.
    A loss that splits into its classes (one-versus-rest) takes a further regularizer and a constraint, for every class.
    The intercepts are not penalised; softmax leaves their sum free, which solvers keep at zero.
    """

    loss: Any
    n_classes: int
    rows: Rows
    regularizer: Any  # of one class
    labels: RowVector
    weights: RowVector  # of the rows; empty where all are one
    total_weight: float  # S
    fit_intercept: bool
    work: float  # what an entry costs, in those of a plain pass
    _parts: tuple[Any, Any, Any, Any]  # l1, l2, further regularizer and constraint, of which `regularizer` is made
    _data: list[EmpiricalRisk | None]  # the data as a problem of two classes, once asked for; copies share the cell

    @hinting
    def __init__(
        self,
        X: Any,
        y: Any,
        n_classes: int,
        loss: Any,
        *,
        l1: float = 0.0,
        l2: float | None = None,
        regularizer: Any = None,
        constraint: Any = None,
        sample_weight: Any = None,
        fit_intercept: bool = True,
        n_threads: int | None = None,
    ) -> None:
        loss, n_classes, rows = _vector_loss(loss), check_count("n_classes", n_classes, 2), rows_for(X, n_threads)
        l1, l2, regularizer = add_elastic_net(l1, l2, regularizer)
        n, parts = rows.n_rows, (l1, l2, regularizer, constraint)
        if not loss.splits() and (regularizer is not None or constraint is not None):
            said = "softmax takes neither a constraint nor a regularizer beside l1 and l2"
            raise Unsupported(f"{said}; with one, use multiclass='one_vs_rest'")
        omega = penalty_of(rows, parts)
        labels = _class_labels(y, n, n_classes)
        weights = weight_fields(sample_weight, n)
        adopt(loss, inline=("gradient", "curvature", "hessian_product"))
        adopt(omega)
        if loss.splits():
            adopt(loss.base)
        vars(self).update(
            loss=loss,
            n_classes=n_classes,
            regularizer=omega,
            **copies.placed(rows, {"labels": labels, **weights}),
            fit_intercept=bool(fit_intercept),
            _parts=parts,
        )
        vars(self).update(self._fields_of(rows))

    __repr__ = copies.name_and_description
    __setattr__ = copies.refuse_change
    with_strengths = copies.with_strengths
    with_weights = copies.with_weights
    with_threads = copies.with_threads
    with_rows = copies.with_rows

    @property
    def n_threads(self) -> int:
        """How many threads its passes may use."""
        return self.rows.n_threads

    def description(self) -> str:
        """Size, loss, regularizer and intercepts."""
        size = f"{self.rows.n_rows} x {self.rows.n_columns}, {self.n_classes} classes"
        return f"{size}, loss={self.loss}, {self.regularizer}, fit_intercept={self.fit_intercept}"

    def zero(self) -> LinearPoint:
        """Weights (K x d) and intercepts of zero, or the closest weights that the constraint allows."""
        weights = np.tile(project(self, np.zeros(self.rows.n_columns)), (self.n_classes, 1))
        return LinearPoint(weights, np.zeros(self.n_classes))

    def start(self, given: Any) -> LinearPoint:
        """A pair (weights, intercepts), projected where the constraint excludes them."""
        point = point_like(self.zero(), given, self.fit_intercept)
        return point._replace(weights=np.array([project(self, row) for row in point.weights]))

    def explain(self, error: Exception) -> Exception | None:
        """What a user's own loss raised, in a sentence."""
        return explain(self.loss.base if self.loss.splits() else self.loss, error)

    def _fields_of(self, rows: Rows) -> dict[str, Any]:
        """What belongs to rows."""
        return {"rows": rows, "work": work_of(rows, self.n_classes), "_data": [None]}

    def of_class(self, j: int) -> EmpiricalRisk:
        """The problem of class j against the rest, one of the K that add up to the loss; it shares the data."""
        if not self.loss.splits():
            raise ValueError("only one-versus-rest falls apart into problems of two classes")
        data = self._data[0]
        if data is None:
            _, _, regularizer, constraint = self._parts
            data = self._data[0] = EmpiricalRisk(
                self.rows,
                np.ones(self.rows.n_rows),
                self.loss.base,
                regularizer=regularizer,
                constraint=constraint,
                fit_intercept=self.fit_intercept,
            )
        one = data.with_loss(self.loss.base, self.rows.vector(_signs, j, rows=(self.labels,)))
        one = one.with_strengths(*self._parts[:2]).with_threads(self.n_threads)
        return one.with_weights(self.weights) if self.weights.size else one

    def of_classes(self, first: int, last: int) -> MulticlassRisk:
        """The problem of the classes from first to last, counted from first, of a loss that splits."""
        labels = self.rows.gather(self.labels) - first
        return copies.copy_with(self, n_classes=last - first, labels=self.rows.place(labels))


def _signs(block: RowBlock, j: int, labels: NDArray[np.int64], out: NDArray[np.float64]) -> None:
    np.subtract(2.0 * (labels == j), 1.0, out=out)


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
    return np.array(labels, dtype=np.int64)  # a copy: the caller may change the array
