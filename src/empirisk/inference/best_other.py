"""The best labelling that differs from a given one."""

from __future__ import annotations

import math

from empirisk.compiled import kernel
from empirisk.inference.viterbi import best_before, extend, first_largest

DIFFERS, EITHER, GOLD = range(3)  # what the labels before a place on the way back are: other ones, either, or gold's


@kernel(exact=True, borrows=True)
def best_other(scores, transitions, gold, forward, gold_forward, path):
    """max over s != gold of score(s), and in `path` (T,) the labelling that reaches it; -inf where there is none.

    `forward` (T, K) holds f_t(j), the best score of labels up to token t that end in j and are not all gold's,
    `gold_forward` (T,) the score g_t of gold's own, of which the last is `score_of` gold:

        f_t(j) = max(max_i f_(t - 1)(i) + transitions[i, j], g_(t - 1) + transitions[gold_(t - 1), j]) + scores[t, j],

    the second of them for j != gold_t alone. One number a token is added to the table of `best_path`, and it is right
    where scores are tied: gold is not recognised by its score. Ties go to the first label, from the last token back.
    Where the value is -inf, `path` says nothing.
    """
    last = gold.size - 1
    for j in range(transitions.shape[0]):
        forward[0, j] = scores[0, j]
    forward[0, gold[0]] = -math.inf
    gold_forward[0] = scores[0, gold[0]]
    for t in range(1, last + 1):
        before, here = gold[t - 1], gold[t]
        extend(forward, t, scores, transitions)
        for j in range(transitions.shape[0]):
            leaving = gold_forward[t - 1] + transitions[before, j] + scores[t, j]
            if leaving > forward[t, j] and j != here:
                forward[t, j] = leaving
        gold_forward[t] = gold_forward[t - 1] + transitions[before, here] + scores[t, here]
    label = first_largest(forward[last])
    value = forward[last, label]
    path[last] = label
    state = DIFFERS
    for t in range(last, 0, -1):
        before = gold[t - 1]
        may_be_gold = state != DIFFERS or label != gold[t]
        if state == GOLD:
            label = before
        else:
            label = _label_before(forward, gold_forward, t - 1, transitions, label, before, may_be_gold)
            state = DIFFERS
            if may_be_gold and label == before and gold_forward[t - 1] >= forward[t - 1, before]:
                state = GOLD if gold_forward[t - 1] > forward[t - 1, before] else EITHER
        path[t - 1] = label
    return value


@kernel(exact=True, borrows=True)
def _label_before(forward, gold_forward, t, transitions, label, gold_label, may_be_gold):
    """As `best_before`, where gold's own labels up to token t may be among those that are compared."""
    place = best_before(forward, t, transitions, label)
    if may_be_gold:
        through = forward[t, place] + transitions[place, label]
        leaving = gold_forward[t] + transitions[gold_label, label]
        if leaving > through or (leaving == through and gold_label < place):
            place = gold_label
    return place
