"""The k best labelings of a chain."""

from __future__ import annotations

import math

from empirisk.compiled import kernel


@kernel(exact=True, borrows=True)
def k_best(scores, transitions, values, paths, forward, before, heads):
    """How many labelings were found: at most k = values.size, all that are allowed where there are fewer.

    `values` (k,) are their scores, in descending order, and `paths` (k, T) the labelings, no two of them the same;
    among those that are tied the ones with the first label come first, from the last token back, as in `best_path`. The
    best ways to each label are those to the labels before it, merged: `forward` (T, K, k) holds their scores, `before`
    (T, K, k) of integers the label and the rank that each came from, `heads` (K,) of integers how many of each list are
    taken. Time O(T K^2 k), memory O(T K k). Seshadri and Sundberg (1994), List Viterbi decoding algorithms with
    applications, the parallel algorithm.
    """
    n_tokens, n_labels = scores.shape
    k = values.size
    for j in range(n_labels):
        forward[0, j, 0] = scores[0, j]
        for r in range(1, k):
            forward[0, j, r] = -math.inf
    for t in range(1, n_tokens):
        for j in range(n_labels):
            for i in range(n_labels):
                heads[i] = 0
            for r in range(k):
                best, place = -math.inf, -1
                for i in range(n_labels):
                    way = forward[t - 1, i, heads[i]] + transitions[i, j] if heads[i] < k else -math.inf
                    if way > best:
                        best, place = way, i
                forward[t, j, r] = best + scores[t, j]
                if place >= 0:
                    before[t, j, r] = place * k + heads[place]
                    heads[place] += 1
    last = n_tokens - 1
    for j in range(n_labels):
        heads[j] = 0
    for r in range(k):
        best, label = -math.inf, -1
        for j in range(n_labels):
            if heads[j] < k and forward[last, j, heads[j]] > best:
                best, label = forward[last, j, heads[j]], j
        if label < 0:
            return r
        values[r] = best
        rank = heads[label]
        heads[label] += 1
        for t in range(last, -1, -1):
            paths[r, t] = label
            if t > 0:
                origin = before[t, label, rank]
                label, rank = origin // k, origin % k
    return k
