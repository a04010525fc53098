"""The compiled pass of the structured perceptron.

Every operation is rounded alike on every machine. With integer attributes and an integer start all numbers are integers
below 2^52, and nothing is rounded at all; else a sequence counts as right only where its margin is beyond what rounding
can have done to it, so that when a run stops every sequence is right without a doubt.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.chains.perceptron_runs.decoding import margin_and_rival
from empirisk.compiled import kernel
from empirisk.separation.perceptron_runs.kernels import shuffle

# Places in `counts`.
VISITS, MISTAKES, LAST_WRONG, WRONG = range(4)  # the last: mistakes of the pass
N_COUNTS = 4
# Places in `numbers`: ||u||^2, the largest that it was in this pass, and the largest ||d||^2 of an update made.
SQUARE, LARGEST, SEEN = range(3)
N_NUMBERS = 3
GOES_ON, ALL_RIGHT, OVERFLOWED, STOPPED = range(4)  # how a stretch of the run ended
LARGEST_WHOLE = 2.0**52
ONE = np.uint64(1)


class Chains(NamedTuple):
    """The data, and what does not change during a run."""

    starts: Any  # of the sequences
    gold: Any
    dense: Any
    state_starts: Any
    state_labels: Any
    is_free: Any
    between: Any  # masks
    first: Any
    last: Any
    has_ends: bool
    sizes: Any  # of each sequence: bounds the norm of phi of any labelling, twice
    reach: Any  # of each sequence: its margin is off by at most reach ||u||
    is_whole: bool  # whether attributes and the start are integers
    is_shuffled: bool
    is_averaged: bool


class Buffers(NamedTuple):
    """What a run writes to; arrays that it does not need are empty."""

    u: Any
    behind: Any  # of the averaged form: the mean of the weights is u - behind / visits
    change: Any  # of an update: as long as u, zero between updates
    places: Any  # where it is not
    numbers: Any
    counts: Any
    order: Any  # of the sequences in a pass
    generator: Any  # one word
    transitions: Any  # of u, with the masks
    scores: Any  # (the longest T, K), as the two below
    forward: Any
    path: Any


@kernel(exact=True, borrows=True)
def run_passes(X, data, out, passes, visit_limit):
    """Up to `passes` passes of u <- u + phi(x_j, s_j) - phi(x_j, s) at each sequence with a rival s, or better."""
    n = data.starts.size - 1
    counts, numbers = out.counts, out.numbers
    for _ in range(passes):
        base = counts[VISITS]
        if base >= visit_limit:
            return GOES_ON
        if data.is_shuffled:
            shuffle(out.order, out.generator)
        numbers[SQUARE] = numbers[LARGEST] = squared_norm(out.u)
        mask_transitions(data, out, out.u)
        counts[WRONG] = 0
        # In a fixed order n right sequences in a row are all of them, wherever the pass stands.
        end = n if data.is_shuffled else min(n, counts[LAST_WRONG] + n - base)
        k = 0
        while k < end:
            j = out.order[k] if data.is_shuffled else k
            k += 1
            margin = decode(X, data, out, out.u, j)
            if margin > tolerance(data, numbers[LARGEST], j, data.is_whole):
                continue
            visit = base + k
            counts[LAST_WRONG] = visit
            counts[MISTAKES] += 1
            counts[WRONG] += 1
            end = n
            n_places = note_change(X, data, out, j)
            apply_change(out, n_places, visit - 1, data.is_averaged)
            mask_transitions(data, out, out.u)
            if not numbers[SQUARE] < np.inf:
                counts[VISITS] = visit
                return OVERFLOWED
        counts[VISITS] = base + k
        if counts[VISITS] - counts[LAST_WRONG] >= n if not data.is_shuffled else counts[LAST_WRONG] <= base:
            return ALL_RIGHT
    return GOES_ON


@kernel(exact=True, borrows=True)
def count_wrong(X, data, out, u):
    """How many sequences are not right at u, beyond rounding; overwrites what a run keeps for one sequence."""
    square = squared_norm(u)
    mask_transitions(data, out, u)
    wrong = 0
    for j in range(data.starts.size - 1):
        if not decode(X, data, out, u, j) > tolerance(data, square, j, False):
            wrong += 1
    return wrong


@kernel(exact=True, borrows=True, inlined=True)
def tolerance(data, square, j, is_whole):
    """What rounding can have done to the margin of sequence j."""
    norm = np.sqrt(square) * 1.001
    return 0.0 if is_whole and norm * data.sizes[j] < LARGEST_WHOLE else data.reach[j] * norm


@kernel(exact=True, borrows=True, inlined=True)
def decode(X, data, out, u, j):
    """The margin of sequence j at u, whose transitions are in `out`; its rival is then in out.path."""
    begin, end = data.starts[j], data.starts[j + 1]
    length = end - begin
    scores = out.scores[:length]
    score_sequence(X, data, u, begin, scores)
    return margin_and_rival(scores, out.transitions, data.gold[begin:end], out.forward[:length], out.path[:length])


@kernel(exact=True, borrows=True)
def score_sequence(X, data, u, begin, scores):
    """scores[t, k] of the tokens from `begin` on, start and end included."""
    length, K = scores.shape
    starts, labels = data.state_starts, data.state_labels
    n_states, n_dense = labels.size, data.dense.shape[1]
    ends = n_states + (n_dense + K) * K
    for t in range(length):
        row = scores[t]
        for k in range(K):
            row[k] = 0.0
        for m in range(np.uint64(X.starts[begin + t]), np.uint64(X.starts[begin + t + 1])):
            a = np.uint64(X.indices[m])  # places that are known not to be negative: a third of the time
            x = X.stored_value(m)
            first, last = np.uint64(starts[a]), np.uint64(starts[a + ONE])
            if last - first == K:
                weights = u[first:last]
                for k in range(K):
                    row[k] += x * weights[k]
            else:
                for place in range(first, last):
                    row[np.uint32(labels[place])] += x * u[place]
        for c in range(n_dense):
            x = data.dense[begin + t, c]
            for k in range(K):
                row[k] += x * u[n_states + c * K + k]
    for k in range(K):
        scores[0, k] += data.first[k]
        scores[length - 1, k] += data.last[k]
        if data.has_ends:
            scores[0, k] += u[ends + k]
            scores[length - 1, k] += u[ends + K + k]


@kernel(exact=True, borrows=True)
def note_change(X, data, out, j):
    """phi(x_j, s_j) - phi(x_j, s), s in out.path, is added up in out.change; how many places of it are noted."""
    begin, end = data.starts[j], data.starts[j + 1]
    length, K = end - begin, out.scores.shape[1]
    gold, path = data.gold[begin:end], out.path
    n_states, n_dense = data.state_labels.size, data.dense.shape[1]
    pairs = n_states + n_dense * K
    ends = pairs + K * K
    n_places = 0
    for t in range(length):
        if gold[t] != path[t]:
            for sign in (1.0, -1.0):
                label = gold[t] if sign > 0.0 else path[t]
                for m in range(X.row_size(begin + t)):
                    a = X.column_at(begin + t, m)
                    place = place_of(data, a, label)
                    if place >= 0:
                        n_places = note(out, n_places, place, sign * X.entry_at(begin + t, m))
                for c in range(n_dense):
                    n_places = note(out, n_places, n_states + c * K + label, sign * data.dense[begin + t, c])
        if t > 0 and (gold[t] != path[t] or gold[t - 1] != path[t - 1]):
            if data.is_free[gold[t - 1], gold[t]]:
                n_places = note(out, n_places, pairs + gold[t - 1] * K + gold[t], 1.0)
            if data.is_free[path[t - 1], path[t]]:
                n_places = note(out, n_places, pairs + path[t - 1] * K + path[t], -1.0)
    if data.has_ends:
        if gold[0] != path[0]:
            n_places = note(out, n_places, ends + gold[0], 1.0)
            n_places = note(out, n_places, ends + path[0], -1.0)
        if gold[length - 1] != path[length - 1]:
            n_places = note(out, n_places, ends + K + gold[length - 1], 1.0)
            n_places = note(out, n_places, ends + K + path[length - 1], -1.0)
    return n_places


@kernel(exact=True, borrows=True)
def place_of(data, a, label):
    """Where the weight of an attribute with a label stands; -1 where there is none."""
    first, last = data.state_starts[a], data.state_starts[a + 1]
    while first < last:  # labels are sorted
        middle = (first + last) >> 1
        if data.state_labels[middle] < label:
            first = middle + 1
        else:
            last = middle
    return first if first < data.state_starts[a + 1] and data.state_labels[first] == label else -1


@kernel(exact=True, borrows=True)
def note(out, n_places, place, x):
    """One entry of the change."""
    out.change[place] += x
    out.places[n_places] = place
    return n_places + 1


@kernel(exact=True, borrows=True, inlined=True)
def apply_change(out, n_places, before, is_averaged):
    """u <- u + change, after so many visits `before` this one; the change is zero again."""
    u, change, numbers = out.u, out.change, out.numbers
    norm, grown = 0.0, 0.0
    for k in range(n_places):
        place = out.places[k]
        x = change[place]
        if x != 0.0:
            change[place] = 0.0
            norm += x * x
            grown += (2.0 * u[place] + x) * x
            u[place] += x
            if is_averaged:
                out.behind[place] += before * x
    numbers[SQUARE] += grown
    numbers[LARGEST] = max(numbers[LARGEST], numbers[SQUARE])
    numbers[SEEN] = max(numbers[SEEN], norm)


@kernel(exact=True, borrows=True)
def mask_transitions(data, out, u):
    """The transitions of u where they are allowed, -inf elsewhere."""
    K = out.scores.shape[1]
    at = data.state_labels.size + data.dense.shape[1] * K
    for i in range(K):
        for j in range(K):
            out.transitions[i, j] = u[at + i * K + j] + data.between[i, j]


@kernel(exact=True, borrows=True)
def squared_norm(u):
    """||u||^2."""
    total = 0.0
    for k in range(u.size):
        total += u[k] * u[k]
    return total
