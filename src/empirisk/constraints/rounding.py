"""What rounding asks of the constraints: a slack for points on the boundary, and sums that do not drift."""

from __future__ import annotations

import math

from empirisk.compiled import kernel

SLACK = 1e-12  # a point outside by this much, relative to the size of the set, counts as inside


@kernel(exact=True)
def add(total, rest, term):
    """One step of Neumaier's sum, total + rest: a plain sum of a million terms can drift by more than SLACK."""
    new = total + term
    if math.isinf(new):
        return new, 0.0
    rest += (total - new) + term if abs(total) >= abs(term) else (term - new) + total
    return new, rest
