"""Visits of sequences by block Frank-Wolfe: a step of weight between two of the labelings that are kept of one.

With u = v(alpha) / l2 and H(s) = C(s_j, s) + <phi(x_j, s) - phi(x_j, s_j), u>, weight g that goes from labelling b to a
of sequence j, with share p, changes u by -(p g / l2) (phi(a) - phi(b)) and D by

    p g (H(a) - H(b)) - p^2 g^2 ||phi(a) - phi(b)||^2 / (2 l2),

which is greatest at g = l2 (H(a) - H(b)) / (p ||phi(a) - phi(b)||^2), or where b has no weight left. Lacoste-Julien and
Jaggi (2015) for pairwise steps, Osokin and others (2016) for blocks.
"""

from __future__ import annotations

import math

from empirisk.chains.kept.directions import add_labelling, gather, move, squared_norm
from empirisk.chains.kept.pool import GOLD, kept_number
from empirisk.chains.kept.reading import read_steps, read_token, reading_work, step_score
from empirisk.chains.margin import worst_labelling
from empirisk.compiled import kernel

GAIN, WORK, STEPS = range(3)  # places of the sums of a workspace
PAIR_WORK = 0.25  # of a pair of labels in decoding, which runs on vectors
MOVE_WORK = 3.0  # of a weight in a step: it is gathered, squared and moved
SETTLED = 1e-3  # of what a visit began with: what is left then is not worth a step


@kernel(borrows=True)
def decode_visits(A, u, order, at, rounds, pool, gaps, work):
    """Decode the sequences of `order` from place `at`, and step; the place where the pool has no room left."""
    n_labels = work.steps.shape[0]
    for o in range(at, order.size):
        j = order[o]
        begin, end = A.starts[j], A.starts[j + 1]
        n = end - begin
        if A.shares[j] == 0.0:
            continue
        if pool.numbers[0] == pool.weights.size or pool.numbers[1] + n > pool.positions.size:
            return o
        cost = n * PAIR_WORK * n_labels * n_labels
        read_steps(A, u, work.steps)
        for t in range(n):
            read_token(A, u, j, t, work.scores)
            cost += reading_work(A, j, t, n_labels)
        gold, path = A.gold[begin:end], work.path[:n]
        worst_labelling(work.scores[:n], work.steps, gold, A.is_whole, path, work.forward, work.gold_forward)
        kept_number(pool, j, gold, path)
        work.sums[WORK] += cost
        gaps[j] = settle(A, u, j, rounds, pool, work)
    return order.size


@kernel(borrows=True)
def kept_visits(A, u, order, pool, work):
    """A step on the labelings that are kept of the sequences of `order`, without decoding."""
    for o in range(order.size):
        j = order[o]
        if pool.head[j] == GOLD or A.shares[j] == 0.0:
            continue
        read_changed(A, u, j, pool, work)
        settle(A, u, j, 1, pool, work)


@kernel(borrows=True)
def read_changed(A, u, j, pool, work):
    """Read the tokens at which a labelling of the sequence differs from the true one."""
    n_labels, n = work.steps.shape[0], 0
    k = pool.head[j]
    while k != GOLD:
        for c in range(pool.begin[k], pool.begin[k] + pool.size[k]):
            t = pool.positions[c]
            if not work.is_marked[t]:
                work.is_marked[t] = True
                work.tokens[n] = t
                n += 1
                read_token(A, u, j, t, work.scores)
                work.sums[WORK] += reading_work(A, j, t, n_labels)
        k = pool.follow[k]
    for c in range(n):
        work.is_marked[work.tokens[c]] = False


@kernel(borrows=True)
def height(A, u, j, k, pool, work):
    """H of labelling k, from the scores at hand."""
    begin, end = pool.begin[k], pool.begin[k] + pool.size[k]
    at, length = A.starts[j], A.starts[j + 1] - A.starts[j]
    scores = work.scores
    total = 1.0 if A.is_whole else 0.0
    for c in range(begin, end):
        t, label = pool.positions[c], pool.labels[c]
        true = A.gold[at + t]
        total += scores[t, label] - scores[t, true]
        if t > 0:
            true_before = A.gold[at + t - 1]
            before = pool.labels[c - 1] if c > begin and pool.positions[c - 1] == t - 1 else true_before
            total += step_score(A, u, before, label) - step_score(A, u, true_before, true)
        if t + 1 < length and not (c + 1 < end and pool.positions[c + 1] == t + 1):
            behind = A.gold[at + t + 1]
            total += step_score(A, u, label, behind) - step_score(A, u, true, behind)
    return total


@kernel(borrows=True)
def settle(A, u, j, rounds, pool, work):
    """Up to so many pairwise steps on the labelings of the sequence; the gap of its block before them."""
    share, first_gap = A.shares[j], 0.0
    for r in range(max(1, rounds)):
        if r > 0:
            read_changed(A, u, j, pool, work)
        best, worst = GOLD, GOLD
        high, low = 0.0, 0.0 if pool.gold_weights[j] > 0.0 else math.inf
        mean = 0.0
        k = pool.head[j]
        while k != GOLD:
            value = height(A, u, j, k, pool, work)
            if value > high:
                high, best = value, k
            if pool.weights[k] > 0.0:
                mean += pool.weights[k] * value
                if value < low:
                    low, worst = value, k
            k = pool.follow[k]
        if r == 0:
            first_gap = high - mean
        if rounds == 0 or not (high > low and high - mean > SETTLED * first_gap):
            break
        if best != GOLD:
            add_labelling(A, pool, work, j, best, 1.0)
        if worst != GOLD:
            add_labelling(A, pool, work, j, worst, -1.0)
        n = gather(A, work, j)
        square = squared_norm(work, n)
        most = pool.gold_weights[j] if worst == GOLD else pool.weights[worst]
        weight = most
        if share * square * most > A.l2 * (high - low):
            weight = A.l2 * (high - low) / (share * square)
        move(work, u, -weight * share / A.l2, n)
        if worst == GOLD:
            pool.gold_weights[j] -= weight
        else:
            pool.weights[worst] -= weight
        if best == GOLD:
            pool.gold_weights[j] += weight
        else:
            pool.weights[best] += weight
        work.sums[GAIN] += share * weight * (high - low - 0.5 * weight * share * square / A.l2)
        work.sums[WORK] += MOVE_WORK * n
        work.sums[STEPS] += 1.0
    return max(0.0, first_gap)
