"""Transitions as factors: the exponentials of a matrix that many sequences share, taken once."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.protocols import Matrix

# A product of what a token adds and what a transition adds stays within doubles, from 1e-308 on, for labels that every
# label leads to; where transitions are forbidden a label can fall further behind, and half of the room is for that.
WIDEST, WIDEST_WHERE_FORBIDDEN = 600.0, 300.0


class TransitionFactors(NamedTuple):
    """factors = exp(logs - largest), and how far the scores of a token may lie apart for products of them."""

    logs: Matrix
    factors: Matrix
    largest: float
    room: float  # of a token's span; negative where sums are taken in log space whatever the scores are
    least: float  # a probability above zero and below this, on the way forward, sends a sequence to log space


def transition_factors(transitions: Matrix) -> TransitionFactors:
    """The factors of a matrix of transitions, -inf where they are forbidden."""
    allowed = transitions[transitions > -math.inf]
    if allowed.size == 0:
        return TransitionFactors(transitions, np.zeros_like(transitions), 0.0, WIDEST_WHERE_FORBIDDEN, 0.0)
    largest, span = float(allowed.max()), float(allowed.max() - allowed.min())
    is_full = allowed.size == transitions.size
    room = (WIDEST if is_full else WIDEST_WHERE_FORBIDDEN) - span
    least = 0.0 if is_full else math.exp(-WIDEST_WHERE_FORBIDDEN)
    return TransitionFactors(transitions, np.exp(transitions - largest), largest, room, least)
