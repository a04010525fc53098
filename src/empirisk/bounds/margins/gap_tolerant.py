"""The number that gaps promise: h <= min(ceil(D^2 / M^2), d) + 1, which is no theorem about any predictor here.

Burges' gap-tolerant classifiers are a plane with a gap of full width M and a ball of diameter D; points in the gap or
outside of the ball are not judged, which counts as no error. At most h points can be labelled in all ways *with all
of them judged*. A bound on their errors would need that of the errors, and there is none below d + 1: let d + 1
points in general position lie closer together than M, all of the class +1. For every set of them there is a plane
whose gap ends between the set, which is judged -1 and wrong, and the rest, which is in the gap and counts as right,
in a ball of any diameter D > M. So with d >= N points, n of them drawn, a classifier of the class errs on none that
was drawn and on all others, whatever D / M is. What is true of margins is `margin_bound`. Reference: Burges (1998),
section 7; Alon, Hanneke, Holzman and Moran (2021), on classes of partial functions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from empirisk.bounds.shattering import vc_dimension
from empirisk.bounds.vc import vc_tail
from empirisk.parameters import check_share
from empirisk.separation.enclosing_ball import EnclosingBall
from empirisk.separation.widest_gap import WidestGap

LABEL = "heuristic, not certified"


class GapNumber(NamedTuple):
    """What `vc_tail` would say if h were the dimension of the errors."""

    value: float
    dimension: int  # h
    power: int  # j: the union is over D / M <= 2^j
    diameter: float
    width: float

    def sentence(self) -> str:
        """With its label."""
        return (
            f"A gap of width {self.width:.4g} in a ball of diameter {self.diameter:.4g}, h = {self.dimension}: "
            f"{100.0 * self.value:.3g} % ({LABEL})."
        )


def gap_number(gap: WidestGap, ball: EnclosingBall, n: int, delta: float = 0.05) -> GapNumber:
    """Of the widest gap and the smallest ball of n rows, none of which is wrong, at delta / (3 (1 + |j|)^2)."""
    diameter, width = 2.0 * ball.radius_high, 2.0 * gap.margin_low
    delta, ratio = check_share("delta", delta), diameter / width
    power = math.ceil(math.log2(ratio)) if 0.0 < ratio < math.inf else 0
    h = vc_dimension(columns=gap.n_columns, diameter=math.ldexp(width, power), gap=width)
    value = vc_tail(0, n, h, delta / (3.0 * (1 + abs(power)) ** 2))
    return GapNumber(value, h, power, diameter, width)
