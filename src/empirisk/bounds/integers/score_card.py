"""A plane with integer weights as points that a person can add up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from empirisk.bounds.integers.code import IntegerPlane
from empirisk.bounds.risk_bound import RiskBound


def score_card(
    plane: IntegerPlane, classes: Sequence[Any], bound: RiskBound, names: Sequence[str] | None = None
) -> str:
    """The points of each column, from how many on which class is predicted, and the guarantee.

    The unit is the largest of the powers of two, so that a column counts one by one or by so many at a time.
    """
    low, high = classes
    unit = max(plane.exponents.tolist(), default=0)
    lines = []
    order = sorted(range(plane.columns.size), key=lambda at: (-abs(int(plane.values[at])), int(plane.columns[at])))
    for at in order:
        j = int(plane.columns[at])
        each = math.ldexp(1.0, unit - int(plane.exponents[at]))
        lines.append((f"{int(plane.values[at]):+d}", f"{each:.17g} of {names[j] if names else f'column {j}'}"))
    least = math.ldexp(float(-plane.intercept), -unit)
    if not lines:
        said = f"Always predict {high if plane.intercept >= 0 else low}."
    else:
        said = f"Predict {high} from {least:.17g} points on, and {low} below."
    width = max((len(points) for points, _ in lines), default=0)
    table = [
        f"{'points':>{max(width, 6)}}  for each",
        *(f"{points:>{max(width, 6)}}  {what}" for points, what in lines),
    ]
    return "\n".join([*(table if lines else []), said, bound.sentence()])
