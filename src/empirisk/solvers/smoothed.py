"""A loss with kinks, smoothed around a dual point."""

from __future__ import annotations

from typing import Any, NamedTuple


class Smoothed(NamedTuple):
    """phi_i(z) = max over t of -loss*(-t, y_i) - z t - strength/2 (t - u_i)^2.

    The Moreau envelope of the loss, shifted by the dual variable u_i: smooth (1 / strength), its derivative is
    -t, and at the optimum of the original problem with u optimal it has the same minimiser, whatever the strength.
    Its "label" is the number of the row, since each row has a label and a centre of its own.
    """

    loss: Any
    targets: Any
    centers: Any  # u
    strength: float

    def maximizer_at(self, z, row):
        """The maximising t: the dual variable at score z."""
        i = int(row)
        return self.loss.dual_step(self.centers[i], z, self.targets[i], self.strength)

    def value(self, z, row):
        """phi_i(z)."""
        i = int(row)
        t = self.maximizer_at(z, row)
        moved = t - self.centers[i]
        return -self.loss.conjugate(-t, self.targets[i]) - z * t - 0.5 * self.strength * moved * moved

    def derivative(self, z, row):
        """-t."""
        return -self.maximizer_at(z, row)

    def second_derivative(self, z, row):
        """-dt/dz by a central difference: exact for piecewise linear losses, away from the ends of a piece."""
        step = 1e-6 * self.strength
        return max(0.0, self.maximizer_at(z - step, row) - self.maximizer_at(z + step, row)) / (2.0 * step)

    def smoothness(self):
        """1 / strength."""
        return 1.0 / self.strength
