"""The strongest rival of a labelling, from one table of Viterbi.

A labelling s != gold that is best among those that have their last difference at token p scores, beside gold's own
suffix, max_(i != gold_p) f_p(i) + transitions[i, gold_(p + 1)], where f is the table of `inference.best_path`. So one
such table is enough for the best other labelling, in O(T K) more; gold need not be recognised by its score, and ties
are no trap.
"""

from __future__ import annotations

import math

from empirisk.compiled import kernel
from empirisk.inference.viterbi import best_before, extend


@kernel(exact=True)
def margin_and_rival(scores, transitions, gold, forward, path):
    """score(gold) - max over s != gold of score(s), and in `path` a labelling that reaches it; inf where there is none.

    `forward` (T, K) is overwritten. Both scores are summed up to where the labelings join for ever, and no further.
    Ties: the later join, then the first label; before the join, from the last token back, the first label.
    """
    n_tokens, n_labels = gold.size, transitions.shape[0]
    for i in range(n_labels):
        forward[0, i] = scores[0, i]
    own = scores[0, gold[0]]
    margin, place, rival = math.inf, -1, 0
    for t in range(n_tokens):
        here = gold[t]
        if t > 0:
            extend(forward, t, scores, transitions)
            own = own + transitions[gold[t - 1], here] + scores[t, here]
        is_last = t == n_tokens - 1
        after = 0 if is_last else gold[t + 1]
        ahead = 0.0 if is_last else transitions[here, after]
        best, label = -math.inf, 0
        for i in range(n_labels):
            if i != here:
                reached = forward[t, i] + (0.0 if is_last else transitions[i, after])
                if reached > best:
                    best = reached
                    label = i
        if best > -math.inf and own + ahead - best <= margin:
            margin = own + ahead - best
            place, rival = t, label
    if place >= 0:
        for t in range(n_tokens - 1, place, -1):
            path[t] = gold[t]
        path[place] = rival
        for t in range(place, 0, -1):
            rival = best_before(forward, t - 1, transitions, rival)
            path[t - 1] = rival
    return margin
