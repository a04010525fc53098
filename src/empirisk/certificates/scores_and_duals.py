"""The first pass of a certificate: scores, losses, the dual variables that they imply, and their sums."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT, add_compensated
from empirisk.compiled import kernel
from empirisk.data.blocks import Block, map_blocks, tile_rows
from empirisk.protocols import Vector, offers


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
    least: float  # the least value
    at_zero: float  # of loss(0, y_i)
    plus: float  # of u_i over u_i > 0
    minus: float  # of |u_i| over u_i < 0
    dual_norm: float  # of |u_i| ||x_i||
    dual_size: float  # of |u_i| sum_j |x_ij w_j|
    row_norm: float  # the largest ||x_i||
    sums: tuple[Vector, Vector]  # of u_i x_i over u_i > 0, over u_i < 0


def first_pass(problem: Any, w: Vector, b: float, given: Vector | None) -> tuple[list[FirstSums], Duals]:
    """The sums of each block, and the dual variables: the given ones, where they are not nan, else -loss'(z_i)."""
    scale = 1.0 / problem.total_weight
    n = problem.design.n_rows()
    given = np.empty(0) if given is None else given
    own = not offers(problem.loss, "conjugate")
    duals = Duals(np.empty(n), np.zeros(given.size, dtype=np.bool_), *np.zeros((2, n if own else 0)))
    tile = tile_rows(problem.design)
    smoothness = float(problem.loss.smoothness()) if offers(problem.loss, "smoothness") else -1.0

    def task(block: Block) -> FirstSums:
        sums = np.zeros(w.size), np.zeros(w.size)
        scalars = _scores_and_duals(
            problem.loss,
            smoothness,
            problem.design,
            problem.labels,
            problem.weights,
            scale,
            block[0],
            block[1],
            tile,
            w,
            b,
            given,
            duals.keep,
            duals.u,
            duals.fenchel,
            duals.sizes,
            sums[0],
            sums[1],
        )
        return FirstSums._make((*scalars, sums))

    return map_blocks(task, problem.blocks, problem.n_threads), duals


@kernel
def _scores_and_duals(
    loss, smoothness, X, y, weights, scale, start, stop, tile, w, b, given, keep, u, fenchel, sizes, sum_plus, sum_minus
):
    """Tile by tile, while the rows are in the cache: scores, losses in a loop that runs on vectors, the sums."""
    rows = np.empty((5, tile))  # score, sum of |x_ij w_j|, ||x_i||^2, loss and -derivative
    # The two newest labels and their values at zero: for classification, that is all there are.
    label = other = np.nan
    label_value = other_value = 0.0
    value = 0.0
    value_rest = 0.0
    value_error = 0.0
    least = np.inf
    at_zero = 0.0
    plus = 0.0
    minus = 0.0
    dual_norm = 0.0
    dual_size = 0.0
    row_norm = 0.0
    for first in range(start, stop, tile):
        last = min(first + tile, stop)
        for i in range(first, last):
            z, reach, square = X.measure_row(i, w)
            rows[0, i - first] = z + b
            rows[1, i - first] = reach
            rows[2, i - first] = square
        scores = rows[0, : last - first]
        losses = rows[3, : last - first]
        duals = rows[4, : last - first]
        labels = y[first:last]
        for k in range(scores.size):
            losses[k] = loss.value(scores[k], labels[k])
            duals[k] = -loss.derivative(scores[k], labels[k])
        for i in range(first, last):
            u[i] = 0.0
            s = scale * weights[i] if weights.size else scale
            if s == 0.0:
                continue
            z = rows[0, i - first]
            reach = rows[1, i - first]
            norm = math.sqrt(rows[2, i - first])
            here = rows[3, i - first]
            dual = rows[4, i - first]
            off = 1.01 * (X.row_size(i) + 3) * UNIT * (reach + abs(b))
            if smoothness >= 0.0:
                left = right = dual
                steepness = abs(dual) + smoothness * off
            else:  # a convex loss is steepest at an end
                left = -loss.derivative(z - off, y[i])
                right = -loss.derivative(z + off, y[i])
                steepness = max(abs(left), abs(right))
            if given.size and not math.isnan(given[i]):
                dual = given[i]
                keep[i] = dual != left or dual != right
            u[i] = dual
            if fenchel.size:
                fenchel[i] = -z * dual - here
                sizes[i] = abs(z * dual) + abs(here)
            least = min(least, here)
            if y[i] == label:
                at_zero += s * label_value
            elif y[i] == other:
                at_zero += s * other_value
            else:
                other, other_value = label, label_value
                label, label_value = y[i], loss.value(0.0, y[i])
                at_zero += s * label_value
            term = s * here
            value, value_rest = add_compensated(value, value_rest, term)
            value_error += s * steepness * off + 20.0 * UNIT * abs(term)
            size = s * abs(dual)
            dual_norm += size * norm
            dual_size += size * reach
            row_norm = max(row_norm, norm)
            if dual > 0.0:
                plus += size
                X.add_row(i, size, sum_plus)
            elif dual < 0.0:
                minus += size
                X.add_row(i, -size, sum_minus)
    return value + value_rest, value_error, least, at_zero, plus, minus, dual_norm, dual_size, row_norm
