"""Small sequences drawn from a hidden Markov model: the data of the tests of chains."""

from __future__ import annotations

import numpy as np

from empirisk.chains.chain_data import ChainData, Masks, no_masks
from empirisk.chains.layout import layout_of
from empirisk.chains.losses import Likelihood
from empirisk.chains.risk import ChainRisk
from empirisk.chains.sequences import Sequences
from empirisk.designs import as_design
from empirisk.designs.indicators import indicators


def drawn_sequences(n=12, n_labels=3, n_words=7, longest=5, seed=0, n_dense=0, with_values=False):
    """Sequences and gold labels; the attributes of a token are a bias, its word, and the word before it."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, n)
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    follow = rng.dirichlet(np.ones(n_labels), n_labels)
    emit = rng.dirichlet(0.3 * np.ones(n_words), n_labels)
    gold, words, rows = [], [], []
    for length in lengths:
        label = rng.integers(n_labels)
        for t in range(length):
            label = rng.choice(n_labels, p=follow[label]) if t else label
            gold.append(label)
            words.append(rng.choice(n_words, p=emit[label]))
            rows.append([0, 1 + words[-1], *([1 + n_words + words[-2]] if t else [])])
    edges = np.cumsum([0, *map(len, rows)])
    columns = 1 + 2 * n_words
    indices = np.concatenate(rows).astype(np.uint32)
    attributes = indicators(indices, edges, columns)
    if with_values:
        values = np.round(rng.normal(size=indices.size), 2)
        matrix = np.zeros((len(rows), columns))
        for t, row in enumerate(rows):
            matrix[t, row] = values[edges[t] : edges[t + 1]]
        import scipy.sparse

        attributes = as_design(scipy.sparse.csr_array(matrix))
    dense = rng.normal(size=(len(rows), n_dense))
    return Sequences(attributes, dense, starts), np.array(gold, np.int32)


def drawn_data(
    n_labels=3, states="observed", transitions="all", has_ends=True, weights=None, masks: Masks | None = None, **drawn
) -> ChainData:
    sequences, gold = drawn_sequences(n_labels=n_labels, **drawn)
    layout = layout_of(sequences, gold, n_labels, states=states, transitions=transitions, has_ends=has_ends)
    classes = np.array([f"L{k}" for k in range(n_labels)])
    own = np.empty(0) if weights is None else np.asarray(weights, dtype=np.float64)
    return ChainData(sequences, gold, classes, own, layout, masks or no_masks(n_labels))


def written_data(rows, labels, n_attributes, states="all", has_ends=False):
    """Sequences of tokens that are lists of attributes, with labels."""
    lengths = [len(row) for row in rows]
    tokens = [token for row in rows for token in row]
    edges = np.cumsum([0, *map(len, tokens)])
    attributes = indicators(np.array([a for token in tokens for a in token], np.uint32), edges, n_attributes)
    starts = np.cumsum([0, *lengths]).astype(np.int64)
    sequences = Sequences(attributes, np.zeros((len(tokens), 0)), starts)
    gold = np.array([k for label in labels for k in label], np.int32)
    K = int(gold.max()) + 1
    layout = layout_of(sequences, gold, K, states=states, transitions="all", has_ends=has_ends)
    return ChainData(sequences, gold, np.array(list("ABCDE"[:K])), np.empty(0), layout, no_masks(K))


def drawn_risk(loss=None, l1=0.0, l2=0.05, n_threads=1, **drawn) -> ChainRisk:
    return ChainRisk(drawn_data(**drawn), loss or Likelihood(), l1, l2, n_threads)


def features_of(data: ChainData, j: int, path) -> np.ndarray:
    """phi(x_j, path), one weight after the other: the slow oracle."""
    layout, sequences = data.layout, data.sequences
    phi = np.zeros(layout.size)
    parts = layout.parts(phi)
    begin = int(sequences.starts[j])
    for t, label in enumerate(path):
        X = sequences.attributes
        for k in range(int(X.row_size(begin + t))):
            a = int(X.column_at(begin + t, k))
            for m in range(int(layout.state_starts[a]), int(layout.state_starts[a + 1])):
                if layout.state_labels[m] == label:
                    parts.states[m] += float(X.entry_at(begin + t, k))
        if layout.n_dense:
            parts.dense[:, label] += sequences.dense[begin + t]
        if t:
            parts.transitions[path[t - 1], label] += 1.0
    parts.first[path[0]] += 1.0
    parts.last[path[-1]] += 1.0
    phi[phi.size :] = 0.0
    layout.mask(phi)
    return phi


def lengths_of(data: ChainData) -> list[int]:
    return np.diff(data.sequences.starts).tolist()


def gold_of(data: ChainData, j: int) -> tuple[int, ...]:
    starts = data.sequences.starts
    return tuple(data.gold[starts[j] : starts[j + 1]].tolist())
