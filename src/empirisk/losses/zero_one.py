"""The zero-one loss."""

from __future__ import annotations

from typing import NamedTuple


class ZeroOne(NamedTuple):
    """Errors: scale if y z <= 0, else 0. A point on the plane counts as an error: it is not separated.

    Not convex and without a useful derivative: for evaluation, not for minimising. (Prediction maps a score
    of zero to +1; this loss is strict all the same.)
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
