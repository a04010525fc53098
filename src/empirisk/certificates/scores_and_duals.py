"""The first pass of a certificate: scores, losses, the dual variables that they imply, and their sums."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import TINY, UNIT, add_compensated
from empirisk.capabilities import has_label_units, offers
from empirisk.certificates.loss_accuracy import floor_of, is_exact_at_zero
from empirisk.compiled import kernel
from empirisk.designs import row_norm
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.protocols import Vector
from empirisk.rows.blocks import Block, map_blocks, tile_rows

CHUNK = 128  # rows whose losses are summed on vectors before the compensated sum goes on


class Duals(NamedTuple):
    """What the pass writes for each row."""

    u: Vector
    keep: NDArray[np.bool_]  # whether the given u differs from what the score implies; empty where none was given
    fenchel: Vector  # z loss'(z) - loss(z), which is loss*(loss'(z)); empty where the loss has a conjugate
    sizes: Vector  # |z loss'(z)| + |loss(z)|, which bounds the rounding of that


class FirstSums(NamedTuple):
    """Sums over a block of rows, with s_i / S as the weight of a row."""

    value: float
    value_error: float
    least: float  # the least value of a loss without a conjugate; else infinity
    at_zero: float  # of loss(0, y_i)
    plus: float  # of u_i over u_i > 0
    minus: float  # of |u_i| over u_i < 0
    dual_norm: float  # of |u_i| ||x_i||
    dual_size: float  # of |u_i| sum_j |x_ij w_j|
    row_norm: float  # the largest ||x_i||
    sums: NDArray[np.float64]  # of u_i x_i over u_i > 0, and over u_i < 0; without an intercept all in the first


def first_pass(problem: EmpiricalRisk, w: Vector, b: float, given: Vector | None) -> tuple[list[FirstSums], Duals]:
    """The sums of each block, and the dual variables: the given ones, where they are not nan, else -loss'(z_i)."""
    scale = 1.0 / problem.total_weight
    n = problem.design.n_rows()
    given = np.empty(0) if given is None else given
    own = not offers(problem.loss, "conjugate")
    duals = Duals(np.empty(n), np.zeros(given.size, dtype=np.bool_), *np.zeros((2, n if own else 0)))
    tile = tile_rows(problem.design)
    smoothness = float(problem.loss.smoothness()) if offers(problem.loss, "smoothness") else -1.0
    label_units = 1.0 if has_label_units(problem.loss) else 0.0
    tiny = 4.0 * TINY if np.any(w) else 0.0
    accuracy = smoothness, floor_of(problem.loss), label_units, is_exact_at_zero(problem.loss), tiny
    data = problem.loss, accuracy, problem.design, problem.labels, problem.weights, scale, problem.fit_intercept

    def task(block: Block) -> FirstSums:
        sums = np.zeros((2, w.size))
        scalars = _scores_and_duals(*data, *block, tile, w, b, given, *duals, sums)
        return FirstSums._make((*scalars, sums))

    return map_blocks(task, problem.blocks, problem.n_threads), duals


@kernel
def _scores_and_duals(
    loss, accuracy, X, y, weights, scale, splits, start, stop, tile, w, b, given, u, keep, fenchel, sizes, sums
):
    """Tile by tile, while the rows are in the cache: scores, losses in loops that run on vectors, the sums."""
    smoothness, floor, label_units, is_exact, tiny = accuracy
    # Score, sum of |x_ij w_j|, ||x_i||, error of the score, loss, bound of its slope, u_i, error of the loss itself.
    rows = np.empty((8, tile))
    shares = np.full(tile, scale)
    value = 0.0
    value_rest = 0.0
    value_error = 0.0
    least = np.inf
    at_zero = 0.0
    plus = 0.0
    minus = 0.0
    dual_norm = 0.0
    dual_size = 0.0
    largest = 0.0
    for first in range(start, stop, tile):
        last = min(first + tile, stop)
        for i in range(first, last):
            z, reach, square = X.measure_row(i, w)
            rows[0, i - first] = z + b
            rows[1, i - first] = reach
            rows[2, i - first] = row_norm(X, i, square)
            size = X.row_size(i)
            # The label where it is subtracted: a loss may subtract a width after it.
            own = label_units * 2.0 * abs(y[i])
            rows[3, i - first] = 1.01 * UNIT * ((size + 3) * (reach + abs(b) + size * tiny) + own)
            # Nothing underflows at a score of zero, where the label is not subtracted from it.
            is_zero = z + b == 0.0 and label_units == 0.0
            rows[7, i - first] = 0.0 if is_zero else floor * (1.0 + abs(z + b) + abs(y[i]))
        if weights.size:
            for i in range(first, last):
                shares[i - first] = scale * weights[i]
        _evaluate(loss, smoothness, label_units, is_exact, y[first:last], rows)
        if given.size:
            _take(loss, smoothness, y, given, first, last, rows, keep)
        for low in range(first, last, CHUNK):
            high = min(low + CHUNK, last)
            part, errors, positive, negative, norms, reaches = _sums(
                rows, low - first, high - first, shares[low - first : high - first], u[low:high]
            )
            value, value_rest = add_compensated(value, value_rest, part)
            value_error += errors
            plus += positive
            minus += negative
            dual_norm += norms
            dual_size += reaches
            at_zero += _at_zero(loss, y[low:high], shares[low - first : high - first])
        for i in range(first, last):
            s = shares[i - first]
            if s == 0.0:
                continue
            largest = max(largest, rows[2, i - first])
            if fenchel.size:
                z = rows[0, i - first]
                here = rows[4, i - first]
                fenchel[i] = -z * u[i] - here
                sizes[i] = abs(z * u[i]) + abs(here)
                least = min(least, here)
            if u[i] != 0.0:
                X.add_row(i, s * u[i], sums[1 if splits and u[i] < 0.0 else 0])
    return value + value_rest, value_error, least, at_zero, plus, minus, dual_norm, dual_size, largest


