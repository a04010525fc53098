"""Which labellings of points a class of predictors can give, by brute force, and its VC dimension by formula.

A class is whatever has `realizes(points, labels)`, labels being -1 and +1: whether some member predicts them all.
Reference: Vapnik and Chervonenkis (1971); Burges (1998), for sign(sin(theta x)) and gap-tolerant classifiers.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple, Protocol

import numpy as np

from empirisk.parameters import check_count, check_positive
from empirisk.protocols import Matrix, Vector

MOST_POINTS = 16


class Class(Protocol):
    """A class of predictors."""

    def realizes(self, points: Matrix, labels: Vector) -> bool:
        """Whether a member has these labels, -1 and +1, on these points."""


class Planes(NamedTuple):
    """+1 where <w, x> + b >= 0, or <w, x> >= 0: half-spaces that own their border."""

    is_affine: bool = True

    def realizes(self, points: Matrix, labels: Vector) -> bool:
        """By a linear program: <w, x> >= 0 where +1, <= -1 where -1."""
        from scipy.optimize import linprog  # slow to load, and needed by nothing else here

        x = np.column_stack([points, np.ones(labels.size)]) if self.is_affine else points
        limits = np.where(labels > 0.0, 0.0, -1.0)
        found = linprog(np.zeros(x.shape[1]), A_ub=-labels[:, None] * x, b_ub=limits, bounds=(None, None))
        return bool(found.status == 0)


class Rectangles(NamedTuple):
    """+1 inside of a box with sides along the axes, borders included; on a line these are the intervals."""

    scale: float = 1.0

    def realizes(self, points: Matrix, labels: Vector) -> bool:
        """The smallest box around the points of label +1 must hold no other."""
        inside = points[labels > 0.0]
        if not inside.size:
            return True
        held = np.all((points >= inside.min(axis=0)) & (points <= inside.max(axis=0)), axis=1)
        return not bool(np.any(held & (labels < 0.0)))


class Sines(NamedTuple):
    """sign(sin(theta x)), one parameter, on the points 10^-1, 10^-2, ...: every labelling, however many points.

    theta = pi (1 + sum_i (1 - y_i) / 2 * 10^i).
    """

    scale: float = 1.0

    def theta(self, labels: Vector) -> float:
        """The member with these labels."""
        return math.pi * (1.0 + sum(10.0 ** (i + 1) for i, y in enumerate(labels.tolist()) if y < 0.0))

    def realizes(self, points: Matrix, labels: Vector) -> bool:
        """Whether that theta does it."""
        return bool(np.all(np.sign(np.sin(self.theta(labels) * points[:, 0])) == labels))


def labellings(of: Class, points: Matrix) -> int:
    """In how many of the 2^m ways the class can label m points."""
    points = np.asarray(points, dtype=np.float64)
    if points.ndim != 2 or not 0 < len(points) <= MOST_POINTS:
        raise ValueError(f"points must be 1 to {MOST_POINTS} rows of coordinates, got the shape {points.shape}")
    ways = itertools.product((-1.0, 1.0), repeat=len(points))
    return sum(of.realizes(points, np.array(labels)) for labels in ways)


def shatters(of: Class, points: Matrix) -> bool:
    """Whether the class can label these points in every way."""
    return labellings(of, points) == 2 ** len(points)


def vc_dimension(
    columns: int | None = None,
    is_affine: bool = True,
    degree: int = 1,
    finite: int | None = None,
    diameter: float | None = None,
    gap: float | None = None,
) -> int:
    """The largest number of points that some set of them can be shattered with, or an upper bound of it.

        vc_dimension(columns=d, is_affine=False)               d: planes through the origin
        vc_dimension(columns=d)                                d + 1: affine planes
        vc_dimension(columns=d, degree=p)                      C(d + p, p): affine planes in all monomials up to p
        vc_dimension(finite=N)                                 floor(log2 N): a class of N members
        vc_dimension(columns=d, diameter=D, gap=M)             min(ceil(D^2 / M^2), d) + 1: gap-tolerant classifiers

    The last is about classifiers that judge no point in the gap or outside of the ball, not about planes.
    """
    if (columns is None) == (finite is None):
        raise ValueError("give either columns, of planes, or finite, the size of a class")
    if finite is not None:
        return check_count("finite", finite).bit_length() - 1
    d, p = check_count("columns", columns), check_count("degree", degree)
    if (diameter is None) != (gap is None):
        raise ValueError("gap-tolerant classifiers have both a diameter and a gap")
    if diameter is not None:
        ratio = check_positive("diameter", diameter) / check_positive("gap", gap)
        return min(math.ceil(ratio * ratio), d) + 1
    return math.comb(d + p, p) - (not is_affine)
