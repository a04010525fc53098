"""What proves a bound: trees of boxes, conflicts and their shares; and what is known of sets of points in a search."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.protocols import Matrix, Vector
from empirisk.separation.conflicts.minimal_conflict import Conflict, conflict_from
from empirisk.zero_one.box_losses import Conflicts, Cover, Cuts, empty_conflicts, empty_cover, empty_cuts
from empirisk.zero_one.merged_points import MergedPoints


class Proof(NamedTuple):
    """Every plane loses at least `loss` (in units) of the points of these rows: a tree of boxes, and what it uses."""

    rows: tuple[int, ...]
    loss: int
    L: Matrix  # that whitens the points, in the first independent columns
    tree: NDArray[np.uint8]
    conflicts: tuple[Conflict, ...]
    parts: tuple[Proof, ...]


class Packing(NamedTuple):
    """Conflicts and the share of each, in units of weight."""

    conflicts: tuple[Conflict, ...]
    shares: tuple[float, ...]

    def loss(self, merged: MergedPoints) -> int:
        """What every plane loses, in units; 0 where the shares do not fit the weights. Exact."""
        if len(self.shares) != len(self.conflicts) or not all(0.0 <= y < math.inf for y in self.shares):
            return 0
        shares = [Fraction(y) for y in self.shares]
        taken: dict[int, Fraction] = {}
        for conflict, share in zip(self.conflicts, shares, strict=True):
            for row in conflict.rows:
                taken[row] = taken.get(row, Fraction(0)) + share
        weights = dict(zip(merged.rows.tolist(), merged.weights.tolist(), strict=True))
        if any(total > weights.get(row, 0) for row, total in taken.items()):
            return 0
        return math.ceil(sum(shares, Fraction(0)))


class Evidence:
    """Grows during a search; the arrays for kernels grow with it. `members` are places among the merged points."""

    def __init__(self, merged: MergedPoints) -> None:
        self.merged = merged
        self._points = merged.as_points()  # the answers do not depend on the order of the rows of X
        self.conflicts: list[Conflict] = []
        self.parts: list[Proof] = []
        self.conflict_arrays: Conflicts = empty_conflicts(64, merged.z.shape[1] + 1)
        self.cover: Cover = empty_cover(64)
        self.cuts: Cuts = empty_cuts(8, merged.n_points)
        self._place = {row: k for k, row in enumerate(merged.rows.tolist())}
        self._known: set[tuple[int, ...]] = set()

    def find_conflict(self, members: NDArray[Any], multipliers: Vector) -> bool:
        """Make a conflict exact and keep it; False where there is none, or none that is new."""
        found = conflict_from(self._points, members, multipliers)
        if found is None or found.delta != 0.0 or found.rows in self._known:
            return False
        self._known.add(found.rows)
        self.keep_conflict(found._replace(rows=tuple(self.merged.rows[list(found.rows)].tolist())))
        return True

    def keep_conflict(self, conflict: Conflict) -> None:
        """Keep an exact conflict of these points."""
        members = [self._place[row] for row in conflict.rows]
        count = int(self.conflict_arrays.filled[0])
        if count == self.conflict_arrays.sizes.size:
            larger = empty_conflicts(2 * count, self.conflict_arrays.members.shape[1])
            larger.members[:count], larger.sizes[:count] = self.conflict_arrays.members, self.conflict_arrays.sizes
            self.conflict_arrays, self.cover = larger, empty_cover(2 * count)
        self.conflict_arrays.members[count, : len(members)] = members
        self.conflict_arrays.sizes[count] = len(members)
        self.conflict_arrays.filled[0] = count + 1
        self.conflicts.append(conflict)

    def keep_part(self, part: Proof) -> None:
        """Keep a proof for a part of these points."""
        count = int(self.cuts.filled[0])
        if count == self.cuts.losses.size:
            larger = empty_cuts(2 * count, self.merged.n_points)
            larger.inside[:count], larger.losses[:count] = self.cuts.inside, self.cuts.losses
            self.cuts = larger
        self.cuts.inside[count, [self._place[row] for row in part.rows]] = 1
        self.cuts.losses[count] = part.loss
        self.cuts.filled[0] = count + 1
        self.parts.append(part)

    def has_part(self, rows: tuple[int, ...]) -> bool:
        """Whether a proof for just these rows is there."""
        return any(part.rows == rows for part in self.parts)
