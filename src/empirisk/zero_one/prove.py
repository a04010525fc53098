"""From a limit to a proof: run the search over boxes, and answer what it asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.protocols import Matrix, Vector
from empirisk.stopwatch import work_clock
from empirisk.zero_one import box_search
from empirisk.zero_one.box_search import ASKS_CONFLICT, ASKS_PART, BETTER, DONE, PASS_BY, Boxes
from empirisk.zero_one.budget import MOST_NODES, Budget
from empirisk.zero_one.evidence import Evidence, Proof
from empirisk.zero_one.merged_points import MergedPoints
from empirisk.zero_one.plane_sweeps import local_search
from empirisk.zero_one.whitened_points import WhitenedPoints, independent_columns, whitened_points, whitening

LIFTS = (0.5, 0.05, 0.005)  # how far to tilt from a plane through points, as a share of what keeps the others right
IN_SIGHT = 3.0  # times the nodes asked for, that a search may take if its share of boxes done promises so
PART_ROUNDS = 30  # of the local search for a part


class Space(NamedTuple):
    """The planes of some points: which columns they need, and how the search sees them."""

    merged: MergedPoints
    columns: NDArray[np.int64]
    L: Matrix
    whitened: WhitenedPoints


def space_of(merged: MergedPoints, seed: int) -> Space:
    """These points, whitened."""
    columns = independent_columns(merged.z)
    L = whitening(merged.z[:, columns], seed)
    return Space(merged, columns, L, whitened_points(merged, columns, L))


def prove(
    space: Space,
    limit: int,
    budget: Budget,
    evidence: Evidence,
    better: Callable[[Vector], int],
    max_nodes: float = np.inf,
) -> Proof | None:
    """A proof that every plane loses `limit` or more, or what the limit has become; None where the budget ends first.

    `better` takes a direction u with a loss that seems to be below the limit, and gives the limit to go on
    with. The proof's loss is lower than that where boxes had to be given up. After `max_nodes` boxes it goes on only
    where the end is in sight.
    """
    whitened = space.whitened
    boxes = box_search.start(whitened, limit, MOST_NODES)
    written = []
    while True:
        if budget.is_spent() or _is_too_long(boxes, max_nodes):
            return None
        began = work_clock()
        outcome = box_search.search(
            whitened, evidence.cuts, evidence.conflict_arrays, evidence.cover, boxes, budget.nodes_of_call()
        )
        nodes = int(boxes.numbers[box_search.WRITTEN])
        budget.spend(nodes, work_clock() - began)
        written.append(boxes.tree[:nodes].copy())
        if outcome == DONE:
            break
        if outcome == BETTER:
            now = better(boxes.better.copy())
            if now >= boxes.numbers[box_search.LIMIT]:
                boxes.numbers[box_search.TRIES] = PASS_BY
            boxes.numbers[box_search.LIMIT] = min(now, boxes.numbers[box_search.LIMIT])
        elif outcome == ASKS_CONFLICT:
            if not _answer_conflict(whitened, boxes, evidence):
                boxes.numbers[box_search.TRIES] = PASS_BY
        elif outcome == ASKS_PART and not _answer_part(space, boxes, budget, evidence, better):
            boxes.numbers[box_search.TRIES] = 1  # goes on with conflicts
    loss = min(int(boxes.numbers[box_search.LIMIT]), int(boxes.numbers[box_search.LEFT_OPEN]))
    rows = tuple(space.merged.rows.tolist())
    return Proof(rows, loss, space.L, np.concatenate(written), tuple(evidence.conflicts), tuple(evidence.parts))


def _is_too_long(boxes: Boxes, max_nodes: float) -> bool:
    nodes = float(boxes.numbers[box_search.NODES])
    return nodes >= max_nodes and nodes > IN_SIGHT * max_nodes * (1.0 - box_search.share_left(boxes))


def _answer_conflict(whitened: WhitenedPoints, boxes: Boxes, evidence: Evidence) -> bool:
    count = int(boxes.hull.filled[0])
    members = boxes.hull.members[:count].copy()
    shares = boxes.hull.shares[:count] / boxes.norms[members]
    powers = whitened.powers[members]
    return evidence.find_conflict(members, np.ldexp(shares, powers - powers.max()))


def _answer_part(
    space: Space, boxes: Boxes, budget: Budget, evidence: Evidence, better: Callable[[Vector], int]
) -> bool:
    """The least loss of the open points of the box at hand, proven; False where that is known, or cannot be had.

    Points that nothing can decide may all be open: they are no part.
    """
    merged = space.merged
    members = np.sort(boxes.subset[: boxes.numbers[box_search.SUBSET]])
    rows = tuple(merged.rows[members].tolist())
    if members.size == merged.n_points or evidence.has_part(rows):
        return False
    part = merged._replace(z=merged.z[members], weights=merged.weights[members], rows=merged.rows[members], base=0)
    part_space = space_of(part, 0)
    direction, limit = start_of(part_space, PART_ROUNDS, 1)
    best = [direction]

    def note(u: Vector) -> int:
        best[0] = u
        return certain_loss(part_space.whitened, u)

    proof = prove(part_space, limit, budget, Evidence(part), note)
    if proof is None:
        return False
    evidence.keep_part(proof)
    _try_tilted(space, part_space, members, best[0], boxes, better)
    return True


def _try_tilted(
    space: Space, part: Space, members: NDArray[np.int64], u: Vector, boxes: Boxes, better: Callable[[Vector], int]
) -> None:
    """The plane of the box through the members, tilted a little towards their own best one, may be better."""
    a = space.whitened.a
    center = boxes.centers[boxes.numbers[box_search.TOP] - 1]
    basis = np.linalg.svd(a[members], full_matrices=False)
    rank = int(np.sum(basis[1] > 1e-8 * basis[1][0]))
    through = center - basis[2][:rank].T @ (basis[2][:rank] @ center)
    w = np.zeros(space.columns.size)
    w[np.searchsorted(space.columns, part.columns)] = part.L @ u
    tilt = np.linalg.solve(space.L, w)
    others = np.ones(a.shape[0], dtype=bool)
    others[members] = False
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.abs(a[others] @ through) / np.abs(a[others] @ tilt)
    reach = float(np.nanmin(room, initial=np.inf))
    for share in LIFTS:
        step = share * (reach if np.isfinite(reach) else 1.0)
        candidate = through + step * tilt
        if certain_loss(space.whitened, candidate) < boxes.numbers[box_search.LIMIT]:
            boxes.numbers[box_search.LIMIT] = min(better(candidate), boxes.numbers[box_search.LIMIT])
            return


def certain_loss(whitened: WhitenedPoints, u: Vector) -> int:
    """The weight of the points that are not surely right of u: never below the loss of the exact L u."""
    is_right = whitened.a @ u > 2.0 * whitened.blur * np.max(np.abs(u))
    return int(whitened.weights[~is_right].sum())


def start_of(space: Space, rounds: int, starts: int) -> tuple[Vector, int]:
    """A direction from local searches, and its loss."""
    whitened = space.whitened
    norms = np.maximum(np.sqrt(np.sum(whitened.a * whitened.a, axis=1)), 1e-300)
    k = whitened.a.shape[1]
    best, least = np.ones(k), certain_loss(whitened, np.ones(k))
    for seed in range(starts):
        u = (whitened.weights[:, None] * whitened.a / norms[:, None]).sum(axis=0)
        if seed or not np.any(u):
            u = np.random.default_rng(seed).standard_normal(k)
        local_search(whitened.a, whitened.weights, norms, u, seed, rounds * k)
        loss = certain_loss(whitened, u)
        if loss < least:
            best, least = u.copy(), loss
    return best, least
