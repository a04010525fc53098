"""The fewest errors by exhaustion, in fractions: slow, short and of its own.

Every cell of the arrangement of the planes <z_i, w> = 0 has an extreme ray r, on which all points of some set of rank
one below the full rank vanish. Near r the points with <z_i, r> != 0 are decided; those that vanish are a problem of
their own, of lower rank.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations


def fewest(X, y, weights=None, fit_intercept=True):
    """The least weight with y (<w, x> + b) <= 0."""
    weights = [1] * len(y) if weights is None else weights
    points = []
    for x, side in zip(X, y, strict=True):
        z = [Fraction(float(v)) for v in x] + ([Fraction(1)] if fit_intercept else [])
        points.append([int(side) * v for v in z])
    return least_loss(list(zip(points, [Fraction(float(s)) for s in weights], strict=True)))


def least_loss(points):
    lost = sum((s for z, s in points if not any(z)), Fraction(0))
    points = [(z, s) for z, s in points if any(z)]
    if not points:
        return lost
    columns = pivots([z for z, _ in points])
    points = [([z[j] for j in columns], s) for z, s in points]
    rank = len(columns)
    best = None
    for chosen in combinations([z for z, _ in points], rank - 1):
        ray = orthogonal(chosen, rank)
        if ray is None:
            continue
        values = [sum(a * b for a, b in zip(z, ray, strict=True)) for z, _ in points]
        on_it = least_loss([point for point, v in zip(points, values, strict=True) if v == 0])
        for side in (1, -1):
            behind = sum((s for (_, s), v in zip(points, values, strict=True) if side * v < 0), Fraction(0))
            best = behind + on_it if best is None else min(best, behind + on_it)
    return lost + best


def pivots(rows):
    return sorted(reduce(rows))


def reduce(rows):
    """The reduced rows by their pivot column."""
    basis = {}
    for row in rows:
        for pivot, other in basis.items():
            row = [a - row[pivot] * b for a, b in zip(row, other, strict=True)]
        lead = next((j for j, a in enumerate(row) if a), None)
        if lead is not None:
            row = [a / row[lead] for a in row]
            basis = {p: [a - o[lead] * b for a, b in zip(o, row, strict=True)] for p, o in basis.items()}
            basis[lead] = row
    return basis


def orthogonal(rows, rank):
    """The direction on which the rows vanish; None where it is not the only one."""
    basis = reduce(rows)
    if len(basis) != rank - 1:
        return None
    free = next(j for j in range(rank) if j not in basis)
    return [Fraction(1) if j == free else -basis[j][free] for j in range(rank)]
