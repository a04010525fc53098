"""Slow answers by other means: every subset of the points tried, in fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np


def exact_points(X, y, fit_intercept):
    """The z_i as fractions."""
    dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    rows = [[Fraction(float(x)) for x in row] + [Fraction(1)] * fit_intercept for row in dense]
    return [[int(s) * x for x in row] for row, s in zip(rows, y, strict=True)]


def kernel(points):
    """A basis of the weightings that sum the points to zero, by Gauss-Jordan elimination in fractions."""
    count = len(points)
    rows = [list(column) for column in zip(*points, strict=True)]
    pivots = []
    for j in range(count):
        at = next((i for i in range(len(pivots), len(rows)) if rows[i][j]), None)
        if at is None:
            continue
        k = len(pivots)
        rows[k], rows[at] = rows[at], rows[k]
        rows[k] = [a / rows[k][j] for a in rows[k]]
        for i in range(len(rows)):
            if i != k and rows[i][j]:
                rows[i] = [a - rows[i][j] * c for a, c in zip(rows[i], rows[k], strict=True)]
        pivots.append(j)
    basis = []
    for free in sorted(set(range(count)) - set(pivots)):
        vector = [Fraction(0)] * count
        vector[free] = Fraction(1)
        for k, j in enumerate(pivots):
            vector[j] = -rows[k][free]
        basis.append(vector)
    return basis


def is_minimal_conflict(points):
    """Whether positive multiples of all of the points sum to zero, in one way only."""
    basis = kernel(points)
    return len(basis) == 1 and (all(a > 0 for a in basis[0]) or all(a < 0 for a in basis[0]))


def is_separable(X, y, fit_intercept):
    """Whether no subset is a minimal conflict (Gordan and Caratheodory)."""
    points = exact_points(X, y, fit_intercept)
    largest = min(len(points), len(points[0]) + 1)
    sets = (s for k in range(1, largest + 1) for s in itertools.combinations(points, k))
    return not any(is_minimal_conflict(s) for s in sets)


def program_multipliers(X, y, fit_intercept):
    """The multipliers of max t, <w, z_i> >= t, |w_j| <= 1, in floating point."""
    from scipy.optimize import linprog

    points = np.array([[float(a) for a in row] for row in exact_points(X, y, fit_intercept)])
    points = points / np.where(np.abs(points).max(axis=0) > 0.0, np.abs(points).max(axis=0), 1.0)
    n, d = points.shape
    costs, limits = np.append(np.zeros(d), -1.0), [(-1.0, 1.0)] * d + [(None, None)]
    found = linprog(costs, A_ub=np.column_stack([-points, np.ones(n)]), b_ub=np.zeros(n), bounds=limits)
    return np.maximum(-found.ineqlin.marginals, 0.0)


def is_separable_by_program(X, y, fit_intercept):
    """Whether no lambda >= 0 with sum_i lambda_i = 1 has sum_i lambda_i z_i = 0: a simplex method in fractions.

    Phase one with an artificial variable for each equation, and Bland's rule, so that it ends.
    """
    points = exact_points(X, y, fit_intercept)
    lines = [[*coordinate, Fraction(0)] for coordinate in zip(*points, strict=True)]
    lines.append([Fraction(1)] * (len(points) + 1))
    basis = list(range(len(points), len(points) + len(lines)))
    costs = [-sum(column) for column in zip(*lines, strict=True)]  # of the sum of the artificial variables
    while (entering := next((j for j in range(len(points)) if costs[j] < 0), None)) is not None:
        steps = [(line[-1] / line[entering], basis[k], k) for k, line in enumerate(lines) if line[entering] > 0]
        _, _, leaving = min(steps)
        pivot = [a / lines[leaving][entering] for a in lines[leaving]]
        lines = [
            pivot if k == leaving else [a - line[entering] * p for a, p in zip(line, pivot, strict=True)]
            for k, line in enumerate(lines)
        ]
        costs = [a - costs[entering] * p for a, p in zip(costs, pivot, strict=True)]
        basis[leaving] = entering
    return costs[-1] != 0
