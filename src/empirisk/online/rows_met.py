"""The rows of a run, checked and in the form that games are played on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import offers, tasks_of
from empirisk.compiled import kernel
from empirisk.designs import as_design, check_finite
from empirisk.designs.as_design import rows_between, stored_values
from empirisk.problems.construction import finite_vector
from empirisk.problems.empirical_risk import check_labels
from empirisk.protocols import Vector
from empirisk.rows.fingerprint import Sums, digits_of, fingerprint_sums

EMPTY = np.empty(0)


class RowsMet(NamedTuple):
    """Rows with their labels and weights; the weights are empty where all are one."""

    design: Any
    labels: Vector
    weights: Vector

    @property
    def n_rows(self) -> int:
        """Weight zero or not."""
        return int(self.design.n_rows())

    @property
    def n_columns(self) -> int:
        """Of the design."""
        return int(self.design.n_columns())

    def description(self) -> str:
        """Their size."""
        return f"{self.n_rows} x {self.n_columns} rows of a run"

    def part(self, stop: int, start: int = 0) -> RowsMet:
        """These rows of it."""
        weights = self.weights[start:stop] if self.weights.size else self.weights
        return RowsMet(rows_between(self.design, start, stop), self.labels[start:stop], weights)

    def sums(self, first: int = 0) -> Sums:
        """What a fingerprint is made of, where the rows have so many above them."""
        return fingerprint_sums(self.design, self.labels, self.weights, first)

    def fingerprint(self) -> str:
        """Of all of them."""
        return digits_of(self.sums(), self.n_rows, self.n_columns)


def rows_met(X: Any, y: Any, sample_weight: Any, loss: Any, n_before: int = 0) -> RowsMet:
    """Refuses what is not finite, labels that the loss does not take, and negative weights."""
    design = as_design(X)
    labels, weights = _plain(y, design), EMPTY if sample_weight is None else _plain(sample_weight, design)
    is_plain = labels is not None and weights is not None and not offers(loss, "accepts")
    if is_plain and _are_usable(stored_values(design), labels, weights, "regression" not in tasks_of(loss)):
        return RowsMet(design, labels, weights)
    check_finite(design, n_before)
    labels = finite_vector("y", y, design.n_rows())
    check_labels(loss, labels)
    if sample_weight is None:
        return RowsMet(design, labels, EMPTY)
    weights = finite_vector("sample_weight", sample_weight, design.n_rows())
    check_not_negative(weights)
    return RowsMet(design, labels, weights)


def check_not_negative(weights: Vector) -> None:
    """Refuse weights below zero."""
    if bool(np.any(weights < 0.0)):
        at = int(np.argmax(weights < 0.0))
        raise ValueError(f"sample_weight must be non-negative, found {weights[at]} at row {at}")


def _plain(values: Any, design: Any) -> Any:
    """A copy of an array of the usual kind, one number a row; None for all else, which is looked at more closely."""
    is_plain = type(values) is np.ndarray and values.dtype == np.float64 and values.shape == (design.n_rows(),)
    return values.copy() if is_plain else None


@kernel(borrows=True)
def _are_usable(entries, y, weights, are_signs):
    """Whether nothing is to be refused: in one call, because a round may come alone."""
    wrong = 0
    for k in range(entries.size):
        wrong += not abs(entries[k]) < np.inf
    for i in range(y.size):
        wrong += abs(y[i]) != 1.0 if are_signs else not abs(y[i]) < np.inf
    for i in range(weights.size):
        wrong += not 0.0 <= weights[i] < np.inf
    return wrong == 0
