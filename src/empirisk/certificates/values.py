"""Primal and dual value of a problem at a point: what a duality gap is made of, for every problem that has a dual."""

from __future__ import annotations

import functools
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from empirisk.protocols import OptimalityCertificate, Point, Problem, Unsupported, Vector


class Values(NamedTuple):
    """What a certificate is made of."""

    primal: float
    dual: float  # a lower bound of P on |b| <= radius, ||w|| <= weights_radius, up to `rounding`
    rounding: float  # bounds the error of primal - dual
    radius: float
    weights_radius: float
    at_zero: float  # P(0, 0)
    stored_rows: NDArray[np.int64] = np.empty(0, np.int64)  # whose u was given and does not follow from the score
    stored_duals: Vector = np.empty(0)


class GapClaim(OptimalityCertificate, Protocol):
    """A certificate that claims such values."""

    @property
    def dual_value(self) -> float:
        """The lower bound."""

    @property
    def rounding(self) -> float:
        """Of the gap."""

    @property
    def radius(self) -> float:
        """Of the intercepts for which it is one."""

    @property
    def weights_radius(self) -> float:
        """Of the weights for which it is one."""


@functools.singledispatch
def evaluate(problem: Problem, point: Point) -> Values:
    """Primal and dual value at the point, with its dual variables where it has some; ValueError where it does not fit.

    A problem with a dual registers its own.
    """
    raise Unsupported(f"{type(problem).__name__} has no dual value: no duality gap is known for it")


def has_dual(problem: object) -> bool:
    """Whether problems of this type have registered their values."""
    return evaluate.dispatch(type(problem)) is not evaluate.dispatch(object)


@functools.singledispatch
def other_rounding(problem: Problem, point: Point) -> float:
    """The rounding of another way to compute these values, where the claim may have been made in that way; else 0."""
    return 0.0
