"""How often labels start, follow each other, and come with attributes: all that a generative model is made of."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.chains.chain_data import ChainData
from empirisk.chains.passes import add_counts, tiles
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
    sums = np.zeros(layout.size)
    parts, transitions, first = layout.parts(sums), np.zeros((K, K)), np.zeros(K)
    for tile in tiles(sequences, K, 0, data.n_sequences):
        gold, starts = data.gold[tile.tokens], tile.sequences.starts
        shares = np.repeat(weights[tile.at], np.diff(starts))
        charges = np.zeros((gold.size, K))
        charges[np.arange(gold.size), gold] = shares
        add_counts(layout, tile.sequences, charges, parts)
        inner = np.ones(gold.size, np.bool_)
        inner[starts[:-1]] = False
        to = np.flatnonzero(inner)
        np.add.at(transitions, (gold[to - 1], gold[to]), shares[to])
        np.add.at(first, gold[starts[:-1]], weights[tile.at])
    labels = np.bincount(layout.state_labels, parts.states, minlength=K).astype(np.float64)
    tokens = float(transitions.sum() + first.sum())
    is_whole = not isinstance(attributes, CSR) and bool(np.all(weights == np.floor(weights)))
    terms = 0 if is_whole and labels.sum() < MOST_WHOLE else int(attributes.starts[-1]) + sequences.n_tokens
    a_token = float(labels.sum()) / tokens if tokens > 0.0 else math.nan
    return Counts(parts.states, labels, transitions, first, a_token, (8.0 + 2.0 * terms) * UNIT)
