"""What a certificate may believe of a loss near zero, and the unit in which its scores are told.

`value` and `conjugate` are accurate to some units in the last place, and where numbers underflow or exponentials
vanish, to `floor` times 1 + |z| + |y|. A loss whose scores have the unit of its labels multiplies and adds: what it can
lose is a few of the smallest numbers. The others have scores of their own, of which one is the unit, and exponentials
may be zero where they are less than 1e-300: with P(0, 0) about the scale of the loss that is nothing.
"""

from __future__ import annotations

from typing import Any

from empirisk.arithmetic import SMALLEST
from empirisk.capabilities import has_label_units
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.units import label_size

VANISHED = 1e-290  # more than what exponentials and logarithms lose where they count as zero


def floor_of(loss: Any) -> float:
    """How far a value or a conjugate may be off at 1 + |z| + |y| = 1 besides its last places."""
    scale = float(getattr(loss, "scale", 1.0))
    return 8.0 * SMALLEST * max(1.0, scale) if has_label_units(loss) else VANISHED * scale + 8.0 * SMALLEST


def is_exact_at_zero(loss: Any) -> bool:
    """Whether value and slope can both come out as zero only where they are: the scale makes no number smaller."""
    return has_label_units(loss) and float(getattr(loss, "scale", 0.0)) >= 1.0


def score_unit(problem: EmpiricalRisk) -> float:
    """The size of the labels, where scores have their unit, else one; one where there is nothing to compare with."""
    size = label_size(problem) if has_label_units(problem.loss) else 1.0
    return size if size > 0.0 else 1.0
