"""The polytopes among the constraints: from a point, the segment along which Frank-Wolfe with away steps moves.

Let g be the gradient of the smooth part (the l2 term included) and h = l1 ||.||_1 what is left of Omega inside of the
set. The atoms, as the literature of Frank-Wolfe calls them, are the finitely many points of which every other is a
mixture on which h is linear: corners, and zero where h bends there. An atom a has the score <g, a> + h(a). The best
atom of all has the least score; the worst atom is the one with the largest score among those that the point is a
mixture of. Here every point is a mixture of atoms in one way only, so that no list of them need be kept: it can be read
off the weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.constraints import L1Ball, Simplex
from empirisk.problems.penalty_and_constraint import BoxedNet, Constrained
from empirisk.protocols import Vector

NOTHING = 1e-13  # a share of an atom below this is rounding


class Segment(NamedTuple):
    """From w to `end`, as far as the set allows. All of `end` but a few coordinates may be `keep` w."""

    end: Vector
    keep: float


def polytope_of(omega: Any) -> CoordinateAtoms | Intervals | None:
    """The atoms of Omega's constraint; None where there are infinitely many, or where Omega is not linear on atoms."""
    if isinstance(omega, BoxedNet):
        return Intervals(omega.l1, omega.box.low, omega.box.high)
    if isinstance(omega, Constrained) and isinstance(omega.constraint, (L1Ball, Simplex)):
        return CoordinateAtoms(omega.l1, omega.constraint.radius, isinstance(omega.constraint, L1Ball))
    return None


class CoordinateAtoms(NamedTuple):
    """The corners radius e_j of the simplex; for the l1 ball (signed) radius e_j, -radius e_j and zero.

    The share of atom e_j in w is |w_j| / radius, of which the sign is that of w_j, and zero has what is left. A step to
    the corner opposite to one in use would need both: equal shares of the two are a share of zero, where h is no
    larger. That never lengthens the list of atoms in use, so that the count of steps that drop an atom, and with it the
    linear rate (Lacoste-Julien and Jaggi, 2015), stands.
    """

    l1: float
    radius: float
    signed: bool

    def start(self, w: Vector, g: Vector) -> Vector:
        """w, but the best corner instead of equal weights: to drop these would take a step for each."""
        if self.signed or w.size == 1 or not np.all(w == w[0]):
            return w
        corner = np.zeros(w.size)
        corner[int(np.argmin(g))] = self.radius
        return corner

    def favours_pairwise(self) -> bool:
        """Measured: pairwise steps take about two thirds of the passes that away steps take."""
        return True

    def segment(self, w: Vector, g: Vector, is_pairwise: bool) -> Segment:
        """Towards the best atom s, or away from the worst v; if pairwise, the share of v goes to s instead."""
        s, best = self._best(g)
        v, worst, share = self._worst(w, g)
        here = float(g @ w) + self.l1 * float(np.abs(w).sum())
        other, slope = (s - v, worst - best) if is_pairwise else (w - v, worst - here)
        if share >= 1.0 - NOTHING or _is_steeper(here - best, s - w, slope, other):
            return Segment(s, 0.0)
        keep = 1.0 if is_pairwise else 1.0 / (1.0 - share)
        end = keep * w
        end[v != 0.0] = 0.0
        return Segment(end + share * s if is_pairwise else end, keep)

    def _best(self, g: Vector) -> tuple[Vector, float]:
        """The best atom and its score."""
        slopes = -np.abs(g) if self.signed else g
        j = int(np.argmin(slopes))
        score = self.radius * (float(slopes[j]) + self.l1)
        atom = np.zeros(g.size)
        if self.signed and score >= 0.0:
            return atom, 0.0
        atom[j] = -np.copysign(self.radius, g[j]) if self.signed else self.radius
        return atom, score

    def _worst(self, w: Vector, g: Vector) -> tuple[Vector, float, float]:
        """The worst atom in use, its score and its share."""
        slopes = np.where(w != 0.0, np.sign(w) * g + self.l1, -np.inf)
        k = int(np.argmax(slopes))
        score = self.radius * float(slopes[k])
        atom = np.zeros(w.size)
        left = 1.0 - float(np.abs(w).sum()) / self.radius if self.signed else 0.0
        if left > NOTHING and score < 0.0:
            return atom, 0.0, left
        atom[k] = np.copysign(self.radius, w[k])
        return atom, score, abs(float(w[k])) / self.radius


class Intervals(NamedTuple):
    """The box: a product of intervals, each with its ends as atoms, and with zero where h bends inside of it.

    Coordinates at an end hold w in a face. Either all of w moves towards the best corner, or the free coordinates
    alone move, away from the worst corner of the face or, if pairwise, in the direction from its worst to its best.
    The rate is linear if P is m-strongly convex and L-smooth: let R be the width and I the coordinates not at their
    best end. P - min P <= ||g_I||^2 / (2 m); one of the slopes is at least R/2 ||g_I||_1, neither segment is longer
    than R sqrt(d), so that a step which ends inside of its segment gains at least ||g_I||^2 / (8 d L), which is the
    share m / (4 d L) of P - min P. A whole step to the corner gains half of P - min P; one within the face fixes a
    coordinate and frees none, so that at most d of these come in a row. References for steps without a list of atoms:
    Garber and Meshi (2016); Bashiri and Zhang (2017).
    """

    l1: float
    low: float
    high: float

    def start(self, w: Vector, g: Vector) -> Vector:
        """w: every point of the interior is as good."""
        return w

    def favours_pairwise(self) -> bool:
        """Measured: away steps take a little fewer passes."""
        return False

    def segment(self, w: Vector, g: Vector, is_pairwise: bool) -> Segment:
        """Towards the best corner, or within the face."""
        bends = self.l1 > 0.0 and self.low < 0.0 < self.high
        low = np.where(w > 0.0, 0.0, self.low) if bends else np.full(w.size, self.low)
        high = np.where(w < 0.0, 0.0, self.high) if bends else np.full(w.size, self.high)
        is_free = (low < w) & (w < high) & ((w != 0.0) | (not bends))
        side = np.sign(w) if bends else np.sign(self.low + self.high)
        slopes = np.where(is_free, g + self.l1 * side, 0.0)
        best, worst = np.where(slopes > 0.0, low, high), np.where(slopes > 0.0, high, low)
        speed = np.where(slopes != 0.0, best - worst if is_pairwise else w - worst, 0.0)
        corner = self._corner(w, g, bends)
        gain = float(g @ (w - corner)) + self.l1 * float(np.abs(w).sum() - np.abs(corner).sum())
        if _is_steeper(gain, corner - w, -float(slopes @ speed), speed):
            return Segment(corner, 0.0)
        room = np.full(w.size, np.inf)
        np.divide(best - w, speed, out=room, where=speed != 0.0)
        reach = float(room.min())
        end = np.clip(w + reach * speed, low, high)
        return Segment(np.where(room <= reach * (1.0 + NOTHING), best, end), 1.0)

    def _corner(self, w: Vector, g: Vector, bends: bool) -> Vector:
        """The best atom of each interval; w_j where all are as good."""
        if bends:
            return np.where(g > self.l1, self.low, np.where(g < -self.l1, self.high, 0.0))
        slopes = g + self.l1 * np.sign(self.low + self.high)
        return np.where(slopes > 0.0, self.low, np.where(slopes < 0.0, self.high, w))


def _is_steeper(slope: float, direction: Vector, other_slope: float, other: Vector) -> bool:
    """Whether the first direction falls at least as fast for its length as the other."""
    return slope * float(np.linalg.norm(other)) >= other_slope * float(np.linalg.norm(direction))
