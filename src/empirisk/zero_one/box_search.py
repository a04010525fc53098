"""The search over boxes of planes: a binary tree, depth first, whose leaves cannot have fewer errors than a limit.

It starts from the 2k faces of the cube of directions u (see whitened_points). A box whose bound (see box_losses) is
below the limit is cut in half along the coordinate that moves the open points most. Halves are exact in floating point.

Points with more of them on a plane than its dimension would keep boxes open for ever. So from some depth on, boxes are
also tried with what is known of sets of points, and the search asks for more: for the least loss of the open points
alone, where these span fewer dimensions; else for a conflict. For that, points that would have to be lost are chosen;
either the other ones are separable, which is a better plane, or they hold a conflict that is new.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.protocols import Vector
from empirisk.zero_one.box_losses import (
    BLOCKED,
    FOUND,
    MOST_OPEN,
    ONE,
    OPEN,
    RIGHT,
    WRONG,
    cover_below,
    cut_off,
    open_masks,
    packed,
    side_of,
)
from empirisk.zero_one.nearest_point import CONFLICT, SEPARATED, Hull, empty_hull, nearest_point
from empirisk.zero_one.orthogonal_rows import make_orthogonal
from empirisk.zero_one.tree import BY_COUNT, BY_SETS, GIVEN_UP, HALVINGS, faces
from empirisk.zero_one.whitened_points import WhitenedPoints

# How a call of `search` ended.
DONE, PAUSED, BETTER, ASKS_CONFLICT, ASKS_PART = range(5)
# Entries of `numbers`.
TOP, NODES, WRITTEN, LIMIT, LEFT_OPEN, TRIES, STAMP, SUBSET, COUNTED = range(9)
PASS_BY = -1  # in TRIES: neither center nor conflicts help at the box at hand
FIRST_TRY = 3  # halvings of every coordinate before conflicts are tried
SHRUNK = 1.4  # new ones are not looked for where the last halving left so many times fewer points open
LATE = 4  # but after so many times FIRST_TRY
MOST_TRIES = 20  # conflicts asked for at one box
PART = 2  # points of which there are so many times more than coordinates are worth a search of their own
DEPENDENT = 1e-8
COVER_STEPS = 3000
HULL_STEPS = 200


class Boxes(NamedTuple):
    """The boxes still to do, the one at hand, and the tree so far; arrays are changed in place."""

    centers: NDArray[np.float64]
    radii: NDArray[np.float64]
    open_points: NDArray[np.int32]
    n_open: NDArray[np.int64]
    lost: NDArray[np.int64]  # weight that is wrong all over the box
    depths: NDArray[np.int64]
    marks: NDArray[np.int64]  # open points when every coordinate was halved last
    tree: NDArray[np.uint8]  # room for the nodes of one call
    numbers: NDArray[np.int64]
    sides: NDArray[np.int8]
    places: NDArray[np.int64]
    used: NDArray[np.int64]
    subset: NDArray[np.int64]
    masks_weights: NDArray[np.int64]
    basis: NDArray[np.float64]
    norms: Vector
    hull: Hull
    better: Vector  # a direction with fewer errors


def start(whitened: WhitenedPoints, limit: int, nodes_a_call: int) -> Boxes:
    """The faces of the cube; every leaf shall lose `limit` at least."""
    m, k = whitened.a.shape
    capacity = 2 * k + k * HALVINGS + 2
    boxes = Boxes(
        centers=np.zeros((capacity, k)),
        radii=np.ones((capacity, k)),
        open_points=np.zeros((capacity, m), np.int32),
        n_open=np.full(capacity, m, np.int64),
        lost=np.zeros(capacity, np.int64),
        depths=np.zeros(capacity, np.int64),
        marks=np.full(capacity, m, np.int64),
        tree=np.zeros(nodes_a_call + 1, np.uint8),
        numbers=np.zeros(COUNTED, np.int64),
        sides=np.zeros(m, np.int8),
        places=np.zeros(m, np.int64),
        used=np.zeros(m, np.int64),
        subset=np.zeros(m, np.int64),
        masks_weights=np.zeros(MOST_OPEN, np.int64),
        basis=np.zeros((k + 1, k)),
        norms=np.maximum(np.sqrt(np.sum(whitened.a * whitened.a, axis=1)), 1e-300),
        hull=empty_hull(k, m),
        better=np.zeros(k),
    )
    for place, (j, side) in enumerate(faces(k)):
        boxes.centers[place, j] = side
        boxes.radii[place, j] = 0.0
        boxes.open_points[place] = np.arange(m)
    boxes.numbers[TOP] = 2 * k
    boxes.numbers[LIMIT] = limit
    boxes.numbers[LEFT_OPEN] = np.iinfo(np.int64).max
    return boxes


def share_left(boxes: Boxes) -> float:
    """The share of all planes, by volume, in the boxes still to do."""
    top = int(boxes.numbers[TOP])
    return float(np.sum(0.5 ** boxes.depths[:top])) / (2 * boxes.better.size)


@kernel
def search(whitened, cuts, conflicts, cover, boxes, max_nodes):
    """Go on for at most so many nodes: DONE, PAUSED, BETTER (boxes.better) or a question (boxes.hull, boxes.subset)."""
    numbers, k = boxes.numbers, boxes.better.size
    c, r, spread = np.empty(k), np.empty(k), np.empty(k)
    first_try, turns = FIRST_TRY * (k - 1), max(1, k - 1)
    current = np.empty(boxes.sides.size, np.int32)
    numbers[WRITTEN] = 0
    while numbers[TOP] > 0:
        if numbers[WRITTEN] >= max_nodes:
            return PAUSED
        slot = numbers[TOP] - 1
        for j in range(k):
            c[j] = boxes.centers[slot, j]
            r[j] = boxes.radii[slot, j]
            spread[j] = 0.0
        lost, at_center, m = boxes.lost[slot], np.int64(0), np.int64(0)
        for q in range(boxes.n_open[slot]):
            i = np.int64(boxes.open_points[slot, q])
            side, value = side_of(whitened.a, whitened.blur, c, r, i)
            if side == WRONG:
                lost += whitened.weights[i]
            elif side == OPEN:
                current[m] = i
                m += 1
                if value <= whitened.blur[i]:
                    at_center += whitened.weights[i]
        limit, depth = numbers[LIMIT], boxes.depths[slot]
        node = np.int64(-1)
        if lost >= limit:
            node = np.int64(BY_COUNT)
        elif numbers[TRIES] >= 0:
            if lost + at_center < limit:
                for j in range(k):
                    boxes.better[j] = c[j]
                return BETTER
            if depth >= first_try and depth % turns == 0:
                may_ask = depth >= LATE * first_try or SHRUNK * m > boxes.marks[slot]
                outcome = _with_sets(whitened, cuts, conflicts, cover, boxes, c, r, current, m, limit - lost, may_ask)
                if outcome == DONE:
                    node = np.int64(BY_SETS)
                elif outcome != PAUSED:
                    return outcome
        if node < 0:
            node = _widest(whitened.a, r, current, m, spread)
            if node < 0:
                node = np.int64(GIVEN_UP)
                numbers[LEFT_OPEN] = min(numbers[LEFT_OPEN], lost)
        numbers[TRIES] = 0
        boxes.tree[numbers[WRITTEN]] = node
        numbers[WRITTEN] += 1
        numbers[NODES] += 1
        numbers[TOP] = slot
        if node < GIVEN_UP:
            mark = m if depth % turns == 0 else boxes.marks[slot]
            for half in range(2):
                _push(boxes, c, r, node, 1.0 - 2.0 * half, current, m, lost, depth + 1, mark)
    return DONE


@kernel
def _push(boxes, c, r, j, sign, current, m, lost, depth, mark):
    slot = boxes.numbers[TOP]
    for q in range(c.size):
        boxes.centers[slot, q] = c[q]
        boxes.radii[slot, q] = r[q]
    boxes.radii[slot, j] = 0.5 * r[j]
    boxes.centers[slot, j] = c[j] + sign * 0.5 * r[j]
    for q in range(m):
        boxes.open_points[slot, q] = current[q]
    boxes.n_open[slot] = m
    boxes.lost[slot] = lost
    boxes.depths[slot] = depth
    boxes.marks[slot] = mark
    boxes.numbers[TOP] = slot + 1


@kernel
def _widest(a, r, current, m, spread):
    """The coordinate along which the box moves the open points most; -1 where none can be halved."""
    for q in range(m):
        i = current[q]
        for j in range(r.size):
            spread[j] += abs(a[i, j])
    best, most = np.int64(-1), -1.0
    for j in range(r.size):
        if r[j] > 0.5**HALVINGS and spread[j] * r[j] > most:
            best, most = np.int64(j), spread[j] * r[j]
    return best


@kernel
def _with_sets(whitened, cuts, conflicts, cover, boxes, c, r, current, m, missing, may_ask):
    """DONE where sets of points prove that `missing` more is lost in the box; PAUSED where nothing comes of it."""
    numbers = boxes.numbers
    for i in range(boxes.sides.size):
        side, _ = side_of(whitened.a, whitened.blur, c, r, i)
        boxes.sides[i] = side
    if cut_off(cuts, boxes.sides, whitened.weights) >= missing:
        return DONE
    numbers[STAMP] += 1
    if packed(conflicts, boxes.sides, whitened.weights, boxes.used, numbers[STAMP]) >= missing:
        return DONE
    k = c.size
    if may_ask and numbers[TRIES] == 0 and m > PART * k and _rank(whitened.a, boxes.norms, current, m, boxes.basis) < k:
        for q in range(m):
            boxes.subset[q] = current[q]
        numbers[SUBSET] = m
        return ASKS_PART
    if m <= MOST_OPEN:
        for q in range(m):
            boxes.places[current[q]] = q
            boxes.masks_weights[q] = whitened.weights[current[q]]
        n_masks = open_masks(conflicts, boxes.sides, boxes.places, cover.masks)
        outcome = cover_below(cover, n_masks, boxes.masks_weights, missing, COVER_STEPS)
        if outcome == BLOCKED:
            return DONE
        if outcome != FOUND:
            return PAUSED
        for q in range(m):  # what would be lost, instead of what the packing has used
            is_chosen = cover.answer[0] & (ONE << np.uint64(q)) != np.uint64(0)
            boxes.used[current[q]] = numbers[STAMP] if is_chosen else 0
    if not may_ask or numbers[TRIES] >= MOST_TRIES:
        return PAUSED
    size = np.int64(0)
    for q in range(m):
        if boxes.used[current[q]] != numbers[STAMP]:
            boxes.subset[size] = current[q]
            size += 1
    for turn in range(2):  # the open points alone, then with those that are right
        if turn == 1:
            for i in range(boxes.sides.size):
                if boxes.sides[i] == RIGHT:
                    boxes.subset[size] = i
                    size += 1
        found = nearest_point(whitened.a, boxes.norms, whitened.blur, boxes.subset, size, boxes.hull, HULL_STEPS)
        if found == CONFLICT:
            numbers[TRIES] += 1
            return ASKS_CONFLICT
        if found != SEPARATED:
            return PAUSED
    if m > MOST_OPEN:
        return PAUSED
    for j in range(k):
        boxes.better[j] = boxes.hull.x[j]
    return BETTER


@kernel
def _rank(a, norms, current, m, basis):
    """How many dimensions the points current[:m] span, up to rounding."""
    k, rank = a.shape[1], np.int64(0)
    for q in range(m):
        i = current[q]
        for j in range(k):
            basis[rank, j] = a[i, j] / norms[i]
        if make_orthogonal(basis, rank, DEPENDENT**2):
            rank += 1
            if rank == k:
                return k
    return rank
