"""Lower bounds on the errors of all planes of a box: what both the search and the checker of its tree rest on.

A box is a center c and radii r (of directions u, see whitened_points). There <a_i, u> is within sum_j |a_ij| r_j of
<a_i, c>. Points that are wrong all over the box are lost. Of the others, some are right all over the box, the rest is
open. Where a conflict (positive multiples of its points sum to zero) has no lost point, one of its open points is lost
too: the least weight that hits all such conflicts adds to the bound. So does what a set of points of which every plane
loses so much, proven elsewhere, has still to lose.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel

OPEN, RIGHT, WRONG = 0, 1, 2
MOST_OPEN = 64  # points of a box for which covers are looked for: sets of them are the bits of a word
BLOCKED, FOUND, GAVE_UP = 0, 1, 2
ONE = np.uint64(1)
NONE = np.uint64(0)


class Conflicts(NamedTuple):
    """Exact conflicts for kernels: members[k, :sizes[k]] are points, the first `filled[0]` of them count."""

    members: NDArray[np.int32]
    sizes: NDArray[np.int64]
    filled: NDArray[np.int64]


class Cuts(NamedTuple):
    """Sets of points of which every plane loses so much: rows of `inside`, the first `filled[0]` of them count."""

    inside: NDArray[np.uint8]
    losses: NDArray[np.int64]
    filled: NDArray[np.int64]


class Cover(NamedTuple):
    """Work space of `cover_below`, and the points chosen last, as bits."""

    masks: NDArray[np.uint64]  # the open points of each conflict that matters in a box
    chosen: NDArray[np.uint64]  # by depth
    barred: NDArray[np.uint64]  # by depth: points that a branch to the left has dealt with
    branches: NDArray[np.uint64]  # by depth: those left to try
    costs: NDArray[np.int64]  # by depth
    answer: NDArray[np.uint64]


def empty_conflicts(capacity: int, largest: int) -> Conflicts:
    """Room for so many conflicts of so many points."""
    return Conflicts(np.full((capacity, largest), -1, np.int32), np.zeros(capacity, np.int64), np.zeros(1, np.int64))


def empty_cuts(capacity: int, n_points: int) -> Cuts:
    """Room for so many sets."""
    return Cuts(np.zeros((capacity, n_points), np.uint8), np.zeros(capacity, np.int64), np.zeros(1, np.int64))


def empty_cover(capacity: int) -> Cover:
    """Work space for so many conflicts."""
    chosen, barred, branches = (np.zeros(MOST_OPEN + 2, np.uint64) for _ in range(3))
    costs = np.zeros(MOST_OPEN + 2, np.int64)
    return Cover(np.zeros(capacity, np.uint64), chosen, barred, branches, costs, np.zeros(1, np.uint64))


@kernel(exact=True)
def side_of(a, slack, c, r, i):
    """Whether point i is right all over the box, wrong all over it, or open; and <a_i, c>."""
    value = 0.0
    reach = slack[i]
    for j in range(c.size):
        value += a[i, j] * c[j]
        reach += abs(a[i, j]) * r[j]
    if value > reach:
        return RIGHT, value
    if value < -reach:
        return WRONG, value
    return OPEN, value


@kernel(exact=True)
def cut_off(cuts, sides, weights):
    """The most that a set with a known loss has still to lose: its loss less the weight of its lost points."""
    most = np.int64(0)
    for k in range(cuts.filled[0]):
        left = cuts.losses[k]
        if left <= most:
            continue
        inside = cuts.inside[k]
        for i in range(sides.size):
            if inside[i] == 1 and sides[i] == WRONG:
                left -= weights[i]
        most = max(most, left)
    return most


@kernel(exact=True)
def packed(conflicts, sides, weights, used, stamp):
    """The weight that conflicts without a common open point cost, taken in order; `used` has `stamp` at their points.

    Conflicts are only ever added at the end: more of them never give less.
    """
    total = np.int64(0)
    for k in range(conflicts.filled[0]):
        lightest = np.int64(2**62)
        for m in range(conflicts.sizes[k]):
            i = conflicts.members[k, m]
            if sides[i] == WRONG or used[i] == stamp:
                lightest = np.int64(-1)
                break
            if sides[i] == OPEN:
                lightest = min(lightest, weights[i])
        if lightest < 0:
            continue
        total += lightest
        for m in range(conflicts.sizes[k]):
            i = conflicts.members[k, m]
            if sides[i] == OPEN:
                used[i] = stamp
    return total


@kernel(exact=True)
def open_masks(conflicts, sides, places, masks):
    """The open points of each conflict without a lost point, as bits of their places; how many, duplicates left out."""
    found = 0
    for k in range(conflicts.filled[0]):
        mask = NONE
        is_lost = False
        for m in range(conflicts.sizes[k]):
            i = conflicts.members[k, m]
            if sides[i] == WRONG:
                is_lost = True
                break
            if sides[i] == OPEN:
                mask |= ONE << np.uint64(places[i])
        if is_lost:
            continue
        is_new = True
        for other in range(found):
            if masks[other] & mask == masks[other]:  # one that asks for more is there
                is_new = False
                break
        if is_new:
            masks[found] = mask
            found += 1
    return found


@kernel(exact=True)
def cover_below(cover, n_masks, weights, limit, budget):
    """Look for points that hit every mask and weigh less than `limit`; FOUND (see answer), none: BLOCKED, or GAVE_UP.

    A tree: the smallest mask that is not hit branches into its points, each barred from the branches to its right;
    disjoint masks that are not hit bound what is missing.
    """
    depth = 0
    cover.chosen[0] = NONE
    cover.barred[0] = NONE
    cover.costs[0] = 0
    is_new = True
    for _ in range(budget):
        if is_new:
            chosen, barred = cover.chosen[depth], cover.barred[depth]
            used, smallest, least_bits, bound = NONE, NONE, 100, cover.costs[depth]
            is_dead = False
            for k in range(n_masks):
                mask = cover.masks[k]
                if mask & chosen != NONE:
                    continue
                free = mask & ~barred
                if free == NONE:
                    is_dead = True
                    break
                bits = _count_bits(free)
                if bits < least_bits:
                    smallest, least_bits = free, bits
                if free & used == NONE:
                    used |= free
                    bound += _lightest(free, weights)
            if is_dead or bound >= limit or (depth > 0 and cover.costs[depth] >= limit):
                is_new = False
                depth -= 1
            elif least_bits == 100:
                cover.answer[0] = chosen
                return FOUND
            else:
                cover.branches[depth] = smallest
                is_new = False
            if depth < 0:
                return BLOCKED
            continue
        branches = cover.branches[depth]
        if branches == NONE:
            depth -= 1
            if depth < 0:
                return BLOCKED
            continue
        bit = branches & (~branches + ONE)
        cover.branches[depth] = branches ^ bit
        cover.chosen[depth + 1] = cover.chosen[depth] | bit
        cover.barred[depth + 1] = cover.barred[depth]
        cover.barred[depth] |= bit
        cover.costs[depth + 1] = cover.costs[depth] + weights[_place(bit)]
        depth += 1
        is_new = True
    return GAVE_UP


@kernel(exact=True)
def _count_bits(word):
    count = 0
    while word != NONE:
        word &= word - ONE
        count += 1
    return count


@kernel(exact=True)
def _place(bit):
    place = 0
    while bit > ONE:
        bit >>= ONE
        place += 1
    return place


@kernel(exact=True)
def _lightest(word, weights):
    least = np.int64(2**62)
    while word != NONE:
        bit = word & (~word + ONE)
        least = min(least, weights[_place(bit)])
        word ^= bit
    return least
