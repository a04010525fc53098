"""How a run of the structured perceptron ended, in a sentence about its answer."""

from __future__ import annotations

import enum


class SequencePerceptronStatus(enum.StrEnum):
    """Why the run stopped, in a sentence. A sequence is right when its labelling scores above every other."""

    RIGHT = "realised: every training sequence is right"
    RIGHT_BEFORE_MEAN = "the last weights have every training sequence right, the mean of the weights has not"
    PASS_LIMIT = "stopped at the pass limit, some sequences still wrong"
    TIME_LIMIT = "stopped at the time limit, some sequences still wrong"
    CALLBACK = "stopped by the callback, some sequences still wrong"
    INTERRUPTED = "interrupted, some sequences still wrong"
    OVERFLOW = "stopped: numbers overflowed; scale the attributes of the data"

    @property
    def is_right(self) -> bool:
        """Whether the answer has every training sequence right."""
        return self is SequencePerceptronStatus.RIGHT
