"""A loss with kinks, smoothed around a dual point, as a loss."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.solvers.smoothing.envelope import NEAR


class Smoothed(NamedTuple):
    """phi(z) = max over t of -loss*(-t, y) - z t - strength/2 (t - u)^2.

    The Moreau envelope of the loss, shifted by the dual variable u: smooth (1 / strength), its derivative is
    -t, and at the optimum of the original problem with u optimal it has the same minimiser, whatever the strength.
    Its "label" is the complex number y + i u: each row has a label and a centre of its own, and a tuple that held
    arrays would count references to them at every row.
    """

    loss: Any
    strength: float

    def maximizer_at(self, z, label):
        """The maximising t: the dual variable at score z."""
        return self.loss.dual_step(label.imag, z, label.real, self.strength)

    def value(self, z, label):
        """phi(z)."""
        t = self.maximizer_at(z, label)
        moved = t - label.imag
        return -self.loss.conjugate(-t, label.real) - z * t - 0.5 * self.strength * moved * moved

    def derivative(self, z, label):
        """-t."""
        return -self.maximizer_at(z, label)

    def second_derivative(self, z, label):
        """The slope of -t across z: 0 on a straight piece of the loss, at most 1 / strength."""
        step = NEAR * self.strength
        return max(0.0, self.maximizer_at(z - step, label) - self.maximizer_at(z + step, label)) / (2.0 * step)

    def smoothness(self):
        """1 / strength."""
        return 1.0 / self.strength
