"""Losses of a vector of scores a row, for many rows at once: kernels that know the loss and nothing else.

Scores, gradients and curvatures are n x K.
"""

from __future__ import annotations

import numpy as np

from empirisk.arithmetic.copying import fill
from empirisk.compiled import kernel


@kernel
def to_gradients(loss, labels, weights, scale, scores, out):
    """Write s_i / S times the gradients; the mean loss."""
    risk = 0.0
    for i in range(labels.size):
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            fill(out[i], 0.0)
            continue
        risk += s * loss.gradient(scores[i], labels[i], out[i])
        for j in range(out.shape[1]):
            out[i, j] *= s
    return risk


@kernel
def extrapolate(loss, labels, weights, scale, beta, old_scores, scores, out):
    """The mean loss, and that at scores + beta (scores - old), whose gradients are written, times s_i / S."""
    here = 0.0
    there = 0.0
    z = np.empty(scores.shape[1])
    for i in range(labels.size):
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            fill(out[i], 0.0)
            continue
        for j in range(z.size):
            z[j] = scores[i, j] + (beta * (scores[i, j] - old_scores[i, j]) if beta != 0.0 else 0.0)
        value = loss.gradient(z, labels[i], out[i])
        there += s * value
        here += s * (loss.value(scores[i], labels[i]) if beta != 0.0 else value)
        for j in range(z.size):
            out[i, j] *= s
    return here, there


@kernel
def evaluate_scores(loss, labels, weights, scale, scores, slopes, curvatures):
    """The mean loss; writes slopes and curvatures.

    The slopes are those of `to_gradients`, in the same loop: two loops, or a function that both call for a row, took
    up to four tenths longer, as the exponentials of a row are then computed twice.
    """
    risk = 0.0
    for i in range(labels.size):
        s = scale * weights[i] if weights.size else scale
        loss.curvature(scores[i], labels[i], curvatures[i])
        if s == 0.0:
            fill(slopes[i], 0.0)
            continue
        risk += s * loss.gradient(scores[i], labels[i], slopes[i])
        for j in range(slopes.shape[1]):
            slopes[i, j] *= s
    return risk


@kernel
def to_class_curvatures(loss, labels, scores):
    """In place: `curvature` reads each score before it writes in its place."""
    for i in range(labels.size):
        loss.curvature(scores[i], labels[i], scores[i])


@kernel
def to_products(loss, weights, scale, curvatures, out):
    """Replace vectors by s_i / S times the products of the Hessians with them."""
    for i in range(out.shape[0]):
        s = scale * weights[i] if weights.size else scale
        loss.hessian_product(curvatures[i], out[i], out[i])
        for j in range(out.shape[1]):
            out[i, j] *= s


@kernel
def slope_along_scores(loss, labels, weights, scale, scores, change, t):
    """The derivative of the mean loss in t, at scores + t change."""
    total = 0.0
    z = np.empty(scores.shape[1])
    g = np.empty(scores.shape[1])
    for i in range(labels.size):
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            continue
        for j in range(z.size):
            z[j] = scores[i, j] + t * change[i, j]
        loss.gradient(z, labels[i], g)
        along = 0.0
        for j in range(z.size):
            along += g[j] * change[i, j]
        total += s * along
    return total
