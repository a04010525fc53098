"""One linear inequality."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import SMALLEST, add_compensated
from empirisk.constraints.fields import number_of
from empirisk.constraints.rounding import SLACK
from empirisk.constraints.weighted_projection import onto_half_space

ROUNDS = 32  # each gains fifteen digits: enough for any point
NOTHING = 1e-290  # subnormal numbers round too coarsely for a relative slack


class HalfSpace(NamedTuple):
    """The half-space: <normal, w> <= offset.

    Projection: w - normal (<normal, w> - offset) / ||normal||_2^2 where w lies outside.
    Support function: t offset at v = t normal, t >= 0, and infinite elsewhere.
    Use it for one linear condition on the weights, such as a budget or a known order of two of them.
    Reference: Boyd and Vandenberghe (2004), section 8.1.1.
    """

    normal: Any
    offset: float

    def checked(self) -> HalfSpace:
        """Scaled by a power of two, which is exact, so that the squares of the normal neither overflow nor vanish."""
        offset = number_of(self, "offset")
        try:
            normal = np.array(self.normal, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"normal of a half-space must hold numbers, got {self.normal!r}") from None
        if normal.ndim != 1 or normal.size == 0:
            raise ValueError(f"normal of a half-space must be a vector, got shape {normal.shape}")
        if not (np.all(np.isfinite(normal)) and math.isfinite(offset)):
            raise ValueError("a half-space needs a finite normal and a finite offset")
        if not np.any(normal):
            raise ValueError("normal of a half-space must not be all zeros")
        shift = 1 - int(np.frexp(np.abs(normal).max())[1])
        with np.errstate(over="ignore"):
            scaled = HalfSpace(np.ldexp(normal, shift), float(np.ldexp(offset, shift)))
        if not math.isfinite(scaled.offset):
            raise ValueError(f"offset {offset} of a half-space is too large beside its normal")
        return scaled

    def summary(self) -> str:
        """The normal in words."""
        return f"half_space: a linear function of the weights is at most {self.offset!r}"

    def scaled(self, factor):
        """The set of factor w, w in this one."""
        return HalfSpace(self.normal, self.offset * factor)

    def along(self, w):
        """<normal, w>."""
        total, rest = 0.0, 0.0
        for j in range(w.size):
            total, rest = add_compensated(total, rest, self.normal[j] * w[j])
        return total + rest

    def slack(self, w):
        """1e-12 of max(|offset|, sum_j |normal_j w_j|), and what subnormal weights and products round by."""
        size = 0.0
        coarse = 0.0
        for j in range(w.size):
            size += abs(self.normal[j] * w[j])
            coarse += SMALLEST + abs(self.normal[j]) * SMALLEST
        return SLACK * max(abs(self.offset), size) + coarse

    def value(self, w):
        """0 inside (up to `slack`), infinite outside."""
        return 0.0 if self.along(w) - self.offset <= self.slack(w) else math.inf

    def prox(self, w, step, out):
        """The projection; the step does not matter."""
        for j in range(w.size):
            out[j] = w[j]
        excess = self.along(w) - self.offset
        squared = self.along(self.normal)
        for _ in range(ROUNDS if excess > 0.0 else 0):
            for j in range(w.size):
                out[j] -= self.normal[j] * (excess / squared)
            # The rounding of a far point is more than the slack: project what is left of it.
            excess = self.along(out) - self.offset
            if abs(excess) <= self.slack(out):
                break

    def prox_scaled(self, w, h, out):
        """The projection in the norm whose square is sum_j h_j x_j^2."""
        onto_half_space(self, w, h, out)

    def multiple(self, v):
        """The t for which t normal is closest to v."""
        return self.along(v) / self.along(self.normal)

    def conjugate(self, v):
        """t offset at v = t normal with t >= 0 (up to 1e-12 of the largest |v_j|), else infinite."""
        t = self.multiple(v)
        size = NOTHING
        off = 0.0
        for j in range(v.size):
            size = max(size, abs(v[j]))
            off = max(off, abs(v[j] - t * self.normal[j]))
        return t * self.offset if t >= 0.0 and off <= SLACK * size else math.inf

    def maximizer(self, v, out):
        """The point of the boundary closest to zero; for v = 0 that of the half-space."""
        inwards = self.offset < 0.0 or self.multiple(v) > 0.0
        t = self.offset / self.along(self.normal) if inwards else 0.0
        for j in range(v.size):
            out[j] = t * self.normal[j]

    def norm_bound(self):
        """Infinite."""
        return math.inf

    def diameter(self, d):
        """Infinite."""
        return math.inf

    def coordinate_width(self):
        """Infinite."""
        return math.inf
