"""What the parts of a problem must offer: a loss, a regularizer, a design, and a rule that learns from one row."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from empirisk.protocols.arrays import Vector


class Loss(Protocol):
    """A loss of a score and a label. `value` and `derivative` suffice.

    Optional: conjugate(u, y), without which the Fenchel-Young equality stands in; second_derivative(z, y);
    smoothness(), a bound on it;
    dual_step(u, z, y, q), the maximiser over t of -loss*(-t, y) - z (t - u) - q/2 (t - u)^2;
    prox(z, y, step), the minimiser over x of loss(x, y) + (x - z)^2 / (2 step);
    pieces(y), pairs (slope, offset) whose largest slope z + offset is the value, for piecewise linear losses;
    probability(z), the chance of label +1, where the loss is a likelihood.
    has_kinks() and is_convex(), False and True unless given; recedes(): falls forever as y z grows;
    lower_bound() of the values, 0 unless given, used where there is no conjugate;
    advice(), what to call in place of a solver that cannot take it;
    label_degree(), where scores have the unit of the labels: the power of that unit that the loss has; with it
    in_label_unit(unit), the same loss where labels are told in this unit, but for that factor.
    tasks(), "classification" (labels -1 and +1) or "regression"; accepts(y) and labels(), for labels that are
    restricted further, and what they are in words; parameter_ranges(), open intervals of the parameters that need
    not just be positive. Its name is that of its class: SquaredHinge is "squared_hinge".
    `value`, `derivative` and `conjugate` must be accurate to 8 units in the last place of |result| + 2 |u| max(1, |y|),
    or |result| + 2 |u y| for a loss with a label_degree().
    """

    def value(self, z: float, y: float) -> float:
        """The loss of score z at label y."""

    def derivative(self, z: float, y: float) -> float:
        """A (sub)derivative in z."""


class Regularizer(Protocol):
    """A convex penalty Omega of the weights, a constraint included (values infinite outside).

    Optional: is_quadratic(), whether it is l2/2 ||w||^2 and nothing else; maximizer_coordinate(j, v), where Omega
    is a sum over coordinates; prox_scaled(w, h, out), the minimiser of Omega(x) + sum_j h_j (x_j - w_j)^2 / 2;
    interval(), (l1, low, high) where it is l1 ||w||_1 on low <= w_j <= high, and l2.
    value_size(w), the sum of sizes relative to which `value` rounds, where that is more than the value.
    Of those that users give: checked(), the same with fields that kernels can take, or a sentence; summary(), what the
    report says of it, where that is not its name and its numbers; scaled(first, second), the same with its strengths of
    norms and of squares multiplied by these. Of a constraint: scaled(factor), the set of factor w.
    """

    def value(self, w: Vector) -> float:
        """Omega(w)."""

    def prox(self, w: Vector, step: float, out: Vector) -> None:
        """The minimiser of Omega(x) + ||x - w||^2 / (2 step), written to out."""

    def conjugate(self, v: Vector) -> float:
        """The supremum of <w, v> - Omega(w)."""

    def maximizer(self, v: Vector, out: Vector) -> None:
        """A w that reaches that supremum, written to out."""

    def strong_convexity(self) -> float:
        """The largest m for which Omega(w) - m/2 ||w||^2 is convex."""

    def norm_bound(self) -> float:
        """The largest ||w|| where Omega is finite; infinite where there is none."""

    def growth(self) -> float:
        """A c >= 0 with Omega(w) >= c ||w|| everywhere."""

    def dual_scale(self, v: Vector, error: float) -> float:
        """The largest c <= 1 for which the conjugate is finite at c v' for every v' within `error` of v."""

    def nearest_dual(self, v: Vector, out: Vector) -> None:
        """The point closest to v where the conjugate is finite, written to out."""


class Design(Protocol):
    """The rows of X. Sums are taken in float64 whatever the dtype of the data."""

    def n_rows(self) -> int:
        """The number of examples."""

    def n_columns(self) -> int:
        """The number of features."""

    def row_size(self, i: int) -> int:
        """The number of stored entries of row i."""

    def column_at(self, i: int, k: int) -> int:
        """The column of stored entry k of row i."""

    def entry_at(self, i: int, k: int) -> float:
        """The value of stored entry k of row i."""

    def dot_row(self, i: int, w: Vector) -> float:
        """<x_i, w>."""

    def dot_row_sizes(self, i: int, w: Vector) -> float:
        """The sum of |x_ij w_j|."""

    def measure_row(self, i: int, w: Vector) -> tuple[float, float, float]:
        """<x_i, w>, the sum of |x_ij w_j| and ||x_i||^2, in one read of the row."""

    def add_row(self, i: int, a: float, w: Vector) -> None:
        """Add a * x_i to w."""

    def add_row_squares(self, i: int, a: float, out: Vector) -> None:
        """Add a * x_ij^2 to out[j]."""

    def map_row(self, i: int, v: Vector, regularizer: Regularizer, w: Vector) -> None:
        """Set w[j] to regularizer.maximizer_coordinate(j, v[j]) for the columns j that row i touches."""

    def squared_row_norm(self, i: int) -> float:
        """||x_i||^2."""

    def add_gram(self, weights: Vector, out: NDArray[np.float64]) -> None:
        """Add the sum of weights[i] x_i x_i^T to the lower triangle of out."""


class Learner(Protocol):
    """An update rule: a point (w, b), and how one row changes it. Kernels of solvers call it for row after row.

    Its arrays are overwritten in place. An online learner makes the same calls, one row at a time.
    """

    @property
    def w(self) -> Vector:
        """The weights, after `settle`; before, a rule may keep them in another form."""

    def score(self, X: Any, i: int) -> float:
        """<w, x_i> + b at the point so far."""

    def learn(self, X: Any, i: int, slope: float) -> None:
        """One step from row i, where `slope` is a derivative of the loss at its score, times the row's weight."""

    def settle(self) -> None:
        """Make the steps that coordinates still owe: once, after the last row."""
