"""The checker of a proof: it walks the tree again and trusts nothing but the data.

It rests on exact arithmetic for the columns, the matrix L and the conflicts, and on the bounds of `box_losses` for the
boxes. It does not search: the tree says where to cut. Its cost is that of bounding each box of the tree once.
"""

from __future__ import annotations

import numpy as np

from empirisk.arithmetic.integer_points import weighted_sum
from empirisk.compiled import kernel
from empirisk.separation.conflicts.minimal_conflict import Conflict
from empirisk.separation.points import Points
from empirisk.separation.points_as_integers import integer_points
from empirisk.zero_one.box_losses import (
    BLOCKED,
    MOST_OPEN,
    OPEN,
    WRONG,
    cover_below,
    cut_off,
    open_masks,
    packed,
    side_of,
)
from empirisk.zero_one.evidence import Evidence, Proof
from empirisk.zero_one.merged_points import MergedPoints
from empirisk.zero_one.tree import BY_SETS, GIVEN_UP, HALVINGS, faces
from empirisk.zero_one.whitened_points import independent_columns, is_invertible, whitened_points

COVER_STEPS = 300_000
HOLDS, TOO_LITTLE, NOT_A_TREE = 0, 1, 2


class Refuted(Exception):
    """A proof that proves nothing, with the reason as a sentence."""


def check_proof(points: Points, merged: MergedPoints, proof: Proof) -> None:
    """Raise `Refuted` unless every plane loses at least proof.loss of the points of its rows."""
    place = {row: k for k, row in enumerate(merged.rows.tolist())}
    if len(set(proof.rows)) != len(proof.rows) or not all(row in place for row in proof.rows):
        raise Refuted("A proof names rows that are no merged points of the data.")
    members = np.array([place[row] for row in proof.rows], dtype=np.int64)
    part = merged._replace(z=merged.z[members], weights=merged.weights[members], rows=merged.rows[members])
    columns = independent_columns(part.z) if members.size else np.empty(0, np.int64)
    if proof.L.shape != (columns.size, columns.size) or not np.all(np.isfinite(proof.L)) or not columns.size:
        raise Refuted("The matrix of a proof does not fit its points.")
    if not is_invertible(proof.L):
        raise Refuted("The matrix of a proof is not invertible: some planes are left out.")
    if len({conflict.rows for conflict in proof.conflicts}) != len(proof.conflicts):
        raise Refuted("A proof names a conflict twice.")
    evidence = Evidence(part)
    for conflict in proof.conflicts:
        check_conflict(points, part, conflict)
        evidence.keep_conflict(conflict)
    for smaller in proof.parts:
        check_proof(points, part, smaller)
        evidence.keep_part(smaller)
    whitened = whitened_points(part, columns, proof.L)
    starts = np.array(faces(columns.size))
    verdict = _walk(
        whitened, evidence.cuts, evidence.conflict_arrays, evidence.cover, starts, proof.tree, proof.loss, COVER_STEPS
    )
    if verdict == NOT_A_TREE:
        raise Refuted("The tree of a proof is damaged.")
    if verdict == TOO_LITTLE:
        raise Refuted(f"A box of a proof may lose less than {proof.loss}.")


def check_conflict(points: Points, merged: MergedPoints, conflict: Conflict) -> None:
    """Raise `Refuted` unless the weighted points sum to zero, in integers."""
    rows, weights = conflict.rows, conflict.weights
    known = set(merged.rows.tolist())
    if not 0 < len(rows) == len(set(rows)) <= merged.z.shape[1] + 1 or not all(row in known for row in rows):
        raise Refuted("A conflict names rows that are no merged points of the data.")
    if len(weights) != len(rows) or not all(weight > 0 for weight in weights) or conflict.delta != 0.0:
        raise Refuted("The weights of a conflict are not positive integers, one for each row.")
    if any(weighted_sum(integer_points(points, rows), weights)):
        raise Refuted("The weighted points of a conflict do not sum to zero.")


@kernel(exact=True)
def _walk(whitened, cuts, conflicts, cover, starts, tree, loss, cover_steps):
    """HOLDS where every leaf of the tree loses `loss` or more."""
    n, k = whitened.a.shape
    capacity = starts.shape[0] + k * HALVINGS + 2
    centers, radii = np.zeros((capacity, k)), np.ones((capacity, k))
    points, counts, losses = (
        np.zeros((capacity, n), np.int32),
        np.zeros(capacity, np.int64),
        np.zeros(capacity, np.int64),
    )
    top = starts.shape[0]
    for face in range(top):
        j = int(starts[face, 0])
        centers[face, j] = starts[face, 1]
        radii[face, j] = 0.0
        counts[face] = n
        for i in range(n):
            points[face, i] = i
    c, r, current = np.empty(k), np.empty(k), np.empty(n, np.int32)
    sides, places, used = np.zeros(n, np.int8), np.zeros(n, np.int64), np.zeros(n, np.int64)
    weights, stamp = np.zeros(MOST_OPEN, np.int64), 0
    for node in tree:
        if top == 0:
            return NOT_A_TREE
        top -= 1
        for j in range(k):
            c[j] = centers[top, j]
            r[j] = radii[top, j]
        lost, m = losses[top], 0
        for q in range(counts[top]):
            i = points[top, q]
            side, _ = side_of(whitened.a, whitened.blur, c, r, i)
            if side == WRONG:
                lost += whitened.weights[i]
            elif side == OPEN:
                current[m] = i
                m += 1
        if node < k:
            if r[node] <= 0.5**HALVINGS:
                return NOT_A_TREE
            for half in range(2):
                for j in range(k):
                    centers[top, j] = c[j]
                    radii[top, j] = r[j]
                radii[top, node] = 0.5 * r[node]
                centers[top, node] = c[node] + (0.5 - half) * r[node]
                for q in range(m):
                    points[top, q] = current[q]
                counts[top] = m
                losses[top] = lost
                top += 1
            continue
        if node < GIVEN_UP:
            return NOT_A_TREE
        if lost >= loss:
            continue
        if node != BY_SETS:
            return TOO_LITTLE
        for i in range(n):
            sides[i], _ = side_of(whitened.a, whitened.blur, c, r, i)
        stamp += 1
        if cut_off(cuts, sides, whitened.weights) >= loss - lost:
            continue
        if packed(conflicts, sides, whitened.weights, used, stamp) >= loss - lost:
            continue
        if m > MOST_OPEN:
            return TOO_LITTLE
        for q in range(m):
            places[current[q]] = q
            weights[q] = whitened.weights[current[q]]
        n_masks = open_masks(conflicts, sides, places, cover.masks)
        if cover_below(cover, n_masks, weights, loss - lost, cover_steps) != BLOCKED:
            return TOO_LITTLE
    return HOLDS if top == 0 else NOT_A_TREE
