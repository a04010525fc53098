"""The classical prior N(0, I) on rows of length 1: it is chosen before any row is seen, so that every row counts.

With u_i = z~_i / ||z~_i||, z~ = (x, 1) (x alone without an intercept), a posterior N(w, I) has KL = ||w||^2 / 2 and
the margins y_i <w, u_i>. A plane is the same at every length a of w: with the cosines k_i = y_i <w, u_i> / ||w||

    random draw    kl(mean Phi(-a k_i), p) <= (a^2 / 2 + ln(xi(n) / delta)) / n,         R <= p
    the plane      kl(mean Phi(t - a k_i), p) <= (a^2 / 2 + ln(T xi(n) / delta)) / n,    R <= p / Phi(t), t one of T

The theorem holds for all posteriors at once, so that a may be the best of any list, at no price; the t are paid for.
References: Langford and Shawe-Taylor (2003), PAC-Bayes and margins; Germain, Lacasse, Laviolette and Marchand (2009).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from empirisk.arithmetic import UNIT
from empirisk.bounds.augmented_rows import distances_and_lengths, product_rounding
from empirisk.bounds.pac_bayes.plane_bound import NDTR, DrawBound, PlaneBound, mean_probability, per_row
from empirisk.bounds.tails import kl_upper, log_xi
from empirisk.designs import CSR, Dense
from empirisk.protocols import Vector

LENGTHS = tuple(2.0 ** (j / 4.0) for j in range(-16, 41))  # a
WIDTHS = (0.0, 1.0, 1.5, 2.0, 2.5)  # t


def cosines(design: Dense | CSR, y: Vector, plane: Vector, has_intercept: bool) -> Vector:
    """Lower bounds of the k_i of a plane, the intercept last; -1 where nothing is sure."""
    distances, lengths = distances_and_lengths(design, y, plane, has_intercept)
    with np.errstate(all="ignore"):
        found = distances / lengths - 8.0 * product_rounding(plane.size)
    return np.where(np.isfinite(found), np.maximum(found, -1.0), -1.0)


def zero_prior_draw_bound(cosines: Vector, log_delta: float) -> DrawBound:
    """Of a random draw around the plane; `scale` is 1 / a^2."""
    n, room = cosines.size, log_xi(cosines.size) - log_delta
    bounds = []
    for a in LENGTHS:
        loss, divergence = mean_probability(ndtr(-a * cosines), n), 0.5 * a * a
        bounds.append(DrawBound(kl_upper(loss, per_row(divergence, room, n)), 1.0 / (a * a), loss, divergence))
    return min(bounds)


def zero_prior_plane_bound(cosines: Vector, log_delta: float) -> PlaneBound:
    """Of the plane itself; `scale` is 1 / a^2."""
    n, room = cosines.size, log_xi(cosines.size) + math.log(len(WIDTHS)) - log_delta
    bounds = []
    for a in LENGTHS:
        for t in WIDTHS:
            loss, divergence = mean_probability(ndtr(t - a * cosines), n), 0.5 * a * a
            value = kl_upper(loss, per_row(divergence, room, n)) / (float(ndtr(t)) * (1.0 - NDTR)) * (1.0 + 8.0 * UNIT)
            bounds.append(PlaneBound(min(1.0, value), 1.0 / (a * a), t, loss, divergence, False))
    return min(bounds)
