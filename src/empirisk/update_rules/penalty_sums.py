"""The sum of Omega over the points of a run, in two parts as a compensated sum is."""

from __future__ import annotations

from empirisk.arithmetic import add_compensated
from empirisk.compiled import kernel


@kernel
def charge(parts, penalty):
    """Add one more."""
    parts[0], parts[1] = add_compensated(parts[0], parts[1], penalty)
