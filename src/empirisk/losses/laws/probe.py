"""Calling the methods of a loss that may be wrong, and the sentences that say so."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import offers

EPS = float(np.finfo(float).eps)
ARGUMENTS = {
    "value": ("z", "y"),
    "derivative": ("z", "y"),
    "second_derivative": ("z", "y"),
    "conjugate": ("u", "y"),
    "dual_step": ("u", "z", "y", "q"),
    "prox": ("z", "y", "step"),
    "smoothness": (),
    "lower_bound": (),
}


class Probe(NamedTuple):
    """A loss at one label, with the scores to try."""

    loss: Any
    label: float
    scores: list[float]  # ascending
    unit: float  # the largest |value| at scores of order one: what rounding is measured by

    def value(self, z: float) -> float:
        """The loss."""
        return call(self.loss, "value", z, self.label)

    def derivative(self, z: float) -> float:
        """Its derivative."""
        return call(self.loss, "derivative", z, self.label)

    def pairs(self) -> Iterator[tuple[float, float]]:
        """Pairs of scores, near and far."""
        for apart in (1, 2, 5, 13, 34):
            yield from zip(self.scores, self.scores[apart:], strict=False)

    def refusal(self, sentence: str) -> ValueError:
        """The error that says what is wrong."""
        if self.label not in (-1.0, 1.0) and not offers(self.loss, "tasks"):
            sentence += "; if its labels are -1 and +1 only, say so with tasks()"
        return refusal(self.loss, sentence)


def probe(loss: Any, label: float) -> Probe:
    """Scores on a grid of tenths near 0, halves further out, and around the label."""
    near = [k / 10 for k in range(-35, 36)] + [k / 2 for k in range(-60, 61)]
    around = [label + sign * k for sign in (-1, 1) for k in (0.0, 0.1, 0.25, 0.5, 1.0, 1.35, 2.0)]
    scores = sorted({*near, *around, *(-x for x in around)})
    unit = max((abs(call(loss, "value", z, label)) for z in scores if abs(z) <= 3.0), default=0.0)
    return Probe(loss, label, scores, unit)


def call(loss: Any, method: str, *arguments: float) -> float:
    """The number that a method returns; infinite where math.exp and the like overflow, as in machine code."""
    try:
        result = getattr(loss, method)(*arguments)
    except OverflowError:
        return math.inf
    except Exception as error:
        said = f"{type(error).__name__} ({error})" if str(error) else type(error).__name__
        raise refusal(loss, f"{method} raises {said}{place(method, *arguments)}") from error
    if not isinstance(result, numbers.Real):
        raise refusal(loss, f"{method} returns {result!r}, which is not a number,{place(method, *arguments)}")
    return float(result)


def place(method: str, *arguments: float) -> str:
    """Where a method was called: ' at z = 0.5, y = -1'."""
    named = [f"{name} = {value:.10g}" for name, value in zip(ARGUMENTS[method], arguments, strict=True)]
    return f" at {', '.join(named)}" if named else ""


def refusal(loss: object, sentence: str) -> ValueError:
    """The error that says what is wrong with a loss."""
    return ValueError(f"loss {type(loss).__name__}: {sentence}")
