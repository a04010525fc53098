"""The negative entropy."""

from __future__ import annotations

from typing import NamedTuple

from empirisk.regularizers.strengths import strength as strength_of


class NegativeEntropy(NamedTuple):
    """The negative entropy on the simplex: strength sum_j w_j log(w_j d / radius), for d columns.

    That is strength sum_j w_j log w_j plus the constant that makes it zero at equal weights and positive elsewhere.
    Prox: the root in t of sum_j x_j(t) = radius, where step strength log x_j + x_j = w_j + t.
    Conjugate: strength radius log of the mean of exp(v_j / strength), reached at the weights
    radius exp(v_j / strength) / sum_k exp(v_k / strength).
    Use it with constraint=Simplex(radius), to pull shares towards equal ones; it takes no other constraint.
    Reference: Beck and Teboulle (2003).
    """

    strength: float = 1.0

    def checked(self) -> NegativeEntropy:
        """The same with a float, or a sentence that says what is wrong with it."""
        if not (found := strength_of("strength of a negative entropy", self.strength)) > 0.0:
            raise ValueError("strength of a negative entropy must be positive; without it, leave the regularizer out")
        return NegativeEntropy(found)

    def scaled(self, first: float, second: float) -> NegativeEntropy:
        """The same with its strength multiplied by `first`, as that of a norm."""
        return NegativeEntropy(self.strength * first)

    def summary(self) -> str:
        """Its strength."""
        return f"negative_entropy, strength {self.strength!r}"
