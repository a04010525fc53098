"""What a run reads, and how large the features are: what bounds roundings of margins, and the theorem's radius."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.chains.chain_data import ChainData
from empirisk.chains.perceptron_runs.kernels import Chains
from empirisk.chains.perceptron_runs.size_kernels import add_gold_squares, add_norms
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
    norms, is_whole = _norms(data)
    starts, lengths = data.sequences.starts, data.lengths()
    most = np.maximum.reduceat(np.diff(data.sequences.attributes.starts), starts[:-1]) + data.layout.n_dense
    features = 2.0 * SLACK * (norms + lengths + 1.0)
    terms = most + 2.0 * lengths + 6.0
    return Sizes(features, SLACK * UNIT * terms * features, is_whole)


def radius_of(data: ChainData) -> float:
    """max_j ||phi(x_j, s_j)|| + sqrt((sum_t ||x_t||)^2 + (T_j - 1)^2 + 2), a little above.

    It bounds ||phi(x_j, s_j) - phi(x_j, s)|| for every labelling s of every sequence: the states of s are a sum of
    vectors of the lengths ||x_t||, its transitions one of T_j - 1 unit vectors, start and end are two more.
    """
    norms, _ = _norms(data)
    lengths = data.lengths()
    own, sums = np.zeros(data.n_sequences), np.zeros(data.layout.size)
    with quiet():
        add_gold_squares(data.sequences.attributes, chains_of(data, sizes_of(data)), sums, own)
    any_other = norms**2 + (lengths - 1.0) ** 2 + 2.0
    return float(np.max(np.sqrt(own) + np.sqrt(any_other)) * (1.0 + 1e-9))


def chains_of(data: ChainData, sizes: Sizes) -> Chains:
    """What kernels read; for a plain run with rounding."""
    sequences, layout, masks = data.sequences, data.layout, data.masks
    return Chains(
        starts=kept(sequences.starts),
        gold=kept(data.gold),
        dense=kept(sequences.dense),
        state_starts=kept(layout.state_starts),
        state_labels=kept(layout.state_labels),
        is_free=kept(layout.is_free),
        between=kept(masks.between),
        first=kept(masks.first),
        last=kept(masks.last),
        has_ends=bool(layout.has_ends),
        sizes=kept(sizes.features),
        reach=kept(sizes.reach),
        is_whole=False,
        is_shuffled=False,
        is_averaged=False,
    )


def kept(array: Any) -> Any:
    """A read-only view, so that one compiled version serves all."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def _norms(data: ChainData) -> tuple[Vector, bool]:
    """sum_t ||x_t|| of each sequence, and whether attributes and dense features are integers."""
    sequences, norms = data.sequences, np.zeros(data.n_sequences)
    with quiet():
        is_whole = add_norms(sequences.attributes, kept(sequences.dense), kept(sequences.starts), norms)
    return norms, bool(is_whole)
