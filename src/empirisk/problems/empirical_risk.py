"""The regularized empirical risk of a linear predictor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import is_convex, is_least_at_zero, name_of, offers, tasks_of
from empirisk.compiled import adopt
from empirisk.losses import as_loss
from empirisk.losses.check_loss import check_slopes
from empirisk.losses.own_errors import explain
from empirisk.other_packages import hinting
from empirisk.problems import copies
from empirisk.problems.construction import finite_vector, penalty_of, rows_for, weight_fields
from empirisk.problems.linear_point import LinearPoint, point_like
from empirisk.problems.passes import project
from empirisk.problems.penalty_and_constraint import join
from empirisk.regularizers import add_elastic_net
from empirisk.rows.protocol import Rows, RowVector


class EmpiricalRisk:
    """P(w, b) = (1/S) sum_i s_i loss(<w, x_i> + b, y_i) + l1 ||w||_1 + l2/2 ||w||^2, S = sum_i s_i, w in constraint.

    A further `regularizer` (a group lasso, the negative entropy, an elastic net: more l1 and l2) adds to the penalty.
    l2 is 1e-4 unless given, and 0 beside a regularizer.
    `regularizer` of the problem is all of it and the constraint as one function Omega. The intercept b is free. A row
    of weight zero is as if absent. Labels of classification losses are -1 and +1 here; `models` maps users' labels to
    them.
    """

    loss: Any
    rows: Rows
    regularizer: Any
    labels: RowVector
    weights: RowVector  # of the rows; empty where all are one
    total_weight: float  # S
    fit_intercept: bool
    _parts: tuple[Any, Any, Any, Any]  # l1, l2, further regularizer and constraint, of which `regularizer` is made
    _power: list[int | None]  # that of the unit of the columns, once it is known: see `units`; copies share the cell

    @hinting
    def __init__(
        self,
        X: Any,
        y: Any,
        loss: Any = "logistic",
        *,
        l1: float = 0.0,
        l2: float | None = None,
        regularizer: Any = None,
        constraint: Any = None,
        sample_weight: Any = None,
        fit_intercept: bool = True,
        n_threads: int | None = None,
    ) -> None:
        loss, parts = as_loss(loss), (*add_elastic_net(l1, l2, regularizer), constraint)
        rows = rows_for(X, n_threads)
        n, omega = rows.n_rows, penalty_of(rows, parts)
        labels = finite_vector("y", y, n)
        check_labels(loss, labels)
        if is_convex(loss) and offers(loss, "derivative") and not offers(loss, "conjugate"):
            check_slopes(loss, labels)  # the certificate believes them
        weights = weight_fields(sample_weight, n)
        adopt(loss, omega)
        vars(self).update(
            loss=loss,
            regularizer=omega,
            **copies.placed(rows, {"labels": labels, **weights}),
            fit_intercept=bool(fit_intercept),
            _parts=parts,
            **self._fields_of(rows),
        )

    __repr__ = copies.name_and_description
    __setattr__ = copies.refuse_change
    with_strengths = copies.with_strengths
    with_weights = copies.with_weights
    with_threads = copies.with_threads
    with_rows = copies.with_rows
    with_kept_rows = copies.with_kept_rows

    @property
    def n_threads(self) -> int:
        """How many threads its passes may use."""
        return self.rows.n_threads

    def description(self) -> str:
        """Size, loss, regularizer and intercept."""
        size = f"{self.rows.n_rows} x {self.rows.n_columns}"
        return f"{size}, loss={self.loss}, {self.regularizer}, fit_intercept={self.fit_intercept}"

    def zero(self) -> LinearPoint:
        """Weights and intercept of zero, or the closest weights that the constraint allows."""
        return LinearPoint(project(self, np.zeros(self.rows.n_columns)))

    def start(self, given: Any) -> LinearPoint:
        """A pair (weights, intercept), projected where the constraint excludes it."""
        point = point_like(self.zero(), given, self.fit_intercept)
        return point._replace(weights=project(self, point.weights))

    def explain(self, error: Exception) -> Exception | None:
        """What a user's own loss raised, in a sentence."""
        return explain(self.loss, error)

    def is_trivial(self, point: LinearPoint) -> bool:
        """Whether the point is zero and the loss nowhere below its value there."""
        return not point.weights.any() and not point.intercept and is_least_at_zero(self.loss)

    def with_loss(self, loss: Any, labels: RowVector) -> EmpiricalRisk:
        """The same data under another loss and other labels, which are taken as they are."""
        adopt(loss)
        return copies.copy_with(self, loss=loss, labels=labels)

    def without_constraint(self) -> EmpiricalRisk:
        """The same under its penalty alone."""
        parts = (*self._parts[:3], None)
        return copies.copy_with(self, _parts=parts, regularizer=join(*parts, self.rows.n_columns))

    def without_penalty(self) -> EmpiricalRisk:
        """The mean loss of the same data alone, without regularizer, constraint and intercept."""
        parts = (0.0, 0.0, None, None)
        omega = join(*parts, self.rows.n_columns)
        return copies.copy_with(self, _parts=parts, regularizer=omega, fit_intercept=False)

    def _fields_of(self, rows: Rows) -> dict[str, Any]:
        """What belongs to rows."""
        return {"rows": rows, "_power": [None]}


def check_labels(loss: Any, labels: NDArray[np.float64]) -> None:
    """Refuse labels that the loss does not take."""
    said, refused = "-1 and +1", np.zeros(0, dtype=np.bool_)
    if "regression" not in tasks_of(loss):
        refused = np.abs(labels) != 1.0
    elif offers(loss, "accepts"):
        said, refused = loss.labels(), np.array([not loss.accepts(y) for y in labels.tolist()])
    if bool(np.any(refused)):
        row = int(np.argmax(refused))
        found = f"found {labels[row]:g} (row {row}, counted from 0)"
        raise ValueError(f"y must hold {said} for the loss {name_of(loss)!r}, {found}")
