"""Sequences of symbols with labels, as chains with one attribute a token."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.chain_data import ChainData, no_masks
from empirisk.chains.layout import Layout, layout_of
from empirisk.chains.sequences import Sequences
from empirisk.designs.indicators import indicators


def paired_lists(X: Any, y: Any) -> tuple[list[list[Any]], list[list[Any]]]:
    """Sequences of symbols and of labels, as many and as long."""
    if isinstance(X, Sequences):
        sizes = np.diff(X.attributes.starts)
        if bool(np.any(sizes != 1)) or X.dense.shape[1]:
            raise ValueError("a hidden Markov model takes sequences with one attribute a token, and nothing else")
        edges = X.starts[1:-1]
        x = [part.tolist() for part in np.split(X.attributes.indices, edges)]
        s = [part.tolist() for part in np.split(np.asarray(y), edges)]
    else:
        x, s = [list(sequence) for sequence in X], [list(sequence) for sequence in y]
    if len(x) != len(s) or not x:
        raise ValueError(f"there are {len(x)} sequences of symbols and {len(s)} of labels")
    for j, (words, labels) in enumerate(zip(x, s, strict=True), 1):
        if len(words) != len(labels) or not words:
            raise ValueError(f"sequence {j} has {len(words)} symbols and {len(labels)} labels")
    return x, s


def sorted_names(sequences: list[list[Any]], name: str) -> NDArray[Any]:
    """The distinct ones; None is the unknown symbol."""
    try:
        return np.array(sorted({one for sequence in sequences for one in sequence} - {None}))
    except TypeError:
        raise TypeError(f"{name} must be of one type that can be sorted") from None


def numbers_of(sequences: Iterable[Sequence[Any]], names: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers of what is in the sequences, one after the other; that of an unknown one is the next."""
    numbers = {name: k for k, name in enumerate(names.tolist())}
    return np.array([numbers.get(one, names.size) for sequence in sequences for one in sequence], np.int64)


def full_layout(n_labels: int, n_attributes: int) -> Layout:
    """Weights for all pairs, transitions and ends."""
    nothing = Sequences(
        indicators(np.empty(0, np.uint32), np.zeros(1), n_attributes), np.empty((0, 0)), np.zeros(1, np.int64)
    )
    return layout_of(nothing, np.empty(0, np.int32), n_labels, states="all", transitions="all", has_ends=True)


def symbol_data(x: list[list[Any]], s: list[list[Any]], classes: NDArray[Any], symbols: NDArray[Any]) -> ChainData:
    """The sequences of a chain with one attribute a token."""
    gold = numbers_of(s, classes)
    if bool(np.any(gold == classes.size)):
        raise ValueError("a label is not one of the model's")
    starts = np.concatenate(([0], np.cumsum([len(words) for words in x]))).astype(np.int64)
    words = indicators(numbers_of(x, symbols), np.arange(gold.size + 1), symbols.size + 1)
    sequences = Sequences(words, np.empty((gold.size, 0)), starts)
    layout = full_layout(classes.size, symbols.size + 1)
    return ChainData(sequences, gold.astype(np.int32), classes, np.empty(0), layout, no_masks(classes.size))
