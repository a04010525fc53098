"""What a regularized risk of a linear predictor shows to passes and solvers, with one score a row or one a class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self

from empirisk.protocols import Problem, Vector
from empirisk.rows.protocol import Rows, RowVector

if TYPE_CHECKING:
    from empirisk.problems.linear_point import LinearPoint  # which is made of passes, and these of this


class LinearRisk(Problem, Protocol):
    """(1/S) sum_i s_i loss(scores of row i, label of row i) + Omega(weights): `EmpiricalRisk` and `MulticlassRisk`."""

    loss: Any  # and `regularizer`: with the optional methods that a solver asks for in `needs`
    rows: Rows
    regularizer: Any
    labels: RowVector
    weights: RowVector  # of the rows; empty where all are one
    total_weight: float  # S
    fit_intercept: bool

    def zero(self) -> LinearPoint:
        """Weights and intercept of zero, or the closest weights that the constraint allows."""

    def start(self, given: Any) -> LinearPoint:
        """A pair (weights, intercept), projected where the constraint excludes it."""

    def with_strengths(self, l1: float | None = None, l2: float | None = None) -> Self:
        """The same under other strengths; None keeps one."""

    def with_weights(self, weights: Vector) -> Self:
        """The same under other sample weights."""
