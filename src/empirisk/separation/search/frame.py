"""Coordinates in which float64 sees points whose columns nearly depend on each other.

Whether points can be separated, and which multiples of them sum to zero, does not change under an invertible linear map
of their coordinates (X, 1). Where some columns are combinations of others but for their rounding, that rounding
decides, and float64 cannot see it beside the columns themselves. So such a column is replaced by what is left of it
after the combination of the others that least squares finds. The combination is taken as it is, in rounded
coefficients: what is left is then computed exactly from the data and rounded only at the end. Repeated, until a
factorisation with pivots finds all columns far from dependent. (Like the iterative refinement of a program: Gleixner,
Steffy and Wolter 2016.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from empirisk.arithmetic.integer_null_space import independent_lines
from empirisk.arithmetic.integer_points import PRIME
from empirisk.arithmetic.long_products import LongVector, long_combination, long_scores
from empirisk.protocols import Matrix, Vector

NEAR = 2.0**-10  # what is left of a column, as a share of it, below which the column is replaced
GUESSED = 3  # rows a column, of the first look
FEW_LEVELS, MOST_LEVELS = 3, 12  # of replacements: before columns are asked whether they depend exactly, and after
MOST_COLUMNS, MOST_ENTRIES = 500, 1 << 22
BITS = 52  # of the coefficients
SHORT, ALIKE = 2.0**16, 2.0**-40  # a multiple of 1 / SHORT, but for ALIKE, is taken for it


class Frame(NamedTuple):
    """The coordinates of (X, 1) as combinations of its columns, and the rows at hand in them."""

    vectors: list[LongVector]
    values: Matrix  # one column a vector, each of a size between 1/2 and 1
    is_plain: NDArray[np.bool_]  # of the vectors: a column of (X, 1) but for its size

    width: int  # columns of (X, 1)

    def vector(self, u: Vector) -> LongVector:
        """The plane of the columns of (X, 1) that is u here, or that times a power of two where floats end."""
        return long_combination(self.vectors, u.tolist()).within_floats()

    def rounded(self, u: Vector) -> Vector:
        """The same, rounded to floats."""
        parts = self.vector(u).parts(self.width, 1)
        return parts[0] if len(parts) else np.zeros(self.width)

    def plane(self, u: Vector) -> tuple[Vector, float]:
        """The same: weights and intercept."""
        rounded = self.rounded(u)
        return rounded[:-1], float(rounded[-1])

    def plain(self) -> Frame:
        """Without the combinations: columns of (X, 1) that are far from dependent."""
        kept = np.flatnonzero(self.is_plain)
        return Frame([self.vectors[k] for k in kept], self.values[:, kept], self.is_plain[kept], self.width)


def fits_frame(shape: tuple[int, ...]) -> bool:
    """Whether so many rows and columns are few enough for a frame."""
    return shape[1] <= MOST_COLUMNS and shape[0] * shape[1] <= MOST_ENTRIES


def is_near_singular(values: Matrix) -> bool:
    """Whether some of these columns nearly depend on others, zeros aside; what a few rows say is asked of all."""
    n, width = values.shape
    if n >= 2 * GUESSED * width and not is_near_singular(values[:: n // (GUESSED * width)]):
        return False
    scaled = _scaled(values)[0]
    if not np.all(np.isfinite(scaled)):
        return True
    diagonal = np.abs(np.diagonal(_factor(scaled)[0]))
    return n < scaled.shape[1] or bool(np.any(diagonal <= NEAR * diagonal[:1]))


def frame_of(values: Matrix) -> Frame | None:
    """A frame for these rows of (X, 1); None where none was found, as for numbers that are too large or too small."""
    first = _refined(values, np.arange(values.shape[1]), FEW_LEVELS)
    if first is not None:
        return first
    # Columns that depend on others exactly, in fractions that floats cannot hold, would leave rounding for ever.
    scaled, _, kept = _scaled(values)
    if not np.all(np.isfinite(scaled)):
        return None
    order = kept[_factor(scaled)[1]]
    return _refined(values, order[independent_lines(_residues(values[:, order].T))], MOST_LEVELS)


def _refined(values: Matrix, chosen: NDArray[np.int64], levels: int) -> Frame | None:
    """The frame made of these columns, after at most so many replacements."""
    scaled, powers, kept = _scaled(values[:, chosen])
    columns = np.ascontiguousarray(values.T)
    vectors = [LongVector({int(chosen[j]): 1}, -int(p)) for j, p in zip(kept, powers, strict=True)]
    is_plain = np.ones(len(vectors), dtype=np.bool_)
    for _ in range(levels):
        if not np.all(np.isfinite(scaled)) or not vectors:
            return None
        factor, order = _factor(scaled)
        diagonal = np.abs(np.diagonal(factor))
        rank = int(np.count_nonzero(diagonal > NEAR * diagonal[0]))
        if rank == len(vectors):
            return Frame(vectors, scaled, is_plain, values.shape[1])
        basis, others = order[:rank], order[rank:]
        shares = scipy.linalg.solve_triangular(factor[:rank, :rank], factor[:rank, rank:])
        new = [_left_over(vectors, basis, int(j), shares[:, k]) for k, j in enumerate(others)]
        rests = np.column_stack([long_scores(columns, v.parts(len(columns))) for v in new])
        rests, powers, used = _scaled(rests)
        kept_vectors = [new[k].times_power_of_two(-int(p)) for k, p in zip(used, powers, strict=True)]
        vectors = [*(vectors[j] for j in basis), *kept_vectors]
        is_plain = np.concatenate([is_plain[basis], np.zeros(used.size, dtype=np.bool_)])
        scaled = np.column_stack([scaled[:, basis], rests])
    return None


def _scaled(values: Matrix) -> tuple[Matrix, NDArray[np.int64], NDArray[np.int64]]:
    """The columns that are not zero, divided by powers of two to sizes between 1/2 and 1; these; which they are."""
    sizes = np.abs(values).max(axis=0, initial=0.0)
    kept = np.flatnonzero(sizes)
    powers = np.frexp(sizes[kept])[1].astype(np.int64)
    with np.errstate(all="ignore"):
        half = powers // 2  # in two steps, as a power of two may be beyond the largest float
        return np.ldexp(np.ldexp(values[:, kept], -half), half - powers), powers, kept


def _factor(scaled: Matrix) -> tuple[Matrix, NDArray[np.int64]]:
    """The triangle of QR with pivots, and their order."""
    lines = scaled if len(scaled) <= 2 * scaled.shape[1] else np.linalg.qr(scaled, mode="r")
    factor, order = scipy.linalg.qr(lines, mode="r", pivoting=True, check_finite=False)
    return factor[: scaled.shape[1]], order


def _left_over(vectors: list[LongVector], basis: NDArray[np.int64], j: int, shares: Vector) -> LongVector:
    """Vector j less so much of the vectors of the basis, coefficients rounded to BITS of the largest.

    Coefficients that seem to be short numbers, as of copies, sums and means, are taken for those: nothing may be left.
    """
    short = np.rint(shares * SHORT) / SHORT
    if np.abs(shares - short).max() > ALIKE:
        step = float(np.ldexp(1.0, int(np.frexp(np.abs(shares).max())[1]) - BITS))
        short = np.rint(shares / step) * step
    factors = np.append(-short, 1.0).tolist()
    return long_combination([*(vectors[k] for k in basis), vectors[j]], factors)


def _residues(lines: Matrix) -> NDArray[np.int64]:
    """Floats modulo PRIME."""
    fractions, exponents = np.frexp(lines)
    powers, places = np.unique(exponents - 53, return_inverse=True)
    factors = np.array([pow(2, int(p), PRIME) for p in powers], dtype=np.int64)
    integers = np.ldexp(fractions, 53).astype(np.int64) % PRIME
    return integers * factors[places].reshape(lines.shape) % PRIME
