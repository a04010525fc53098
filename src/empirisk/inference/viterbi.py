"""The best labelling of a chain, and the score of a given one."""

from __future__ import annotations

import math

from empirisk.compiled import kernel


@kernel(exact=True)
def score_of(scores, transitions, path):
    """score(s), summed from the first token on: `best_path` adds the same numbers in the same order."""
    total = scores[0, path[0]]
    for t in range(1, path.size):
        total = total + transitions[path[t - 1], path[t]] + scores[t, path[t]]
    return total


@kernel(exact=True)
def extend(forward, t, scores, transitions):
    """forward[t, j] <- max_i (forward[t - 1, i] + transitions[i, j]) + scores[t, j].

    The inner loop is over the labels that are reached, which lie side by side.
    """
    n_labels = transitions.shape[0]
    for j in range(n_labels):
        forward[t, j] = -math.inf
    for i in range(n_labels):
        before = forward[t - 1, i]
        for j in range(n_labels):
            through = before + transitions[i, j]
            best = forward[t, j]
            forward[t, j] = through if through > best else best
    for j in range(n_labels):
        forward[t, j] += scores[t, j]


@kernel(exact=True)
def first_largest(values):
    """The first place of the largest value; 0 where all are -inf."""
    place = 0
    best = -math.inf
    for j in range(values.size):
        if values[j] > best:
            best = values[j]
            place = j
    return place


@kernel(exact=True)
def best_before(forward, t, transitions, label):
    """The first i with the largest forward[t, i] + transitions[i, label]; 0 where all are -inf."""
    place = 0
    best = -math.inf
    for i in range(transitions.shape[0]):
        through = forward[t, i] + transitions[i, label]
        if through > best:
            best = through
            place = i
    return place


@kernel(exact=True)
def best_path(scores, transitions, forward, path):
    """max_s score(s), and in `path` (T,) the labelling that reaches it; -inf where none is allowed.

    f_t(j) = max_i (f_(t - 1)(i) + transitions[i, j]) + scores[t, j] is kept in `forward` (T, K), and the path is found
    again on the way back: the label before j is the first one that reaches the maximum. So ties go to the first label,
    from the last token back, and no table of pointers is kept. Rounding is monotone: the value is the largest
    `score_of` to the last bit. Viterbi (1967); Forney (1973).
    """
    for j in range(transitions.shape[0]):
        forward[0, j] = scores[0, j]
    for t in range(1, scores.shape[0]):
        extend(forward, t, scores, transitions)
    last = scores.shape[0] - 1
    label = first_largest(forward[last])
    value = forward[last, label]
    path[last] = label
    for t in range(last, 0, -1):
        label = best_before(forward, t - 1, transitions, label)
        path[t - 1] = label
    return value
