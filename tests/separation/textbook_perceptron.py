"""The perceptron as textbooks write it, in exact arithmetic and a few lines: what the compiled one is compared with."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np


class Textbook(NamedTuple):
    planes: list  # after each visit, as lists of fractions, the intercept last where there is one
    mistakes: int
    is_separated: bool


def exact_points(X, y, fit_intercept):
    """z_i = y_i (x_i, 1) or y_i x_i."""
    rows = [[*map(Fraction, map(float, row)), *([Fraction(1)] if fit_intercept else [])] for row in np.asarray(X)]
    return [[int(sign) * x for x in row] for sign, row in zip(y, rows, strict=True)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def online(z, start, visits):
    """Cyclic: w <- w + z_i where <w, z_i> <= 0, until n points in a row are right."""
    w, planes, mistakes, right = list(start), [], 0, 0
    for k in range(visits):
        point = z[k % len(z)]
        if dot(w, point) <= 0:
            w, mistakes, right = [a + b for a, b in zip(w, point, strict=True)], mistakes + 1, 0
        else:
            right += 1
        planes.append(w)
        if right == len(z):
            return Textbook(planes, mistakes, True)
    return Textbook(planes, mistakes, False)


def batch(z, start, step, passes):
    """w <- w + step * (sum of the wrong points), and how many were wrong in each step."""
    w, wrong = list(start), []
    for _ in range(passes):
        points = [point for point in z if dot(w, point) <= 0]
        if not points:
            return w, wrong, True
        wrong.append(len(points))
        w = [a + step * sum(column) for a, column in zip(w, zip(*points, strict=True), strict=True)]
    return w, wrong, False
