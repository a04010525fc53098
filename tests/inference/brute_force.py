"""All labelings of a short chain, one by one: the slow oracle of inference."""

from __future__ import annotations

import itertools
import math

import numpy as np
from hypothesis import strategies as st


def labelings(n_tokens, n_labels):
    """All of them; the first label of the last token comes first, then that of the token before, and so on."""
    return [path[::-1] for path in itertools.product(range(n_labels), repeat=n_tokens)]


def score(scores, transitions, path):
    total = scores[0, path[0]]
    for t in range(1, len(path)):
        total = total + transitions[path[t - 1], path[t]] + scores[t, path[t]]
    return float(total)


def best(scores, transitions, among=lambda path: True):
    """The largest score and the first labelling that has it."""
    value, first = -math.inf, None
    for path in filter(among, labelings(*scores.shape)):
        if score(scores, transitions, path) > value:
            value, first = score(scores, transitions, path), path
    return value, first


def probabilities(scores, transitions):
    """log Z and the labelings with their probabilities."""
    paths = labelings(*scores.shape)
    values = np.array([score(scores, transitions, path) for path in paths])
    high = values.max()
    if high == -math.inf:
        return high, []
    shares = np.exp(values - high)
    return high + math.log(shares.sum()), list(zip(paths, shares / shares.sum(), strict=True))


def marginals(scores, transitions):
    """log Z, those of labels and those of pairs."""
    log_z, shares = probabilities(scores, transitions)
    n_tokens, n_labels = scores.shape
    labels, pairs = np.zeros((n_tokens, n_labels)), np.zeros((n_tokens - 1, n_labels, n_labels))
    for path, share in shares:
        for t in range(n_tokens):
            labels[t, path[t]] += share
            if t > 0:
                pairs[t - 1, path[t - 1], path[t]] += share
    return log_z, labels, pairs


@st.composite
def chains(draw, numbers=None, forbidden=True):
    """Scores and transitions of a short chain; integers with many ties unless said otherwise."""
    n_tokens, n_labels = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    if n_tokens * n_labels > 16:
        n_tokens = 4
    numbers = st.integers(-2, 2).map(float) if numbers is None else numbers
    numbers = st.one_of(numbers, numbers, numbers, st.just(-math.inf)) if forbidden and draw(st.booleans()) else numbers
    count = (n_tokens + n_labels) * n_labels
    values = np.array(draw(st.lists(numbers, min_size=count, max_size=count)))
    return values[: n_tokens * n_labels].reshape(n_tokens, n_labels), values[n_tokens * n_labels :].reshape(
        n_labels, n_labels
    )