@kernel
def _evaluate(loss, smoothness, label_units, is_exact, y, rows):
    """Loss, bound of its slope within the error of the score, and dual variable of each row."""
    scores = rows[0, : y.size]
    offs = rows[3, : y.size]
    losses = rows[4, : y.size]
    slopes = rows[5, : y.size]
    duals = rows[6, : y.size]
    floors = rows[7, : y.size]
    for k in range(y.size):
        losses[k] = loss.value(scores[k], y[k])
        duals[k] = -loss.derivative(scores[k], y[k])
    if smoothness >= 0.0:
        for k in range(y.size):
            slopes[k] = abs(duals[k]) + smoothness * offs[k]
    else:
        for k in range(y.size):
            slopes[k] = _steepest(loss, scores[k], offs[k], y[k])
    if label_units > 0.0:
        for k in range(y.size):
            if losses[k] == 0.0 and duals[k] == 0.0:
                floors[k] = 0.0 if is_exact else floors[k]
                slopes[k] = _steepest(loss, scores[k], offs[k], y[k])  # nothing inside of a flat piece


@kernel
def _steepest(loss, z, off, y):
    """The largest slope between z - off and z + off: a convex loss is steepest at an end."""
    return max(abs(loss.derivative(z - off, y)), abs(loss.derivative(z + off, y)))


@kernel
def _take(loss, smoothness, y, given, first, last, rows, keep):
    """Put the given dual variables in their place; those that the score does not imply for certain are to be kept."""
    for i in range(first, last):
        dual = given[i]
        if math.isnan(dual):
            continue
        left = right = rows[6, i - first]
        if smoothness < 0.0:
            left = -loss.derivative(rows[0, i - first] - rows[3, i - first], y[i])
            right = -loss.derivative(rows[0, i - first] + rows[3, i - first], y[i])
        keep[i] = dual != left or dual != right
        rows[6, i - first] = dual


@kernel
def _sums(rows, start, stop, shares, u):
    """Sums over a chunk of rows, in whatever order is fastest: that is in the errors. Writes the dual variables."""
    reaches = rows[1, start:stop]
    lengths = rows[2, start:stop]
    offs = rows[3, start:stop]
    losses = rows[4, start:stop]
    slopes = rows[5, start:stop]
    duals = rows[6, start:stop]
    floors = rows[7, start:stop]
    value = 0.0
    sizes = 0.0
    errors = 0.0
    plus = 0.0
    minus = 0.0
    norms = 0.0
    reach = 0.0
    for k in range(u.size):
        s = shares[k]
        dual = duals[k] if s > 0.0 else 0.0
        term = s * losses[k] if s > 0.0 else 0.0
        u[k] = dual
        value += term
        sizes += abs(term)
        errors += s * slopes[k] * offs[k] + floors[k] if s > 0.0 else 0.0
        size = s * abs(dual)
        plus += size if dual > 0.0 else 0.0
        minus += size if dual < 0.0 else 0.0
        norms += size * lengths[k]
        reach += size * reaches[k]
    errors += (20.0 + CHUNK) * UNIT * sizes
    return value, errors, plus, minus, norms, reach


@kernel
def _at_zero(loss, y, shares):
    """The sum of s_i loss(0, y_i) / S; the labels of a classification are -1 and +1."""
    plus = 0.0
    minus = 0.0
    others = 0
    for k in range(y.size):
        plus += shares[k] if y[k] == 1.0 else 0.0
        minus += shares[k] if y[k] == -1.0 else 0.0
        others += abs(y[k]) != 1.0
    total = 0.0
    if others == 0:  # a loss of counts has no value at the label -1, which then has no share
        total += plus * loss.value(0.0, 1.0) if plus > 0.0 else 0.0
        total += minus * loss.value(0.0, -1.0) if minus > 0.0 else 0.0
        return total
    for k in range(y.size):
        total += shares[k] * loss.value(0.0, y[k]) if shares[k] > 0.0 else 0.0
    return total
