"""The point of a problem on chains."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.protocols import Vector


class ChainPoint(NamedTuple):
    """The weights u in one vector, and the evidence that a method has for the margin: its kept labelings."""

    weights: Vector
    evidence: Any = None

    def arrays(self) -> tuple[NDArray[np.float64], ...]:
        """The weights."""
        return (self.weights,)

    def copy(self) -> ChainPoint:
        """In an array of its own; labelings are never written to, and go with it."""
        return ChainPoint(self.weights.copy(), self.evidence)
