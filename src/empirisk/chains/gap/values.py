"""Primal and dual value of a problem on chains: each loss registers its own."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from empirisk.chains.labelings import Labelings


class ChainValues(NamedTuple):
    """What the certificate is made of."""

    primal: float
    dual: float  # a lower bound of P, up to `rounding`
    rounding: float  # bounds the error of primal - dual
    at_zero: float  # about P(0), from above
    labelings: Labelings | None = None  # the dual point, where it is stored

    @property
    def scale(self) -> float:
        """What tolerances are relative to."""
        return max(abs(self.primal), 1e-6 * self.at_zero)


@functools.singledispatch
def values_of(loss: Any, problem: Any, point: Any) -> ChainValues:
    """The values at a point, with its labelings where it has some; ValueError where it does not fit."""
    raise TypeError(f"{type(loss).__name__} has no dual value on chains")
