"""Penalty and constraint as one function Omega, which is what solvers and certificates see.

They do not simply add: the prox of a sum is not the sum of proxes. For these pairs it is a composition,
project(shrink(w, step l1) / (1 + step l2)), and with l2 > 0 the conjugate is reached at project(shrink(v, l1) / l2).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.capabilities import name_of
from empirisk.compiled import adopt, kernel
from empirisk.constraints import CONSTRAINTS, Box, HalfSpace, Simplex, as_constraint
from empirisk.problems.entropy_on_simplex import EntropyOnSimplex
from empirisk.protocols import Unsupported
from empirisk.regularizers import ElasticNet, GroupLasso, NegativeEntropy, as_regularizer, strength

*_FIRST, _LAST = (name for name, cls in CONSTRAINTS.items() if callable(getattr(cls, "shrink", None)))
SUPPORTED = (
    f"supported are l1 and l2 alone or with an {', '.join(_FIRST)} or {_LAST}, l2 with a half_space, "
    "l2 with a group_lasso, and a negative_entropy with a simplex (l2 = 0)"
)


def join(l1: float, l2: float, regularizer: Any, constraint: Any, n_columns: int) -> Any:
    """One Omega from the strengths, a further regularizer or None, and a constraint or None."""
    l1, l2 = strength("l1", l1), strength("l2", l2)
    regularizer, constraint = as_regularizer(regularizer), as_constraint(constraint)
    if constraint is not None:
        adopt(constraint)  # kernels reach its methods through Omega
    if isinstance(regularizer, NegativeEntropy):
        if not isinstance(constraint, Simplex) or l2 > 0.0:
            raise _unsupported(l1, l2, regularizer, constraint)
        return EntropyOnSimplex(regularizer.strength, l1, constraint)
    if isinstance(regularizer, GroupLasso):
        if constraint is not None or l1 > 0.0:
            raise _unsupported(l1, l2, regularizer, constraint)
        _check_columns(regularizer, n_columns)
        return regularizer._replace(l2=regularizer.l2 + l2)
    if constraint is None:
        return ElasticNet(l1, l2)
    if isinstance(constraint, Box):
        return BoxedNet(l1, l2, constraint, float(n_columns))
    if isinstance(constraint, HalfSpace):
        if l1 > 0.0:
            raise _unsupported(l1, l2, regularizer, constraint)
        if constraint.normal.size != n_columns:
            raise ValueError(f"the half-space is for {constraint.normal.size} column(s), but X has {n_columns}")
        return RidgeOnHalfSpace(l2, constraint)
    return Constrained(l1, l2, constraint)


def _unsupported(l1: float, l2: float, regularizer: Any, constraint: Any) -> Unsupported:
    given = [f"{name} = {value:g}" for name, value in (("l1", l1), ("l2", l2)) if value > 0.0]
    given += [name_of(part) for part in (regularizer, constraint) if part is not None]
    return Unsupported(f"{' with '.join(given)} is not supported; {SUPPORTED}")


def _check_columns(regularizer: GroupLasso, n_columns: int) -> None:
    members = regularizer.members
    if members.max() >= n_columns:
        raise ValueError(f"the groups name column {members.max()}, but X has {n_columns} column(s), counted from 0")
    if members.size < n_columns:
        left = int(np.setdiff1d(np.arange(n_columns), members)[0])
        raise ValueError(f"every column must be in a group, but column {left} is in none; give it a group of its own")


@kernel(exact=True, fused=True)
def _less_square(w, v, l2):
    """<w, v> - l2/2 ||w||^2."""
    total = 0.0
    for j in range(v.size):
        total += w[j] * (v[j] - 0.5 * (l2 * w[j]))
    return total


class Constrained(NamedTuple):
    """l1 ||w||_1 + l2/2 ||w||^2 on a bounded set, infinite outside."""

    l1: float
    l2: float
    constraint: Any

    def value(self, w):
        """l1 ||w||_1 + l2/2 ||w||^2 inside."""
        return ElasticNet(self.l1, self.l2).value(w) + self.constraint.value(w)

    def prox(self, w, step, out):
        """Shrink by step l1, divide by 1 + step l2, project."""
        self.constraint.shrink(w, step * self.l1, out)
        for j in range(w.size):
            out[j] /= 1.0 + step * self.l2
        self.constraint.prox(out, step, out)

    def prox_scaled(self, w, h, out):
        """The minimiser of Omega(x) + sum_j h_j (x_j - w_j)^2 / 2: project shrink(h w, l1) / (h + l2) for h + l2."""
        stiffer = h + self.l2
        for j in range(w.size):
            out[j] = h[j] * w[j]
        self.constraint.shrink(out, self.l1, out)
        for j in range(w.size):
            out[j] /= stiffer[j]
        self.constraint.prox_scaled(out, stiffer, out)

    def conjugate(self, v):
        """<q, s> - l2/2 ||q||^2 with s = shrink(v, l1) and q its maximiser, where <q, s> = <q, v> - l1 ||q||_1."""
        shrunk = np.empty(v.size)
        self.constraint.shrink(v, self.l1, shrunk)
        if self.l2 == 0.0:
            return self.constraint.conjugate(shrunk)
        best = np.empty(v.size)
        self.maximizer(v, best)
        return _less_square(best, shrunk, self.l2)

    def maximizer(self, v, out):
        """project(shrink(v, l1) / l2); for l2 = 0 the maximiser of the constraint at shrink(v, l1)."""
        self.constraint.shrink(v, self.l1, out)
        if self.l2 > 0.0:
            for j in range(v.size):
                out[j] /= self.l2
            self.constraint.prox(out, 1.0, out)
        else:
            self.constraint.maximizer(out, out)

    def strong_convexity(self):
        """l2."""
        return self.l2

    def norm_bound(self):
        """That of the constraint."""
        return self.constraint.norm_bound()

    def growth(self):
        """l1, since ||w||_1 >= ||w||_2."""
        return self.l1

    def dual_scale(self, v, error):
        """1: the set is bounded, so that the conjugate is finite everywhere."""
        return 1.0

    def nearest_dual(self, v, out):
        """v itself."""
        for j in range(v.size):
            out[j] = v[j]


class BoxedNet(NamedTuple):
    """l1 ||w||_1 + l2/2 ||w||^2 on a box, infinite outside; a sum over coordinates, and the box may be unbounded."""

    l1: float
    l2: float
    box: Box
    dimension: float

    def value(self, w):
        """l1 ||w||_1 + l2/2 ||w||^2 inside."""
        return ElasticNet(self.l1, self.l2).value(w) + self.box.value(w)

    def prox(self, w, step, out):
        """Shrink by step l1, divide by 1 + step l2, clip."""
        for j in range(w.size):
            out[j] = self.box.clip(self.box.soften(w[j], step * self.l1) / (1.0 + step * self.l2))

    def prox_scaled(self, w, h, out):
        """The minimiser of Omega(x) + sum_j h_j (x_j - w_j)^2 / 2, coordinate by coordinate."""
        for j in range(w.size):
            out[j] = self.box.clip(self.box.soften(h[j] * w[j], self.l1) / (h[j] + self.l2))

    def conjugate(self, v):
        """sum_j q_j s_j - l2/2 q_j^2 with s = shrink(v, l1) and q the maximiser."""
        total = 0.0
        for j in range(v.size):
            shrunk = self.box.soften(v[j], self.l1)
            best = self.maximizer_coordinate(j, v[j])
            if self.l2 > 0.0:
                total += best * (shrunk - 0.5 * (self.l2 * best))
            elif shrunk != 0.0:
                total += best * shrunk
        return total

    def maximizer_coordinate(self, j, v):
        """The maximiser's coordinate j, where v[j] is v."""
        shrunk = self.box.soften(v, self.l1)
        return self.box.clip(shrunk / self.l2) if self.l2 > 0.0 else self.box.end(shrunk)

    def maximizer(self, v, out):
        """`maximizer_coordinate` of each coordinate."""
        for j in range(v.size):
            out[j] = self.maximizer_coordinate(j, v[j])

    def strong_convexity(self):
        """l2."""
        return self.l2

    def norm_bound(self):
        """The norm of the farthest corner, infinite where an end is."""
        return math.sqrt(self.dimension) * max(abs(self.box.low), abs(self.box.high))

    def growth(self):
        """l1, since ||w||_1 >= ||w||_2."""
        return self.l1

    def interval(self):
        """l1 and the ends of every weight, which is all of it where l2 = 0."""
        return self.l1, self.box.low, self.box.high

    def is_free(self, sign):
        """Whether the conjugate limits v_j on this side: the weights can run off and no l2 holds them."""
        return self.l2 == 0.0 and math.isinf(self.box.high if sign > 0.0 else self.box.low)

    def dual_scale(self, v, error):
        """What brings v_j + error to l1 where high is infinite, and -v_j + error where low is; else 1."""
        reach = -math.inf
        for sign in (1.0, -1.0):
            if self.is_free(sign):
                for j in range(v.size):
                    reach = max(reach, sign * v[j] + error)
        reach *= 1.0 + 8.0 * UNIT  # rounded up, so that the scaled point is inside
        return 1.0 if reach <= self.l1 else self.l1 / reach

    def nearest_dual(self, v, out):
        """v clipped to at most l1 where high is infinite, to at least -l1 where low is."""
        for j in range(v.size):
            out[j] = min(v[j], self.l1) if self.is_free(1.0) else v[j]
            out[j] = max(out[j], -self.l1) if self.is_free(-1.0) else out[j]


