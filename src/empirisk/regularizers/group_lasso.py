"""The group lasso."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT
from empirisk.protocols import Vector
from empirisk.regularizers.strengths import strength as strength_of

STEPS = 100  # Newton's, of which about ten are taken


class GroupLasso(NamedTuple):
    """The group lasso: strength sum_g factor_g ||w_g||_2 + l2/2 ||w||_2^2, over groups g of the columns.

    Prox: each group is shortened by step strength factor_g (zero where it is shorter), then divided by 1 + step l2.
    Conjugate: sum_g max(0, ||v_g||_2 - strength factor_g)^2 / (2 l2); for l2 = 0 it is 0 where no group exceeds
    strength factor_g, else infinite.
    Use it where columns belong together, such as those of one encoded category: a group is kept or dropped whole.
    `group_lasso` builds it from lists of columns.
    Reference: Yuan and Lin (2006).
    """

    strength: float
    members: NDArray[np.int64]  # columns, ordered by group
    starts: NDArray[np.int64]  # group g is members[starts[g] : starts[g + 1]]
    factors: Vector
    l2: float = 0.0

    def scaled(self, first: float, second: float) -> GroupLasso:
        """The same with the strength of the norms multiplied by `first`, and that of the squares by `second`."""
        return self._replace(strength=self.strength * first, l2=self.l2 * second)

    def checked(self) -> GroupLasso:
        """The same penalty with fields that kernels can take, or a sentence that says what is wrong with them."""
        members, starts = np.asarray(self.members), np.asarray(self.starts)
        if members.dtype.kind not in "iu" or members.ndim != 1 or bool(np.any(members < 0)):
            raise ValueError("groups must hold numbers of columns, counted from 0")
        columns, counts = np.unique(members, return_counts=True)
        if bool(np.any(counts > 1)):
            raise ValueError(f"column {columns[np.argmax(counts)]} is in more than one group, or twice in one")
        rises = starts.ndim == 1 and starts.size > 1 and starts.dtype.kind in "iu" and bool(np.all(np.diff(starts) > 0))
        if not (rises and starts[0] == 0 and starts[-1] == members.size):
            raise ValueError("starts must rise from 0 to the number of members: build a GroupLasso with group_lasso")
        try:
            factors = np.array(self.factors, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"factors must hold numbers, got {self.factors!r}") from None
        if factors.shape != (starts.size - 1,):
            raise ValueError(f"there must be a factor for each group: {starts.size - 1}, got shape {factors.shape}")
        if not bool(np.all((factors >= 0.0) & (factors < np.inf))):
            raise ValueError("factors must be finite and >= 0")
        found, l2 = strength_of("strength of a group lasso", self.strength), strength_of("l2", self.l2)
        return GroupLasso(found, members.astype(np.int64), starts.astype(np.int64), factors, l2)

    def summary(self) -> str:
        """Its strength, and how many groups there are."""
        return f"group_lasso, strength {self.strength!r}, {len(self.starts) - 1} groups"

    def group_norm(self, w, g):
        """||w_g||_2."""
        norm = 0.0
        for k in range(self.starts[g], self.starts[g + 1]):
            norm = math.hypot(norm, w[self.members[k]])
        return norm

    def group_reach(self, w, g, error):
        """||w_g||_2 + error, rounded up: a hypot is off by less than two units."""
        return (self.group_norm(w, g) + error) * (1.0 + UNIT * (4 * (self.starts[g + 1] - self.starts[g]) + 8))

    def scale_group(self, w, g, factor, out):
        """Write factor w_g to out."""
        for k in range(self.starts[g], self.starts[g + 1]):
            out[self.members[k]] = factor * w[self.members[k]]

    def shorten(self, w, step, divisor, out):
        """Each group shorter by step strength factor_g, then divided."""
        for g in range(self.factors.size):
            norm = self.group_norm(w, g)
            rest = norm - step * self.strength * self.factors[g]
            self.scale_group(w, g, rest / norm / divisor if rest > 0.0 else 0.0, out)

    def value(self, w):
        """strength sum_g factor_g ||w_g|| + l2/2 ||w||^2."""
        total = 0.0
        for g in range(self.factors.size):
            norm = self.group_norm(w, g)
            total += self.strength * self.factors[g] * norm + 0.5 * (self.l2 * norm * norm)
        return total

    def prox(self, w, step, out):
        """Shorten each group, then divide by 1 + step l2."""
        self.shorten(w, step, 1.0 + step * self.l2, out)

    def prox_scaled(self, w, h, out):
        """The minimiser of Omega(x) + sum_j h_j (x_j - w_j)^2 / 2: x_j = h_j w_j r / ((h_j + l2) r + f) in a group.

        f = strength factor_g, and r = ||x_g|| makes sum_j (h_j w_j / ((h_j + l2) r + f))^2 = 1: one over its root is
        concave in r, so that Newton's method rises to it from 0 and never passes it. Zero where ||h w_g|| <= f.
        """
        for g in range(self.factors.size):
            f = self.strength * self.factors[g]
            r = 0.0
            for _ in range(STEPS if f > 0.0 else 0):
                total = 0.0
                slope = 0.0
                for k in range(self.starts[g], self.starts[g + 1]):
                    j = self.members[k]
                    below = (h[j] + self.l2) * r + f
                    share = h[j] * w[j] / below
                    total += share * share
                    slope += share * share * (h[j] + self.l2) / below
                new = r + (math.sqrt(total) - 1.0) * total / slope if slope > 0.0 else r
                if not new > r:
                    break
                r = new
            for k in range(self.starts[g], self.starts[g + 1]):
                j = self.members[k]
                out[j] = h[j] * w[j] * r / ((h[j] + self.l2) * r + f) if f > 0.0 else h[j] * w[j] / (h[j] + self.l2)

    def conjugate(self, v):
        """sum_g max(0, ||v_g|| - strength factor_g)^2 / (2 l2)."""
        total = 0.0
        for g in range(self.factors.size):
            excess = max(0.0, self.group_norm(v, g) - self.strength * self.factors[g])
            if excess > 0.0:
                if self.l2 == 0.0:
                    return math.inf
                total += 0.5 * excess * (excess / self.l2)
        return total

    def maximizer(self, v, out):
        """Shorten each group, divide by l2 (for l2 = 0: zero, where the conjugate is finite)."""
        if self.l2 > 0.0:
            self.shorten(v, 1.0, self.l2, out)
        else:
            out[:] = 0.0

    def strong_convexity(self):
        """l2."""
        return self.l2

    def norm_bound(self):
        """Infinite."""
        return math.inf

    def growth(self):
        """strength times the least factor, since the norms of the groups add up to at least ||w||_2."""
        return self.strength * self.factors.min()

    def dual_scale(self, v, error):
        """1 for l2 > 0, else what brings every ||v_g|| + error to strength factor_g."""
        scale = 1.0
        if self.l2 == 0.0:
            for g in range(self.factors.size):
                reach = self.group_reach(v, g, error)
                if reach > self.strength * self.factors[g]:
                    scale = min(scale, self.strength * self.factors[g] / reach)
        return scale

    def nearest_dual(self, v, out):
        """v for l2 > 0, else each group shortened to strength factor_g."""
        for g in range(self.factors.size):
            limit = self.strength * self.factors[g]
            inside = self.l2 > 0.0 or self.group_norm(v, g) <= limit
            self.scale_group(v, g, 1.0 if inside else limit / self.group_reach(v, g, 0.0), out)


def group_lasso(groups: Sequence[Sequence[int]], strength: float, factors: Any = None) -> GroupLasso:
    """A `GroupLasso` over lists of columns, which must hold every column once.

    A factor multiplies the norm of its group; by default it is the square root of the group's size, so that large
    groups are not favoured. A factor of zero leaves its group unpenalised.
    """
    lists = [np.asarray(group) for group in groups]
    if not lists or any(columns.ndim != 1 or columns.size == 0 for columns in lists):
        raise ValueError("groups must be lists of columns, none of them empty, such as [[0, 1], [2, 3, 4]]")
    sizes = np.array([columns.size for columns in lists])
    members = np.concatenate(lists)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return GroupLasso(strength, members, starts, np.sqrt(sizes) if factors is None else factors).checked()
