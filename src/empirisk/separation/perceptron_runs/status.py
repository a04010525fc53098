"""How a run of the perceptron ended, in a sentence about the plane that it answers with."""

from __future__ import annotations

import enum


class PerceptronStatus(enum.StrEnum):
    """Why the run stopped, in a sentence."""

    SEPARATED = "separated: every training point is on its side of the plane"
    VOTED = "separated: every training point is on its side of the last plane, one of those that vote"
    SEPARATED_BEFORE_MEAN = "the last plane has every training point on its side, the mean of the planes has not"
    PRECISE = "precision reached: the norm of the gradient is at most epsilon"
    PASS_LIMIT = "stopped at the pass limit, some points still on the wrong side"
    TIME_LIMIT = "stopped at the time limit, some points still on the wrong side"
    REPEATED = "stopped: the run came back to weights that it had before, and would go round for ever"
    CALLBACK = "stopped by the callback, some points still on the wrong side"
    INTERRUPTED = "interrupted, some points still on the wrong side"
    OVERFLOW = "stopped: numbers overflowed; scale the columns of the data"

    @property
    def is_separated(self) -> bool:
        """Whether the plane of the answer has every training point on its side."""
        return self in (PerceptronStatus.SEPARATED, PerceptronStatus.VOTED)
