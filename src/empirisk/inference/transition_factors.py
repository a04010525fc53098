"""Transitions as factors: the exponentials of a matrix that many sequences share, taken once."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.compiled import adopt
from empirisk.protocols import Matrix

# A product of what a token adds and what a transition adds stays within doubles, from 1e-308 on, for labels that every
# label leads to; where transitions are forbidden a label can fall further behind, and half of the room is for that.
WIDEST, WIDEST_WHERE_FORBIDDEN = 600.0, 300.0


class TransitionFactors(NamedTuple):
    """factors = exp(logs - shift), and how far the scores of a token may lie apart for products of them."""

    logs: Matrix
    factors: Matrix
    transposed: Matrix  # the factors [to, from]
    shift: float  # the largest of the logs
    room: float  # of a token's span; negative where sums are taken in log space whatever the scores are
    least: float  # a probability above zero and below this, on the way forward, sends a sequence to log space


def transition_factors(transitions: Matrix) -> TransitionFactors:
    """The factors of a matrix of transitions, -inf where they are forbidden."""
    allowed = transitions[transitions > -math.inf]
    largest, smallest = (float(allowed.max()), float(allowed.min())) if allowed.size else (0.0, 0.0)
    is_full = allowed.size == transitions.size
    room = (WIDEST if is_full else WIDEST_WHERE_FORBIDDEN) - (largest - smallest)
    least = 0.0 if is_full else math.exp(-WIDEST_WHERE_FORBIDDEN)
    factors = np.exp(transitions - largest)
    steps = TransitionFactors(transitions, factors, np.ascontiguousarray(factors.T), largest, room, least)
    adopt(steps)
    return steps
