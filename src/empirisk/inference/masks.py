"""Labels that are known: every other label of their tokens is forbidden."""

from __future__ import annotations

import math

from empirisk.compiled import kernel


@kernel(exact=True, borrows=True)
def force_labels(scores, known):
    """scores[t, j] <- -inf where a label other than j is known, `known[t]` >= 0; -1 says nothing of a token."""
    for t in range(known.size):
        if known[t] >= 0:
            for j in range(scores.shape[1]):
                if j != known[t]:
                    scores[t, j] = -math.inf
