"""The losses of sequences under a margin, as the certificate has them: from the last token to the first, values alone.

It shares nothing with the decoding of the trainers, whose mistakes it would find.
"""

from __future__ import annotations

import math

from empirisk.compiled import kernel


@kernel(exact=True)
def largest_margins(starts, gold, scores, steps, matrix, is_whole, scales, losses):
    """max_s [C(s_j, s) + score(s) - score(s_j)] of each sequence."""
    behind, reached = scores[0].copy(), scores[0].copy()
    for j in range(starts.size - 1):
        begin, end = starts[j], starts[j + 1]
        if is_whole:
            losses[j] = _largest_whole(scores[begin:end], steps, gold[begin:end], behind, reached)
        else:
            losses[j] = _largest(scores[begin:end], steps, gold[begin:end], matrix, scales[j], behind, reached)


@kernel(exact=True)
def _largest(scores, steps, gold, matrix, scale, behind, reached):
    """b_t(i) = scores[t, i] + C(gold_t, i) + max_k [steps[i, k] + b_(t + 1)(k)], and max_i b_0(i) - score(gold)."""
    last = gold.size - 1
    true = 0.0
    for t in range(last, -1, -1):
        here = gold[t]
        for i in range(behind.size):
            best = 0.0 if t == last else _best_step(steps, i, behind)
            reached[i] = scores[t, i] + scale * matrix[here, i] + best
        true = scores[t, here] + (0.0 if t == last else steps[here, gold[t + 1]] + true)
        behind[:] = reached
    return _greatest(behind) - true


@kernel(exact=True)
def _largest_whole(scores, steps, gold, behind, reached):
    """b_t(i) is about labels from token t on that are not all gold's; its own labels behind t count after another i."""
    last = gold.size - 1
    true = 0.0
    for t in range(last, -1, -1):
        here = gold[t]
        for i in range(behind.size):
            best = -math.inf
            if t < last:
                best = _best_step(steps, i, behind)
                if i != here:
                    best = max(best, steps[i, gold[t + 1]] + true)
            elif i != here:
                best = 0.0
            reached[i] = scores[t, i] + best
        true = scores[t, here] + (0.0 if t == last else steps[here, gold[t + 1]] + true)
        behind[:] = reached
    return max(0.0, 1.0 + (_greatest(behind) - true))


@kernel(exact=True)
def _best_step(steps, i, behind):
    best = -math.inf
    for k in range(behind.size):
        best = max(best, steps[i, k] + behind[k])
    return best


@kernel(exact=True)
def _greatest(values):
    best = -math.inf
    for k in range(values.size):
        best = max(best, values[k])
    return best