class RidgeOnHalfSpace(NamedTuple):
    """l2/2 ||w||^2 on a half-space, infinite outside."""

    l2: float
    half_space: HalfSpace

    def value(self, w):
        """l2/2 ||w||^2 inside."""
        return ElasticNet(0.0, self.l2).value(w) + self.half_space.value(w)

    def prox(self, w, step, out):
        """Divide by 1 + step l2, project."""
        for j in range(w.size):
            out[j] = w[j] / (1.0 + step * self.l2)
        self.half_space.prox(out, step, out)

    def prox_scaled(self, w, h, out):
        """The minimiser of Omega(x) + sum_j h_j (x_j - w_j)^2 / 2: project h w / (h + l2) for h + l2."""
        stiffer = h + self.l2
        for j in range(w.size):
            out[j] = h[j] * w[j] / stiffer[j]
        self.half_space.prox_scaled(out, stiffer, out)

    def conjugate(self, v):
        """<q, v> - l2/2 ||q||^2 at the maximiser q; for l2 = 0 the support function."""
        if self.l2 == 0.0:
            return self.half_space.conjugate(v)
        best = np.empty(v.size)
        self.maximizer(v, best)
        return _less_square(best, v, self.l2)

    def maximizer(self, v, out):
        """The projection of v / l2; for l2 = 0 the maximiser of the half-space."""
        if self.l2 > 0.0:
            for j in range(v.size):
                out[j] = v[j] / self.l2
            self.half_space.prox(out, 1.0, out)
        else:
            self.half_space.maximizer(v, out)

    def strong_convexity(self):
        """l2."""
        return self.l2

    def norm_bound(self):
        """Infinite."""
        return math.inf

    def growth(self):
        """0."""
        return 0.0

    def dual_scale(self, v, error):
        """1 for l2 > 0, else 0: rounding leaves no v but zero for certain on the ray where the conjugate is finite."""
        reach = error
        for j in range(v.size):
            reach = max(reach, abs(v[j]))
        return 1.0 if self.l2 > 0.0 or reach == 0.0 else 0.0

    def nearest_dual(self, v, out):
        """v for l2 > 0, else the closest t normal with t >= 0."""
        t = max(0.0, self.half_space.multiple(v))
        for j in range(v.size):
            out[j] = v[j] if self.l2 > 0.0 else t * self.half_space.normal[j]
