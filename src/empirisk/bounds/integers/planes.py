"""The plane with integer weights whose guaranteed risk is least, as far as a search can tell.

The bound holds for all planes of the code at once, so that the best of several search orders may be taken. That no
plane of the code has a smaller one is not claimed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import scipy.sparse

from empirisk.bounds.integers.code import IntegerPlane
from empirisk.bounds.integers.race import Racer, Task, race
from empirisk.bounds.integers.starts import l1_planes, scales_for, spreads
from empirisk.bounds.kinds.integers import integer_evidence
from empirisk.bounds.labelled_rows import LabelledRows
from empirisk.bounds.risk_bound import RiskBound, risk_bound
from empirisk.designs import CSR, Dense, as_design, matrix_of, n_entries
from empirisk.protocols import Vector
from empirisk.separation.points import Points

MOST_ROWS, MOST_ENTRIES, FEWEST_ROWS = 20_000, 1_000_000, 2_000  # of the l1 path
READ, SWEEPS = 200_000_000, 20  # entries of columns that an order may read: so many, or this many times all of them
DENSEST = 0.4  # share of entries that are not zero, up to which columns are stored without zeros


class Searched(NamedTuple):
    """The plane that each search order ended with, and its guaranteed risk, to rounding."""

    planes: tuple[IntegerPlane, ...]
    risks: tuple[float, ...]

    @property
    def plane(self) -> IntegerPlane:
        """The best of them."""
        return self.planes[int(np.argmin(self.risks))]


def search_planes(
    points: Points, log_delta: float, *, orders: int = 5, seed: int = 0, starts: Iterable[tuple[Vector, float]] = ()
) -> Searched:
    """The best integer plane of so many search orders.

    `starts` are planes, weights and intercept, to begin with beside those of the l1 path.
    """
    points = points._replace(design=_without_zeros(points.design))
    columns = _columns(points.design)
    spread = spreads(columns, points.n_rows)
    usable = np.flatnonzero((spread > 0.0) & np.isfinite(spread))
    entries = n_entries(columns)
    task = Task(points, columns, usable, scales_for(spread), log_delta, max(READ, SWEEPS * (entries + points.n_rows)))
    given = [(np.ldexp(w, -task.scales), float(b)) for w, b in starts]
    n_sampled = min(points.n_rows, max(FEWEST_ROWS, min(MOST_ROWS, MOST_ENTRIES * points.n_rows // max(entries, 1))))
    found: list[Racer] = []
    planes: list[tuple[Vector, float]] = []
    for order in range(orders):
        rng = np.random.default_rng([seed, order])
        if not planes or n_sampled < points.n_rows:
            numbers = np.sort(rng.permutation(points.n_rows)[:n_sampled])
            planes = l1_planes(points, numbers, usable, task.scales)
        found.append(race(task, planes + given, rng))
    return Searched(tuple(racer.plane() for racer in found), tuple(racer.risk for racer in found))


def integer_bound(plane: IntegerPlane, rows: LabelledRows, delta: float = 0.05) -> RiskBound:
    """The certificate of its guaranteed risk on these rows."""
    return risk_bound("integers", rows, delta, {}, integer_evidence(plane))


def _without_zeros(design: Dense | CSR) -> Dense | CSR:
    """The same rows, sparse where many entries are zero."""
    if isinstance(design, Dense) and np.count_nonzero(design.values) <= DENSEST * design.values.size:
        return as_design(scipy.sparse.csr_array(design.values))
    return design


def _columns(design: Dense | CSR) -> Dense | CSR:
    """The columns of X as rows."""
    matrix = matrix_of(design).T.astype(np.float64)  # of one type, so that machine code is compiled once
    return as_design(np.ascontiguousarray(matrix) if isinstance(design, Dense) else scipy.sparse.csr_array(matrix))
