"""The first pass of a certificate: scores, losses, the dual variables that they imply, and their sums."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import TINY, UNIT, add_compensated, exact_sum
from empirisk.capabilities import has_label_units, offers
from empirisk.certificates.loss_accuracy import floor_of, is_exact_at_zero
from empirisk.compiled import kernel
from empirisk.losses.on_vectors import values_and_slopes
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Matrix, Vector
from empirisk.rows.norms import to_norms
from empirisk.rows.protocol import RowBlock, RowVector
from empirisk.rows.row_kernels import add_rows, measure_rows
from empirisk.rows.scratch import scratch
from empirisk.rows.tiles import tiles

# What a pass sums up: losses, their compensation, the error of their sum, u_i > 0, |u_i| over u_i < 0, |u_i| ||x_i||,
# |u_i| sum_j |x_ij w_j|; each with s_i / S as the weight of a row.
VALUE, REST, ERROR, PLUS, MINUS, NORMS, REACHES = range(7)


class Accuracy(NamedTuple):
    """What the errors of a loss are made of."""

    smoothness: float  # negative where the loss declares none
    floor: float
    label_units: float  # one where labels are subtracted from scores, else zero
    is_exact: bool  # at zero
    tiny: float  # what products lose where they underflow


class Duals(NamedTuple):
    """What the pass writes for each row."""

    u: RowVector
    fenchel: RowVector  # z loss'(z) - loss(z), which is loss*(loss'(z)); empty where the loss has a conjugate
    sizes: RowVector  # |z loss'(z)| + |loss(z)|, which bounds the rounding of that


class FirstSums(NamedTuple):
    """Sums over the rows, with s_i / S as the weight of a row."""

    value: float
    value_error: float
    least: float  # the least value of a loss without a conjugate; else infinity
    plus: float  # of u_i over u_i > 0
    minus: float  # of |u_i| over u_i < 0
    dual_norm: float  # of |u_i| ||x_i||
    dual_size: float  # of |u_i| sum_j |x_ij w_j|
    row_norm: float  # the largest ||x_i||
    mean_norm: float  # of ||x_i||, rounded up
    sums: Matrix  # of u_i x_i over u_i > 0, and over u_i < 0; without an intercept all in the first
    stored_rows: NDArray[np.int64]  # whose u was given and does not follow from the score
    stored_duals: Vector


class _OfBlock(NamedTuple):
    sums: Vector
    least: float
    row_norm: float
    norms: float  # their sum, with the weights
    stored_rows: NDArray[np.int64]
    stored_duals: Vector


def first_pass(problem: EmpiricalRisk, w: Vector, b: float, given: RowVector) -> tuple[FirstSums, Duals]:
    """The sums, and the dual variables: the given ones, where they are not nan, else -loss'(z_i)."""
    loss, rows = problem.loss, problem.rows
    own, nothing = not offers(loss, "conjugate"), rows.place(np.empty(0))
    duals = Duals(rows.blank(), *((rows.blank(), rows.blank()) if own else (nothing, nothing)))
    smoothness = float(loss.smoothness()) if offers(loss, "smoothness") else -1.0
    tiny = 4.0 * TINY if np.any(w) else 0.0
    label_units = 1.0 if has_label_units(loss) else 0.0
    accuracy = Accuracy(smoothness, floor_of(loss), label_units, is_exact_at_zero(loss), tiny)
    sums, said = rows.total(
        _scores_and_duals,
        loss,
        accuracy,
        1.0 / problem.total_weight,
        w,
        b,
        rows=(problem.labels, problem.weights, given),
        writes=duals,
        shape=(1 + problem.fit_intercept, w.size),
    )
    parts = [_OfBlock(*part) for part in said]
    totals = [exact_sum(column) for column in zip(*(part.sums.tolist() for part in parts), strict=True)]
    found = FirstSums(
        exact_sum((totals[VALUE], totals[REST])),
        totals[ERROR],
        min(part.least for part in parts),
        totals[PLUS],
        totals[MINUS],
        totals[NORMS],
        totals[REACHES],
        max(part.row_norm for part in parts),
        1.001 * sum(part.norms for part in parts) / problem.total_weight,
        sums,
        np.concatenate([part.stored_rows for part in parts]),
        np.concatenate([part.stored_duals for part in parts]),
    )
    return found, duals


def _scores_and_duals(
    block: RowBlock,
    loss: Any,
    accuracy: Accuracy,
    scale: float,
    w: Vector,
    b: float,
    y: Vector,
    weights: Vector,
    given: Vector,
    sums: Matrix,
    u: Vector,
    fenchel: Vector,
    sizes: Vector,
) -> _OfBlock:
    """Tile by tile, while the rows are in the cache: scores, losses on vectors, the sums."""
    totals, least, row_norm, norms = np.zeros(7), np.inf, 0.0, 0.0
    stored_rows, stored_duals = [np.empty(0, np.int64)], [np.empty(0)]
    for at, tile in tiles(block.design):
        s, t, dual = weights[at], y[at], u[at]
        memory = scratch(12, t.size)
        measured, (offs, losses, steep, coefficients), spare = memory[:4], memory[4:8], memory[8:]
        measure_rows(tile, w, measured)
        to_norms(tile, measured[2])
        values_at(loss, accuracy, b, t, measured, offs, losses, dual, steep, spare)
        if given.size:
            kept = _take(loss, accuracy.smoothness < 0.0, t, given[at], measured[0], offs, dual, spare)
            stored_rows.append(kept + (block.first + at.start))
            stored_duals.append(dual[kept])
        _add_up(accuracy, scale, t, s, measured, offs, losses, steep, dual, coefficients, totals)
        add_rows(tile, coefficients, sums)
        present = s > 0.0 if s.size else slice(None)
        lengths = measured[2][present]
        row_norm = max(row_norm, float(lengths.max(initial=0.0)))
        norms += float(lengths @ s[present]) if s.size else float(lengths.sum())
        if fenchel.size:
            pulls = measured[0] * dual
            np.negative(pulls + losses, out=fenchel[at])
            np.add(np.abs(pulls), np.abs(losses), out=sizes[at])
            least = min(least, float(np.min(losses[present], initial=np.inf)))
    return _OfBlock(totals, least, row_norm, norms, np.concatenate(stored_rows), np.concatenate(stored_duals))


