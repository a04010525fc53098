"""How steep a convex loss can be: its derivative grows with the score, so that the ends of an interval tell."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.capabilities import is_convex, tasks_of


def slope_bound(loss: Any, low: float = -math.inf, high: float = math.inf) -> float:
    """The largest |loss'(z, y)| for scores z from low to high and any label; infinite where there is no bound.

    Labels of losses that regress can be anything, and the interval says nothing: theirs is the bound over all scores.
    """
    if not is_convex(loss):
        return math.inf
    labels = (-1.0, 1.0) if "regression" not in tasks_of(loss) else (0.0,)
    ends = (low, high) if len(labels) > 1 else (-math.inf, math.inf)
    with np.errstate(all="ignore"):
        try:
            found = [abs(float(loss.derivative(z, y))) for z in ends for y in labels]
        except (OverflowError, ZeroDivisionError):
            return math.inf
    return max(x if not math.isnan(x) else math.inf for x in found)
