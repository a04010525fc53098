"""The best labelling of a chain, and the score of a given one."""

from __future__ import annotations

import math

from empirisk.compiled import kernel


@kernel(exact=True, borrows=True)
def score_of(scores, transitions, path):
    """score(s), summed from the first token on: `best_path` adds the same numbers in the same order."""
    total = scores[0, path[0]]
    for t in range(1, path.size):
        total = total + transitions[path[t - 1], path[t]] + scores[t, path[t]]
    return total


@kernel(exact=True, borrows=True)
def extend(forward, t, scores, transitions):
    """forward[t, j] <- max_i (forward[t - 1, i] + transitions[i, j]) + scores[t, j].

    The inner loop is over the labels that are reached, which lie side by side; with four labels before them at once the
    row is read and written a quarter as often.
    """
    n_labels = transitions.shape[0]
    fours = n_labels - n_labels % 4
    for j in range(n_labels):
        forward[t, j] = -math.inf
    for i in range(0, fours, 4):
        a, b, c, d = forward[t - 1, i], forward[t - 1, i + 1], forward[t - 1, i + 2], forward[t - 1, i + 3]
        for j in range(n_labels):
            low = max(a + transitions[i, j], b + transitions[i + 1, j])
            high = max(c + transitions[i + 2, j], d + transitions[i + 3, j])
            forward[t, j] = max(max(low, high), forward[t, j])
    for i in range(fours, n_labels):
        a = forward[t - 1, i]
        for j in range(n_labels):
            forward[t, j] = max(a + transitions[i, j], forward[t, j])
    for j in range(n_labels):
        forward[t, j] += scores[t, j]


@kernel(exact=True, borrows=True)
def first_largest(values):
    """The first place of the largest value; 0 where all are -inf."""
    place = 0
    best = -math.inf
    for j in range(values.size):
        if values[j] > best:
            best = values[j]
            place = j
    return place


@kernel(exact=True, borrows=True)
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


@kernel(exact=True, borrows=True)
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
