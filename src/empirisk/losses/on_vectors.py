"""Losses of many scores at once: the only kernels that know a loss of one score a row, and they know nothing else.

Passes, certificates and solvers are made of these, so that a further loss costs a few small functions to compile.
"""

from __future__ import annotations

import numpy as np

from empirisk.compiled import kernel
from empirisk.protocols import Vector


@kernel
def values_and_slopes(loss, z, y, values, slopes):
    """Write loss(z_i, y_i) and its derivative in z."""
    for i in range(z.size):
        values[i] = loss.value(z[i], y[i])
        slopes[i] = loss.derivative(z[i], y[i])


@kernel
def to_second_derivatives(loss, y, z):
    """Replace each score by loss''(z_i, y_i); in place, which runs on vectors."""
    for i in range(z.size):
        z[i] = loss.second_derivative(z[i], y[i])


@kernel
def conjugates(loss, u, y, out):
    """Write loss*(-u_i, y_i)."""
    for i in range(u.size):
        out[i] = loss.conjugate(-u[i], y[i])


def weigh(weights: Vector, scale: float, values: Vector, slopes: Vector) -> float:
    """Multiply the slopes by the rows' shares s_i / S; the mean of the values. A row of no weight is as if absent."""
    to_shares(weights, scale, slopes)
    if not weights.size:
        return scale * float(np.add.reduce(values))
    to_shares(weights, scale, values)
    return float(np.add.reduce(values))


@kernel
def tangent_sums(weights, scale, values, slopes):
    """The means of the values, of the slopes and of their sizes."""
    level = 0.0
    slope = 0.0
    steepness = 0.0
    for i in range(values.size):
        s = scale * weights[i] if weights.size else scale
        level += s * values[i] if s > 0.0 else 0.0
        g = s * slopes[i] if s > 0.0 else 0.0
        slope += g
        steepness += abs(g)
    return level, slope, steepness


@kernel
def slope_along(loss, z, change, t, y, weights, scale):
    """The mean of loss'(z_i + t change_i, y_i) change_i, over the rows that change: elsewhere it may be infinite.

    A line search asks for it some dozen times, so that it is one call and not four.
    """
    total = 0.0
    for i in range(z.size):
        s = scale * weights[i] if weights.size else scale
        if s > 0.0 and change[i] != 0.0:
            total += s * loss.derivative(z[i] + t * change[i], y[i]) * change[i]
    return total


def to_shares(weights: Vector, scale: float, values: Vector) -> None:
    """Multiply the values by the rows' shares s_i / S; those of rows of no weight become zero."""
    values *= scale
    if weights.size:
        values *= weights
        values[weights == 0.0] = 0.0
