"""How much a loss bends for its slope, which is what Newton's steps online live on."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.capabilities import is_convex, offers, optional, tasks_of

POINTS, EVERY = 257, 16  # scores that are looked at, the ends included; one in so many is a label of regression


def exp_concavity(loss: Any, low: float, high: float) -> float:
    """The largest alpha for which exp(-alpha loss) is concave: the least loss'' / loss'^2, scores z from low to high.

    Labels are -1 and +1; those of losses that regress are any in the same interval. Where both derivatives are zero the
    loss is constant, and asks for nothing. It is 0 where a piece is straight, and where there is no second derivative;
    infinite where the loss is constant. The quotient of every loss of `LOSSES` is least at an end of the interval or
    where a straight piece begins; between the ends it is looked at on a grid.
    Reference: Hazan, Agarwal and Kale (2007).
    """
    if not is_convex(loss) or not offers(loss, "second_derivative"):
        return 0.0
    least = math.inf
    accepts = optional(loss, "accepts")
    scores = [low, *np.linspace(low, high, POINTS)[1:-1].tolist(), high] if math.isfinite(high - low) else [low, high]
    labels = [*scores[::EVERY], high, min(max(0.0, low), high)] if "regression" in tasks_of(loss) else [-1.0, 1.0]
    with np.errstate(all="ignore"):
        for y in (y for y in labels if accepts is None or accepts(y)):
            for z in scores:
                least = min(least, _quotient(loss, z, y))
    return least


def _quotient(loss: Any, z: float, y: float) -> float:
    try:
        slope, bend = float(loss.derivative(z, y)), float(loss.second_derivative(z, y))
        found = bend / slope / slope if slope != 0.0 else math.inf
    except (OverflowError, ZeroDivisionError):
        return 0.0
    return 0.0 if math.isnan(found) else max(found, 0.0)
