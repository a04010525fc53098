"""The zero-one loss."""

from __future__ import annotations

from typing import NamedTuple


class ZeroOne(NamedTuple):
    """The count of errors: scale if y z <= 0, else 0, y = -1 or +1.

    A point on the plane counts as an error: it is not separated. (Prediction maps a score of zero to +1; this loss is
    strict all the same.)
    Conjugate: none of use, it is not convex.
    Smoothness: none, it jumps and has no derivative that helps.
    Use it to evaluate: it cannot be fitted.
    Reference: Vapnik (1995).
    """

    scale: float = 1.0

    def tasks(self):
        """What it can be fitted for."""
        return ("classification",)

    def is_convex(self):
        """No."""
        return False

    def value(self, z, y):
        """scale * [y z <= 0]."""
        return self.scale if y * z <= 0.0 else 0.0
