"""Growth functions: the most ways in which a class of VC dimension h can label M points.

Sauer: G(M) = sum_{i <= h} C(M, i). With prediction +1 at score 0 the planes are closed half-spaces, for which h = d
through the origin and d + 1 affine. Cover's 2 sum_{i < d} C(M - 1, i) counts points in general position without ties:
on a line through the origin w = 0 adds a third labelling to his two, so it is not used.
Reference: Vapnik and Chervonenkis (1971); Sauer (1972).
"""

from __future__ import annotations

import math

from empirisk.bounds.tails.factorials import STEP, log_choose_kernel
from empirisk.compiled import kernel
from empirisk.parameters import check_count


def growth(h: int, n_points: int) -> float:
    """ln of sum_{i <= h} C(M, i), rounded up; M = `n_points`."""
    return float(_log_growth(check_count("h", h, 0), check_count("n_points", n_points, 0)))


def growth_of_classes(h: int, n_points: int, n_classes: int) -> float:
    """ln of the labellings of M points by the largest of K scores, each a plane of dimension h, rounded up.

    Labels follow from the signs of M K (K - 1) / 2 differences of scores, which have D = (K - 1) h parameters; every
    plane of this arrangement doubled, so that ties are cells of their own, there are at most
    sum_{i <= D} C(M K (K - 1), i) cells. Reference: Zaslavsky (1975), Facing up to arrangements.
    """
    K = check_count("n_classes", n_classes, 2)
    return growth(h, n_points) if K == 2 else growth((K - 1) * h, n_points * K * (K - 1))


@kernel(exact=True)
def _log_growth(h, total):
    """From the largest term, both ways."""
    h = min(h, total)
    top = min(h, total // 2)
    whole = 1.0
    term = 1.0
    count = 0
    i = top
    while i > 0:
        term *= i / (total - i + 1)
        whole += term
        i -= 1
        count += 1
        if term * i <= 2.0**-60 * whole:  # the terms below are at most as large
            whole += term * i
            break
    term = 1.0
    for j in range(top, h):
        term *= (total - j) / (j + 1)
        whole += term
        count += 1
    log_whole = math.log(whole)
    return log_choose_kernel(total, top) + log_whole + STEP * (2.0 * count + log_whole + 2.0)
