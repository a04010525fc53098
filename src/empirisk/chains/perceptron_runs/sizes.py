"""How large the features of sequences are: what bounds roundings of their margins, and the theorem's radius."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.chains.chain_data import ChainData
from empirisk.chains.perceptron_runs.kernels import square_rows
from empirisk.compiled import quiet
from empirisk.protocols import Vector

SLACK = 1.01  # for the rounding of the bounds themselves


class Sizes(NamedTuple):
    """Of the sequences of some data."""

    features: Vector  # of each: at least ||phi(x, s)|| + ||phi(x, s')|| for any labelings
    reach: Vector  # of each: a margin at u is off by at most reach ||u||
    is_whole: bool  # whether attributes and dense features are integers


def sizes_of(data: ChainData) -> Sizes:
    """In one pass over the attributes."""
    sequences = data.sequences
    squares = np.zeros(sequences.n_tokens)
    dense = np.ascontiguousarray(sequences.dense).view()
    dense.flags.writeable = False
    with quiet():
        is_whole = bool(square_rows(sequences.attributes, dense, squares, True))
    starts, lengths = sequences.starts, data.lengths()
    most = np.maximum.reduceat(np.diff(sequences.attributes.starts), starts[:-1]) + data.layout.n_dense
    features = 2.0 * SLACK * (np.add.reduceat(np.sqrt(squares), starts[:-1]) + lengths + 1.0)
    terms = most + 2.0 * lengths + 6.0
    return Sizes(features, SLACK * UNIT * terms * features, is_whole)
