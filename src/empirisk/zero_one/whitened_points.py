"""Directions u of the cube's surface that stand for all planes: w = L u, whatever the invertible matrix L.

The search bounds <z_i, w> over boxes of u. With a_i = L^T z_i, and |u_j| <= 1, every sum over a box is right up to
`blur`_i; L, whose entries are exact, whitens the points, so that no direction is thinner than others. Columns that are
combinations of the others in every point are left out: they give no plane that the rest does not.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.floats_as_integers import to_integers
from empirisk.protocols import Matrix, Vector
from empirisk.zero_one.merged_points import MergedPoints

DIGITS = 20  # binary, of the entries of L: the exact check that L is invertible stays cheap
ROUNDING = 2.0**-51
LEAST_SINGULAR = 1e-6  # of the largest: L must have an inverse after its entries are rounded
LOST = 1e-290  # more than what underflow takes from the sums of a row


class WhitenedPoints(NamedTuple):
    """The points as seen by the search."""

    a: Matrix  # m x k: L^T z_i 2^powers_i
    powers: NDArray[np.int64]
    blur: Vector  # what rounding can change in <a_i, u> or its bounds over a box
    weights: NDArray[np.int64]


def independent_columns(z: Matrix) -> NDArray[np.int64]:
    """Columns of which all others are combinations, in exact arithmetic.

    Row by row, what is left of a row after those before it gets a pivot; as many pivots as columns end it.
    """
    scaled = [to_integers(column)[0] for column in z.T.tolist()]
    basis: dict[int, list[Fraction]] = {}
    for row in zip(*scaled, strict=True):
        rest = [Fraction(entry) for entry in row]
        for pivot, other in basis.items():
            if rest[pivot]:
                rest = _less(rest, rest[pivot], other)
        lead = next((k for k, entry in enumerate(rest) if entry), None)
        if lead is None:
            continue
        rest = [entry / rest[lead] for entry in rest]
        basis = {pivot: _less(other, other[lead], rest) for pivot, other in basis.items()}
        basis[lead] = rest
        if len(basis) == len(scaled):
            break
    return np.array(sorted(basis), dtype=np.int64)


def _less(row: list[Fraction], factor: Fraction, other: list[Fraction]) -> list[Fraction]:
    return [x - factor * y for x, y in zip(row, other, strict=True)] if factor else row


def whitening(z: Matrix, seed: int) -> Matrix:
    """L with sum_i (L^T z_i)(L^T z_i)^T near a multiple of the identity, turned at random.

    Turned, so that the coordinates of the data, on which many points agree, are not those of the boxes.
    """
    k = z.shape[1]
    powers = np.array([-np.frexp(size)[1] for size in np.max(np.abs(z), axis=0)])
    scaled = np.ldexp(z, powers[None, :])
    scaled = np.ldexp(scaled, -np.frexp(np.max(np.abs(scaled), axis=1, keepdims=True))[1])
    _, singular, turn = np.linalg.svd(scaled, full_matrices=False)
    singular = np.maximum(singular, singular[0] * LEAST_SINGULAR)
    other = np.linalg.qr(np.random.default_rng(seed).standard_normal((k, k)))[0]
    mantissa, exponents = np.frexp((turn.T / singular) @ other)
    rounded = np.ldexp(np.round(np.ldexp(mantissa, DIGITS)), exponents - DIGITS)
    return np.ldexp(rounded, powers[:, None])


def is_invertible(L: Matrix) -> bool:
    """Whether L has an inverse, in exact arithmetic."""
    return L.ndim == 2 and L.shape[0] == L.shape[1] == independent_columns(L).size


def whitened_points(merged: MergedPoints, columns: NDArray[np.int64], L: Matrix) -> WhitenedPoints:
    """The points in the coordinates of L, with the allowance for rounding.

    k products and sums make an entry of a_i, k more a sum over a box: all errors together are below
    (2 k + 6) 2^-53 sum_lj |z_il L_lj|.
    """
    z = merged.z[:, columns]
    k = columns.size
    raised = np.maximum(0, -np.frexp(np.max(np.abs(z), axis=1, initial=0.0))[1])
    z = np.ldexp(z, raised[:, None])  # short rows are made longer, which is exact
    a = z @ L
    sizes = np.sum(np.abs(z) @ np.abs(L), axis=1)
    powers = -np.frexp(sizes)[1]
    with np.errstate(over="ignore"):  # an infinite allowance: such a point is never decided
        slack = ROUNDING * (k + 4) * np.ldexp(sizes, powers) + np.ldexp(LOST, powers)
    return WhitenedPoints(
        np.ascontiguousarray(np.ldexp(a, powers[:, None])), (raised + powers).astype(np.int64), slack, merged.weights
    )


def plane_of(columns: NDArray[np.int64], L: Matrix, u: Vector, n_columns: int) -> Vector:
    """The direction w = L u, with zeros in the columns that are left out."""
    w = np.zeros(n_columns)
    w[columns] = L @ u
    return w
