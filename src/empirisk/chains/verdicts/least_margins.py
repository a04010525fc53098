"""The margin of every sequence, checked: a recursion of its own, from the last token to the first, values only.

What trains has another one (`perceptron_runs/decoding.py`): a mistake there does not certify itself.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import norm_bounds, rounded_down
from empirisk.chains.chain_data import ChainData
from empirisk.chains.perceptron_runs.kernels import LARGEST_WHOLE, score_sequence
from empirisk.chains.perceptron_runs.sizes import chains_of, kept, sizes_of
from empirisk.compiled import kernel, quiet
from empirisk.protocols import Vector

MOST_FRACTIONS = 2_000_000  # products of exact arithmetic: some seconds


class LeastMargins(NamedTuple):
    """Of the sequences at some weights."""

    lower: Vector  # of each sequence: proven, and exact where nothing was rounded
    least: float

    @property
    def are_right(self) -> bool:
        """Whether all of them are proven to be positive."""
        return self.least > 0.0


def least_margins(data: ChainData, u: Vector) -> LeastMargins:
    """score(s_j) - max over s != s_j of score(s), from below: exact in integers, else less what rounding can do.

    Where that is below 1, margins that rounding leaves open are computed again in fractions.
    """
    sizes = sizes_of(data)
    chains, K = chains_of(data, sizes), data.n_labels
    longest = data.sequences.longest
    margins, norm = np.zeros(data.n_sequences), norm_bounds(u, 4.0)[1]
    transitions = data.layout.parts(u).transitions + data.masks.between
    scores, ahead = np.zeros((longest, K)), np.zeros((2, K))
    with quiet():
        _margins(data.sequences.attributes, chains, kept(u), transitions, scores, ahead, margins)
    is_exact = (sizes.features * norm < LARGEST_WHOLE) & bool(sizes.is_whole and np.all(u == np.floor(u)))
    lower = np.where(is_exact, margins, margins - sizes.reach * norm * 1.01)
    left = MOST_FRACTIONS
    lengths = np.diff(data.sequences.starts)
    for j in np.flatnonzero(~is_exact & (lower < 1.0) & (margins + sizes.reach * norm > 0.0)).tolist():
        left -= int(lengths[j]) * K * K
        if left >= 0:
            lower[j] = rounded_down(exact_margin(data, u, j)) if K > 1 else math.inf
    return LeastMargins(lower, float(lower.min()))


def exact_margin(data: ChainData, u: Vector, j: int) -> Fraction:
    """The margin of a sequence by fractions."""
    begin, end = (int(t) for t in data.sequences.starts[j : j + 2])
    weights, K = data.layout.parts(u), data.n_labels
    scores = [exact_scores(data, u, t) for t in range(begin, end)]
    for row, ends, mask in ((scores[0], weights.first, data.masks.first), (scores[-1], weights.last, data.masks.last)):
        for k in range(K):
            row[k] = _plus(row[k], Fraction(float(ends[k])) if mask[k] > -math.inf else None)
    steps = [
        [Fraction(float(weights.transitions[i, k])) if data.masks.between[i, k] > -math.inf else None for k in range(K)]
        for i in range(K)
    ]
    gold = data.gold[begin:end].tolist()
    reached, own, least = scores[-1], scores[-1][gold[-1]], None
    for t in range(len(gold) - 1, -1, -1):
        if t < len(gold) - 1:
            best = [_largest(_plus(steps[i][k], reached[k]) for k in range(K)) for i in range(K)]
            own = _plus(_plus(own, steps[gold[t]][gold[t + 1]]), scores[t][gold[t]])
            reached = [_plus(a, b) for a, b in zip(scores[t], best, strict=True)]
        before = steps[gold[t - 1]] if t else [Fraction(0)] * K
        rival = _largest(_plus(before[i], reached[i]) for i in range(K) if i != gold[t])
        mine = _plus(before[gold[t]], own)
        if rival is not None:
            if mine is None:
                raise ValueError(f"the labels of sequence {j} are not allowed")
            least = mine - rival if least is None else min(least, mine - rival)
    if least is None:
        raise ValueError(f"sequence {j} has no other labelling")
    return least


def exact_scores(data: ChainData, u: Vector, t: int) -> list[Any]:
    """Of each label at a token, without start and end."""
    layout, X = data.layout, data.sequences.attributes
    weights = layout.parts(u)
    row = [Fraction(0)] * layout.n_labels
    for m in range(int(X.row_size(t))):
        a, x = int(X.column_at(t, m)), Fraction(float(X.entry_at(t, m)))
        for k in range(int(layout.state_starts[a]), int(layout.state_starts[a + 1])):
            row[int(layout.state_labels[k])] += x * Fraction(float(u[k]))
    for c in range(layout.n_dense):
        x = Fraction(float(data.sequences.dense[t, c]))
        row = [score + x * Fraction(float(w)) for score, w in zip(row, weights.dense[c], strict=True)]
    return row


def _plus(a: Fraction | None, b: Fraction | None) -> Fraction | None:
    """None stands for what is not allowed."""
    return None if a is None or b is None else a + b


def _largest(values: Any) -> Fraction | None:
    return max((value for value in values if value is not None), default=None)


@kernel(exact=True, borrows=True)
def _margins(X, data, u, transitions, scores, ahead, margins):
    """To margins[j]; `ahead` (2, K) holds the best score of the labels from a token on, of this one and the next."""
    K = transitions.shape[0]
    for j in range(margins.size):
        begin, end = data.starts[j], data.starts[j + 1]
        last = end - begin - 1
        score_sequence(X, data, u, begin, scores[: last + 1])
        margins[j] = np.inf
        own = 0.0
        for t in range(last, -1, -1):
            here = data.gold[begin + t]
            now, later = ahead[t & 1], ahead[1 - (t & 1)]
            for i in range(K):
                best = 0.0
                if t < last:
                    best = -np.inf
                    for k in range(K):
                        best = max(best, transitions[i, k] + later[k])
                now[i] = scores[t, i] + best
            own = scores[t, here] + (own + transitions[here, data.gold[begin + t + 1]] if t < last else 0.0)
            mine = own + (transitions[data.gold[begin + t - 1], here] if t > 0 else 0.0)
            for i in range(K):
                if i != here:
                    rival = now[i] + (transitions[data.gold[begin + t - 1], i] if t > 0 else 0.0)
                    if rival > -np.inf:
                        margins[j] = min(margins[j], mine - rival)
