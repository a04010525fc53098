"""What is checked and kept of every risk on rows as it is built: its rows, its penalty and its weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.arithmetic.exact_floats import check_exact
from empirisk.capabilities import offers
from empirisk.designs import as_design, check_finite
from empirisk.designs.transposed import columns_given
from empirisk.parameters import check_count
from empirisk.problems.penalty_and_constraint import join
from empirisk.protocols import Vector
from empirisk.rows.in_memory import InMemory
from empirisk.rows.protocol import RowBlock, Rows
from empirisk.rows.threads import available_threads

SMALLEST_WEIGHT = 2.0**-960  # beside a largest of one: below, shares of the sum could lose digits


def rows_for(X: Any, n_threads: int | None) -> Rows:
    """The rows of X; or X itself, where it is rows that live somewhere already."""
    if offers(X, "each") and offers(X, "total"):
        given: Rows = X
        return given if n_threads is None else given.with_threads(n_threads)
    threads = available_threads() if n_threads is None else check_count("n_threads", n_threads)
    return InMemory(as_design(X), threads, columns_given(X))


def penalty_of(rows: Rows, parts: tuple[Any, Any, Any, Any]) -> Any:
    """Penalty and constraint as one function; refuses rows that are none, or not finite."""
    n, d = rows.n_rows, rows.n_columns
    omega = join(*parts, d)
    if n == 0 or d == 0:
        raise ValueError(f"X is empty: it has {n} row(s) and {d} column(s)")
    rows.each(_check_finite)
    return omega


def _check_finite(block: RowBlock) -> None:
    check_finite(block.design, block.first)


def weight_fields(sample_weight: Any, n: int) -> dict[str, Any]:
    """The weights of the rows, empty where all are one, and their sum."""
    weights = np.empty(0) if sample_weight is None else check_weights(sample_weight, n)
    return {"weights": weights, "total_weight": total_weight(weights, n)}


def total_weight(weights: Vector, n: int) -> float:
    """S, of n rows; their weights are empty where all are one."""
    return float(weights.sum()) if weights.size else float(n)


def check_weights(sample_weight: Any, n: int) -> Vector:
    """Sample weights as float64: finite, non-negative, not all zero; scaled by a power of two, which is exact.

    Only ratios matter, and the scaling keeps sums and reciprocals of extreme weights finite.
    """
    weights = finite_vector("sample_weight", sample_weight, n)
    if bool(np.any(weights < 0.0)):
        at = int(np.argmax(weights < 0.0))
        raise ValueError(f"sample_weight must be non-negative, found {weights[at]} at row {at}")
    if not bool(np.any(weights > 0.0)):
        raise ValueError("sample_weight is zero for every row: there is nothing to fit")
    scaled = np.ldexp(weights, 1 - int(np.frexp(weights.max())[1]))  # the largest in [1, 2): ones stay ones
    if bool(np.any((scaled < SMALLEST_WEIGHT) & (weights > 0.0))):
        said = "its smallest vanish beside its largest; give weight 0 to rows that should not count"
        raise ValueError(f"sample_weight spans too many orders of magnitude: {said}")
    return scaled


def finite_vector(name: str, values: Any, n: int) -> Vector:
    """n finite numbers, which float64 holds."""
    try:
        vector = np.array(values, dtype=np.float64)  # a copy: the caller may change the array
    except (TypeError, ValueError):
        raise TypeError(f"{name} must hold numbers, got {np.asarray(values).dtype} values") from None
    if vector.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {vector.shape}")
    if vector.size != n:
        raise ValueError(f"{name} has {vector.size} value(s) for {n} row(s) of X")
    if not bool(np.all(np.isfinite(vector))):
        at = int(np.argmin(np.isfinite(vector)))
        raise ValueError(f"{name} contains NaN or infinity (row {at}, counted from 0)")
    check_exact(values, name)
    return vector
