"""Means of the points of a slow method, and with the same weights of the derivatives at them.

Each pass brings the mean of its points and the derivatives u_i seen at its rows. The mean of u is a dual point, because
domains of conjugates are convex; it belongs to the mean of the points, which the regret bound is about. At kinks it
proves what no derivative at one point can.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.protocols import Vector

AVERAGES = ("uniform", "suffix", "weighted", "none")


class Mean(NamedTuple):
    """A weighted mean of tuples of vectors, entry by entry."""

    weight: float  # so far
    parts: tuple[Vector, ...]

    def after(self, weight: float, parts: tuple[Vector, ...]) -> Mean:
        """With these, too."""
        total = self.weight + weight
        share = weight / total
        return Mean(total, tuple(_between(old, new, share) for old, new in zip(self.parts, parts, strict=True)))


class Average(NamedTuple):
    """The mean over passes k = 1, ..., K that `kind` asks for.

    "uniform" is the mean of all, which has the 1/sqrt(K) rate of convex problems; "weighted" gives pass k the weight
    k (k + 1) (k + 2), "suffix" none to the first half, and both have the 1/K rate of strongly convex ones, with
    steps 1 / (m k). As K is not known before, the suffix begins after pass 2^p, the last power of two up to K / 2:
    it is the last half to three quarters. "none" keeps the last pass.
    References: Rakhlin, Shamir and Sridharan (2012) for the suffix; Shamir and Zhang (2013) for the weights.
    """

    kind: str
    passes: int
    mean: Mean
    younger: Mean  # the suffix after the latest power of two, which takes over at the next one

    def after(self, *parts: Vector) -> Average:
        """With one more pass."""
        k = self.passes + 1
        if self.kind == "none":
            return self._replace(passes=k, mean=Mean(1.0, parts))
        if self.kind == "suffix":
            younger = self.younger.after(1.0, parts)
            if k & (k - 1) == 0:  # a power of two: the younger mean began after k / 2
                return Average(self.kind, k, younger, Mean(0.0, parts))
            return self._replace(passes=k, mean=self.mean.after(1.0, parts), younger=younger)
        weight = float(k * (k + 1) * (k + 2)) if self.kind == "weighted" else 1.0
        return self._replace(passes=k, mean=self.mean.after(weight, parts))

    @property
    def is_empty(self) -> bool:
        """Whether there was no pass yet."""
        return self.passes == 0


def begin_average(kind: str, *parts: Vector) -> Average:
    """No pass yet; `parts` is what stands in for the mean until then."""
    if kind not in AVERAGES:
        raise ValueError(f"average must be one of {', '.join(AVERAGES)}, got {kind!r}")
    return Average(kind, 0, Mean(0.0, parts), Mean(0.0, parts))


def _between(old: Vector, new: Vector, share: float) -> Vector:
    """old + share (new - old), kept between its ends: a mean must not leave the domain of a conjugate by rounding."""
    if share == 1.0:
        return new
    moved = old + share * (new - old)
    return np.minimum(np.maximum(moved, np.minimum(old, new)), np.maximum(old, new))
