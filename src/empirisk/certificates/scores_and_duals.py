"""The first pass of a certificate: scores, losses, the dual variables that they imply, and their sums."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT, add_compensated
from empirisk.compiled import kernel
from empirisk.data.blocks import Block, map_blocks
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
    loss, smoothness, X, y, weights, scale, start, stop, w, b, given, keep, u, fenchel, sizes, sum_plus, sum_minus
):
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
    for i in range(start, stop):
        u[i] = 0.0
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            continue
        z = X.dot_row(i, w) + b
        norm = math.sqrt(X.squared_row_norm(i))
        reach = X.dot_row_sizes(i, w)
        off = 1.01 * (X.row_size(i) + 3) * UNIT * (reach + abs(b))
        dual = -loss.derivative(z, y[i])
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
        here = loss.value(z, y[i])
        if fenchel.size:
            fenchel[i] = -z * dual - here
            sizes[i] = abs(z * dual) + abs(here)
        least = min(least, here)
        at_zero += s * loss.value(0.0, y[i])
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