def values_at(
    loss: Any,
    accuracy: Accuracy,
    b: float,
    y: Vector,
    measured: Matrix,
    offs: Vector,
    losses: Vector,
    duals: Vector,
    steep: Vector,
    spare: Matrix,
) -> None:
    """Write the errors of the scores, losses, dual variables, and how steep a loss is at most within that error.

    `measured` are the scores without b, to which it is added, and what else `measure_rows` writes.
    """
    _errors(accuracy, b, y, measured, offs)
    values_and_slopes(loss, measured[0], y, losses, duals)
    np.negative(duals, out=duals)
    if accuracy.smoothness >= 0.0:
        np.abs(duals, out=steep)
        steep += accuracy.smoothness * offs
        if accuracy.label_units == 0.0:
            return
        flat = (losses == 0.0) & (duals == 0.0)  # nothing happens inside of a flat piece
        if flat.any():
            steep[flat] = steepest(loss, measured[0], offs, y, spare)[flat]
        return
    steep[:] = steepest(loss, measured[0], offs, y, spare)


def steepest(loss: Any, z: Vector, offs: Vector, y: Vector, spare: Matrix) -> Vector:
    """The largest slopes between z - off and z + off: a convex loss is steepest at an end."""
    left, right = ends(loss, z, offs, y, spare)
    np.abs(left, out=left)
    np.abs(right, out=right)
    return np.maximum(left, right, out=left)


def ends(loss: Any, z: Vector, offs: Vector, y: Vector, spare: Matrix) -> tuple[Vector, Vector]:
    """The slopes at z - off and at z + off, in two of the four spare vectors."""
    left, right, moved, unused = spare
    values_and_slopes(loss, np.subtract(z, offs, out=moved), y, unused, left)
    values_and_slopes(loss, np.add(z, offs, out=moved), y, unused, right)
    return left, right


def _take(
    loss: Any, has_kinks: bool, y: Vector, given: Vector, z: Vector, offs: Vector, duals: Vector, spare: Matrix
) -> NDArray[np.int64]:
    """Put the given dual variables in their place; the rows of those that the score does not imply for certain."""
    has_one = ~np.isnan(given)
    if has_kinks:
        left, right = ends(loss, z, offs, y, spare)
        differs = (given != -left) | (given != -right)
    else:
        differs = given != duals
    np.copyto(duals, given, where=has_one)
    return np.flatnonzero(has_one & differs)


@kernel
def _errors(accuracy, b, y, measured, offs):
    """Add b to the scores, and write how far each may be off."""
    for i in range(y.size):
        measured[0, i] += b
        size = measured[3, i]
        # The label where it is subtracted: a loss may subtract a width after it.
        own = accuracy.label_units * 2.0 * abs(y[i])
        offs[i] = 1.01 * UNIT * ((size + 3.0) * (measured[1, i] + abs(b) + size * accuracy.tiny) + own)


@kernel
def _add_up(accuracy, scale, y, weights, measured, offs, losses, steep, u, coefficients, totals):
    """Add to the sums, that of the losses with compensation; any order of the others is in the errors.

    Writes s_i / S times u_i; a row of no weight has u_i = 0.
    """
    value = totals[0]
    rest = totals[1]
    error = 0.0
    plus = 0.0
    minus = 0.0
    norms = 0.0
    reaches = 0.0
    for i in range(u.size):
        s = scale * weights[i] if weights.size else scale
        pull = 0.0
        if s > 0.0:
            term = s * losses[i]
            pull = s * u[i]
            value, rest = add_compensated(value, rest, term)
            error += s * steep[i] * offs[i] + 20.0 * UNIT * abs(term)
            # Nothing underflows at a score of zero, where the label is not subtracted from it, or on a flat piece.
            is_zero = measured[0, i] == 0.0 and accuracy.label_units == 0.0
            if not (is_zero or (accuracy.is_exact and losses[i] == 0.0 and u[i] == 0.0)):
                error += accuracy.floor * (1.0 + abs(measured[0, i]) + abs(y[i]))
            if pull > 0.0:
                plus += pull
            else:
                minus -= pull
            norms += abs(pull) * measured[2, i]
            reaches += abs(pull) * measured[1, i]
        else:
            u[i] = 0.0
        coefficients[i] = pull
    totals[0] = value
    totals[1] = rest
    totals[2] += error
    totals[3] += plus
    totals[4] += minus
    totals[5] += norms
    totals[6] += reaches
