"""Costs of a wrong labelling, added to its score: what margin rescaling maximises.

Tsochantaridis, Joachims, Hofmann and Altun (2005), Large margin methods for structured and interdependent output
variables.
"""

from __future__ import annotations

from empirisk.compiled import kernel
from empirisk.inference.best_other import best_other


@kernel(exact=True, borrows=True)
def add_costs(scores, gold, costs, factor):
    """scores[t, j] <- scores[t, j] + factor * costs[gold_t, j], where it stands.

    The best path of what is left is that of max_s C(gold, s) + score(s) with C(gold, s) = factor sum_t costs[gold_t,
    s_t]: with ones off the diagonal the Hamming cost, with the factor 1/T its mean. The diagonal of `costs` is 0.
    """
    for t in range(gold.size):
        for j in range(scores.shape[1]):
            scores[t, j] += factor * costs[gold[t], j]


@kernel(exact=True, borrows=True)
def best_with_sequence_cost(scores, transitions, gold, cost, forward, gold_forward, path):
    """max_s cost 1{s != gold} + score(s), and in `path` the labelling that reaches it: gold where it is one of them.

    The cost of a whole labelling is no sum over tokens; the best other one decides. `forward` and `gold_forward` are
    those of `best_other`.
    """
    other = cost + best_other(scores, transitions, gold, forward, gold_forward, path)
    own = gold_forward[gold.size - 1]
    if own < other:
        return other
    for t in range(gold.size):
        path[t] = gold[t]
    return own
