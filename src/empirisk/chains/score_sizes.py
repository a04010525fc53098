"""How large the terms are that scores are summed from: what their rounding is told by."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.chains.passes import Passes
from empirisk.chains.score_kernels import add_state_sizes
from empirisk.protocols import Vector


class ScoreSizes(NamedTuple):
    """Of a vector of weights on some sequences."""

    tokens: Vector  # of each token: the sum of the sizes of the terms of a score of it, at most
    roundings: Vector  # of each token: how many terms
    norms: Vector  # of the features of each token
    feature_norms: Vector  # of each sequence: bounds the norm of phi of any labelling, twice


def score_sizes(passes: Passes, u: Vector) -> ScoreSizes:
    """In one pass."""
    data = passes.data
    layout, sequences = data.layout, data.sequences
    weights, attributes = layout.parts(u), sequences.attributes
    tokens, squares = np.zeros(sequences.n_tokens), np.zeros(sequences.n_tokens)

    def add(first: int, last: int) -> None:
        part = sequences.between(first, last)
        at = slice(int(sequences.starts[first]), int(sequences.starts[last]))
        add_state_sizes(part.attributes, layout.state_starts, weights.states, tokens[at], squares[at])
        if layout.n_dense:
            tokens[at] += np.abs(part.dense) @ np.max(np.abs(weights.dense), axis=1)
            squares[at] += np.einsum("ij,ij->i", part.dense, part.dense)

    passes.each(add)
    starts = sequences.starts
    tokens[starts[:-1]] += np.max(np.abs(weights.first))
    tokens[starts[1:] - 1] += np.max(np.abs(weights.last))
    counts = np.diff(attributes.starts).astype(np.float64) + layout.n_dense
    norms = np.sqrt(squares)
    lengths = data.lengths()
    return ScoreSizes(tokens, counts, norms, 2.02 * (np.add.reduceat(norms, starts[:-1]) + lengths + 1.0))
