"""How often labels start, follow each other, and come with attributes: all that a generative model is made of."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.chains.chain_data import ChainData
from empirisk.compiled import kernel
from empirisk.designs import CSR
from empirisk.protocols import Matrix, Vector

MOST_WHOLE = 2.0**53  # up to here sums of whole numbers are exact


class Counts(NamedTuple):
    """Sums over the sequences, each with its weight."""

    states: Vector  # of each pair of attribute and label that has a weight
    labels: Vector  # (K,): of all attributes of the tokens of a label
    transitions: Matrix  # (K, K), [from, to]
    first: Vector  # (K,)
    a_token: float  # attributes of a token, in the mean
    accuracy: float  # relative: what the sums are off by at most, and a few roundings more


def counts_of(data: ChainData) -> Counts:
    """In one pass. An attribute with a value counts so often; dense features are nothing that could be counted."""
    layout, sequences, K = data.layout, data.sequences, data.n_labels
    attributes = sequences.attributes
    if isinstance(attributes, CSR) and bool(np.any(attributes.values < 0.0)):
        raise ValueError("attributes with negative values cannot be counted, which a generative model asks for")
    weights = data.weights if data.weights.size else np.ones(data.n_sequences)
    shares, gold, starts = np.repeat(weights, np.diff(sequences.starts)), data.gold, sequences.starts
    states = np.zeros(layout.state_labels.size)
    stranger = _count(attributes, layout.state_starts, layout.state_labels, gold, shares, K, states)
    if stranger >= 0:
        raise ValueError(f"token {stranger} has an attribute that has no weight with its label")
    inner = np.ones(gold.size, np.bool_)
    inner[starts[:-1]] = False
    to = np.flatnonzero(inner)
    pairs = gold[to - 1].astype(np.int64) * K + gold[to]
    transitions = np.bincount(pairs, shares[to], minlength=K * K).reshape(K, K).astype(np.float64)
    first = np.bincount(gold[starts[:-1]], weights, minlength=K).astype(np.float64)
    labels = np.bincount(layout.state_labels, states, minlength=K).astype(np.float64)
    tokens = float(transitions.sum() + first.sum())
    is_whole = not isinstance(attributes, CSR) and bool(np.all(weights == np.floor(weights)))
    terms = 0 if is_whole and labels.sum() < MOST_WHOLE else int(attributes.starts[-1]) + sequences.n_tokens
    a_token = float(labels.sum()) / tokens if tokens > 0.0 else math.nan
    return Counts(states, labels, transitions, first, a_token, (8.0 + 2.0 * terms) * UNIT)


@kernel(borrows=True)
def _count(X, starts, labels, gold, shares, n_labels, counts):
    """-1, or the first token with a pair that has no weight."""
    for t in range(X.n_rows()):
        label = gold[t]
        for k in range(X.row_size(t)):
            a = X.column_at(t, k)
            m, end = starts[a], starts[a + 1]
            if end - m == n_labels:
                m += label
            else:
                while m < end and labels[m] != label:
                    m += 1
                if m == end:
                    return t
            counts[m] += shares[t] * X.entry_at(t, k)
    return -1
