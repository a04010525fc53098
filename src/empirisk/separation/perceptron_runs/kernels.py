"""The compiled loops of the perceptron: one row at a time, and all wrong rows at once.

Whether a point is right is decided beyond rounding (`sure_sides`): a run is the same on every machine, and when it
stops every point is right without a doubt.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.compiled import kernel
from empirisk.separation.perceptron_runs.mistake_trace import note_step
from empirisk.separation.perceptron_runs.sure_sides import count_errors, is_surely_right, squared_norm
from empirisk.update_rules.perceptron import INTERCEPT, PerceptronRule

# Places in `counts`.
VISITS, MISTAKES, SQUARES, STEPS, LAST_WRONG, CHECKED, BEST_RUN, BEST_ERRORS, SAVED_AT = range(9)
N_COUNTS = 9
# Places in `numbers` behind the intercept: <w*, (w, b)> so far, its part of `behind`, and what was read ahead.
INNER, BEHIND, SEEN = range(INTERCEPT + 1, 4)
N_NUMBERS = 4
# How a stretch of the run ended.
GOES_ON, ALL_RIGHT, REPEATED, OVERFLOWED, PRECISE, STOPPED = range(6)

FEWEST_UPDATES = 4096  # before ||w||^2 is taken afresh
GOLDEN, MIX_A, MIX_B = (np.uint64(k) for k in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
SHIFT_30, SHIFT_27, SHIFT_31, SHIFT_32 = (np.uint64(k) for k in (30, 27, 31, 32))


class Rules(NamedTuple):
    """What does not change during a run."""

    has_intercept: bool
    is_shuffled: bool
    reads_ahead: bool  # shuffled, and the rows are not in the cache: the next one is fetched while this one is summed
    is_pocket: bool
    is_averaged: bool
    is_voted: bool
    check_share: float  # of the visits, at most, for counting the errors of planes
    step: float  # 1; 1 / n for batch; alpha / n for gradient descent
    epsilon: float  # gradient descent stops where the norm of the gradient is at most this
    largest_square: float  # of the ||z_i||
    reach: float  # tau = reach * ||(w, b)|| + least
    least: float


class Buffers(NamedTuple):
    """What a run writes to; arrays that it does not need are empty."""

    w: Any
    numbers: Any
    counts: Any
    order: Any  # rows in the order of the pass
    generator: Any  # one word
    step_sum: Any  # of the wrong points of a batch step
    behind: Any  # of the averaged form: the mean of the weights is w - behind / visits
    wrong: Any  # how often each row was wrong
    best: Any  # weights and intercept with the fewest errors seen
    saved: Any  # weights and intercept of an earlier pass, to notice a run in circles
    saved_wrong: Any  # how often each row had been wrong then
    log_rows: Any  # of the voted form: the row of each mistake
    log_visits: Any  # and the number of its visit


class Watched(NamedTuple):
    """What the trace compares a run with; `margins` is empty where none is kept."""

    plane: Any  # w*
    intercept: float
    margins: Any  # <w*, z_i>
    radius: float
    norm: float  # ||w*||
    start_inner: float  # <w*, w_0>
    start_square: float  # ||w_0||^2
    lines: Any  # k x 6: the noted steps
    worst: Any  # the least slack of each inequality, and the number of lines


@kernel(borrows=True)
def run_online(X, y, rules, out, watched, passes, visit_limit, budget):
    """Up to `passes` passes of w <- w + z_i at each wrong point; ends also after `visit_limit` visits."""
    n = y.size
    w, numbers, counts = out.w, out.numbers, out.counts
    rule = PerceptronRule(rules.has_intercept, w, numbers)
    square = squared_norm(w, numbers[INTERCEPT])
    largest = square
    fresh_after = max(FEWEST_UPDATES, w.size)
    updates = 0
    tau = rules.reach * np.sqrt(largest) + rules.least
    for _ in range(passes):
        base = counts[VISITS]
        if base >= visit_limit or base + counts[CHECKED] >= budget:
            return GOES_ON
        if rules.is_shuffled:
            shuffle(out.order, out.generator)
        last = min(n, visit_limit - base)
        # In a fixed order n right points in a row are all of them, wherever the pass stands.
        end = last if rules.is_shuffled else min(last, counts[LAST_WRONG] + n - base)
        k = 0
        while k < end:
            i = out.order[k] if rules.is_shuffled else k
            k += 1
            if rules.reads_ahead and k < end:
                numbers[SEEN] += begin_row(X, out.order[k])
            m = y[i] * rule.score(X, i)
            if m > tau:
                continue
            if m >= -tau and is_surely_right(X, i, y[i], w, numbers[INTERCEPT]):
                continue
            visit = base + k
            run = visit - 1 - counts[LAST_WRONG]
            # A plane that was right for long is likely to be good (Gallant 1990).
            if run > counts[BEST_RUN] and (rules.is_pocket or counts[CHECKED] + n <= rules.check_share * visit):
                keep_if_best(X, y, tau, out)
                counts[BEST_RUN] = run
            if rules.is_voted:
                out.log_rows[counts[MISTAKES]] = i
                out.log_visits[counts[MISTAKES]] = visit
            counts[LAST_WRONG] = visit
            counts[MISTAKES] += 1
            out.wrong[i] += 1
            end = last
            rule.learn(X, i, -y[i])
            if watched.margins.size:
                square += 2.0 * m + X.squared_row_norm(i) + (1.0 if rules.has_intercept else 0.0)
            else:  # an upper bound is enough for tau
                square += 2.0 * m + rules.largest_square
            if rules.is_averaged:
                add_row_exactly(X, i, y[i] * (visit - 1), out.behind)
                numbers[BEHIND] += y[i] * (visit - 1)
            updates += 1
            if updates == fresh_after:
                square = squared_norm(w, numbers[INTERCEPT])
                largest = square
                updates = 0
            largest = max(largest, square)
            tau = rules.reach * np.sqrt(largest) + rules.least
            if watched.margins.size:
                numbers[INNER] += watched.margins[i]
                b, mistakes = numbers[INTERCEPT], counts[MISTAKES]
                note_step(watched, w, b, 1.0, mistakes, mistakes, visit, numbers[INNER], square)
            if not square < np.inf:
                return OVERFLOWED
        counts[VISITS] = base + k
        counts[STEPS] = counts[MISTAKES]
        counts[SQUARES] = counts[MISTAKES]
        done = counts[VISITS] - counts[LAST_WRONG]
        if done >= n if not rules.is_shuffled else (counts[LAST_WRONG] <= base and k == n):
            return ALL_RIGHT
        if counts[CHECKED] + n <= rules.check_share * counts[VISITS]:
            keep_if_best(X, y, tau, out)
        if not rules.is_shuffled and k == n and comes_back(numbers[INTERCEPT], counts[VISITS] // n, out):
            return REPEATED
    return GOES_ON


@kernel
def begin_row(X, i):
    """Read the first entry of a row, so that it is on its way (measured: a fifth of the time of rows out of memory)."""
    return X.entry_at(i, 0) + np.float64(X.column_at(i, 0)) if X.row_size(i) > 0 else 0.0


@kernel
def run_batch(X, y, rules, out, watched, passes, visit_limit, budget):
    """Up to `passes` steps of w <- w + step * (sum of the wrong z_i), each a visit of every row."""
    n = y.size
    w, numbers, counts, g = out.w, out.numbers, out.counts, out.step_sum
    for _ in range(passes):
        if counts[VISITS] >= visit_limit or counts[VISITS] >= budget:
            return GOES_ON
        b = numbers[INTERCEPT]
        square = squared_norm(w, b)
        if not square < np.inf:
            return OVERFLOWED
        tau = rules.reach * np.sqrt(square) + rules.least
        for j in range(g.size):
            g[j] = 0.0
        pull = 0.0
        wrong = 0
        inner = 0.0
        for i in range(n):
            m = y[i] * (X.dot_row(i, w) + b)
            if m > tau:
                continue
            if m >= -tau and is_surely_right(X, i, y[i], w, b):
                continue
            wrong += 1
            out.wrong[i] += 1
            X.add_row(i, y[i], g)
            pull += y[i]
            if watched.margins.size:
                inner += watched.margins[i]
        counts[VISITS] += n
        if wrong < counts[BEST_ERRORS]:
            counts[BEST_ERRORS] = wrong
            copy_plane(w, b, out.best)
        if wrong == 0:
            return ALL_RIGHT
        if not rules.has_intercept:
            pull = 0.0
        if rules.epsilon > 0.0 and np.sqrt(squared_norm(g, pull)) <= rules.epsilon * n:
            return PRECISE
        numbers[INTERCEPT] = add_scaled(rules.step, g, pull, w, b)
        counts[MISTAKES] += wrong
        counts[SQUARES] += wrong * wrong
        counts[STEPS] += 1
        if watched.margins.size:
            numbers[INNER] += rules.step * inner
            note_step(
                watched, w, numbers[INTERCEPT], rules.step, counts[MISTAKES], counts[SQUARES], counts[VISITS],
                numbers[INNER], squared_norm(w, numbers[INTERCEPT]),
            )  # fmt: skip
        if comes_back(numbers[INTERCEPT], counts[STEPS], out):
            return REPEATED
    return GOES_ON


@kernel
def keep_if_best(X, y, tau, out):
    """Count the errors of the plane, and keep it where they are fewer than ever."""
    counts = out.counts
    errors, looked_at = count_errors(X, y, out.w, out.numbers[INTERCEPT], tau, counts[BEST_ERRORS])
    counts[CHECKED] += looked_at
    if errors < counts[BEST_ERRORS]:
        counts[BEST_ERRORS] = errors
        copy_plane(out.w, out.numbers[INTERCEPT], out.best)


@kernel(exact=True)
def add_row_exactly(X, i, a, out):
    """out <- out + a x_i, rounded alike on every machine: a product and a sum are not fused."""
    X.add_row(i, a, out)


@kernel(exact=True)
def add_scaled(step, g, pull, w, b):
    """w <- w + step g in one order of rounding on every machine; the new intercept."""
    for j in range(w.size):
        w[j] += step * g[j]
    return b + step * pull


@kernel
def comes_back(b, k, out):
    """Whether (w, b) is what was saved; saved anew at the k-th pass for k = 1, 2, 4, 8 ... (Brent 1980)."""
    w, saved, counts = out.w, out.saved, out.counts
    is_same = counts[SAVED_AT] > 0 and saved[w.size] == b
    j = 0
    while is_same and j < w.size:
        is_same = saved[j] == w[j]
        j += 1
    if is_same:
        return True
    if k >= 2 * counts[SAVED_AT]:
        counts[SAVED_AT] = k
        copy_plane(w, b, saved)
        for i in range(out.wrong.size):
            out.saved_wrong[i] = out.wrong[i]
    return False


@kernel
def copy_plane(w, b, out):
    """Weights, and the intercept last (a loop: to compile an assignment of slices takes seconds)."""
    for j in range(w.size):
        out[j] = w[j]
    out[w.size] = b


@kernel
def shuffle(order, generator):
    """A random order (Fisher-Yates) by the words of a counter, well mixed (splitmix64: Steele, Lea, Flood 2014)."""
    state = generator[0]
    for k in range(order.size - 1, 0, -1):
        state += GOLDEN
        word = (state ^ (state >> SHIFT_30)) * MIX_A
        word = (word ^ (word >> SHIFT_27)) * MIX_B
        word ^= word >> SHIFT_31
        other = np.int64(((word >> SHIFT_32) * np.uint64(k + 1)) >> SHIFT_32)
        kept = order[k]
        order[k] = order[other]
        order[other] = kept
    generator[0] = state
