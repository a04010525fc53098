"""How a tree of boxes is written down: a byte for each node, a node before its halves, the lower half first.

A byte below GIVEN_UP is the coordinate that is halved; the others are leaves. The roots are the faces of the cube.
"""

from __future__ import annotations

BY_COUNT, BY_SETS, GIVEN_UP = 255, 254, 253  # lost points are enough; with what is known of sets; neither
HALVINGS = 48  # of one coordinate, at most: centers stay exact in floating point


def faces(k: int) -> list[tuple[int, float]]:
    """Coordinate and side of the faces, in the order in which they are stacked: the last comes first in the tree."""
    return [(j, side) for j in range(k) for side in (-1.0, 1.0)]
