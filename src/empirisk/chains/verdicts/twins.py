"""Twins: the same tokens between the same labels, with other labels. Two of them prove that nothing realises the data.

Exchange the labels of two such segments: what the one sequence loses in features the other gains, to the last bit.
Tokens are compared by a hash of their attributes first, and then exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.chain_data import ChainData
from empirisk.chains.verdicts.conflict import SequenceConflict, conflict_among
from empirisk.chains.verdicts.members import Member, is_allowed, labelling
from empirisk.designs import CSR
from empirisk.rows.fingerprint import mixed_words

LONGEST = 8  # tokens of a segment; whole sequences are compared whatever their length
MOST_TRIED = 100  # pairs, of each length
AT_ONCE = 1 << 14  # tokens whose attributes are in memory as words
FACTOR = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(29)

Words = NDArray[np.uint64]


def twins(data: ChainData) -> SequenceConflict | None:
    """The conflict of two twins, the shortest segments first; None where there are none."""
    starts, lengths = data.sequences.starts, np.diff(data.sequences.starts)
    tokens = token_words(data)
    gold = data.gold.astype(np.uint64) + np.uint64(1)
    before, after = np.zeros_like(gold), np.zeros_like(gold)  # 0: the sequence begins or ends here
    before[1:], after[:-1] = gold[:-1], gold[1:]
    before[starts[:-1]] = 0
    after[starts[1:] - 1] = 0
    left = np.repeat(starts[1:], lengths) - np.arange(data.gold.size)  # tokens to the end of the sequence
    inside, names = tokens.copy(), gold.copy()
    for length in range(1, LONGEST + 1):
        if length > 1:  # one token more
            inside[: -length + 1] = _mixed(inside[: -length + 1] * FACTOR + tokens[length - 1 :])
            names[: -length + 1] = _mixed(names[: -length + 1] * FACTOR + gold[length - 1 :])
        at = np.flatnonzero(left >= length)
        if not at.size:
            return None
        outer = before[at] * np.uint64(data.n_labels + 1) + after[at + length - 1]
        found = _first_conflict(data, _mixed(inside[at] + _mixed(outer)), names[at], at, length)
        if found is not None:
            return found
    return _whole_twins(data, tokens, gold)


def token_words(data: ChainData) -> Words:
    """A word for each token, which tokens of the same attributes share."""
    sequences = data.sequences
    X = sequences.attributes
    names, words = mixed_words(X.n_columns(), 1), np.empty(sequences.n_tokens, np.uint64)
    for begin in range(0, words.size, AT_ONCE):
        starts = X.starts[begin : begin + AT_ONCE + 1]
        part = slice(int(starts[0]), int(starts[-1]))
        entries = names[X.indices[part]]
        if isinstance(X, CSR):
            entries = _mixed(entries + _mixed(np.ascontiguousarray(X.values[part], dtype=np.float64).view(np.uint64)))
        sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(entries, dtype=np.uint64)])
        words[begin : begin + AT_ONCE] = np.diff(sums[starts - starts[0]])
    if sequences.dense.shape[1]:
        bits = np.ascontiguousarray(sequences.dense).view(np.uint64)
        for column, word in enumerate(mixed_words(bits.shape[1], 2)):
            words = words + _mixed(bits[:, column] + word)
    return _mixed(words)


def _mixed(words: Any) -> Words:
    mixed = words * FACTOR
    return (mixed ^ (mixed >> SHIFT)) * FACTOR


def _whole_twins(data: ChainData, tokens: Words, gold: Words) -> SequenceConflict | None:
    """Sequences of the same tokens with other labels."""
    starts, lengths = data.sequences.starts, np.diff(data.sequences.starts)
    for length in np.unique(lengths[lengths > LONGEST]).tolist():
        at = starts[:-1][lengths == length]
        inside, names = np.zeros(at.size, np.uint64), np.zeros(at.size, np.uint64)
        for t in range(length):
            inside, names = _mixed(inside * FACTOR + tokens[at + t]), _mixed(names * FACTOR + gold[at + t])
        found = _first_conflict(data, inside, names, at, length)
        if found is not None:
            return found
    return None


def _first_conflict(
    data: ChainData, keys: Words, names: Words, at: NDArray[np.int64], length: int
) -> SequenceConflict | None:
    """Segments with one key and two names, compared exactly."""
    order = np.lexsort((names, keys))
    keys, names = keys[order], names[order]
    pairs = np.flatnonzero((keys[1:] == keys[:-1]) & (names[1:] != names[:-1]))
    for k in pairs[:MOST_TRIED].tolist():
        first, second = sorted(int(at[order[m]]) for m in (k, k + 1))
        if abs(first - second) < length or not _are_twins(data, first, second, length):
            continue
        members = [_exchanged(data, first, second, length), _exchanged(data, second, first, length)]
        if all(is_allowed(data, labelling(data, member)) for member in members):
            found = conflict_among(data, members, [1, 1])
            if found is not None:
                return found
    return None


def _are_twins(data: ChainData, first: int, second: int, length: int) -> bool:
    return all(_attributes(data, first + t) == _attributes(data, second + t) for t in range(length))


def _attributes(data: ChainData, t: int) -> tuple[Any, ...]:
    X = data.sequences.attributes
    entries = sorted((int(X.column_at(t, m)), float(X.entry_at(t, m))) for m in range(int(X.row_size(t))))
    return entries, data.sequences.dense[t].tolist()


def _exchanged(data: ChainData, here: int, there: int, length: int) -> Member:
    """The segment from token `here` on with the labels of that from `there` on."""
    j = int(np.searchsorted(data.sequences.starts, here, side="right")) - 1
    begin = int(data.sequences.starts[j])
    own, other = data.gold[here : here + length].tolist(), data.gold[there : there + length].tolist()
    changed = [t for t in range(length) if own[t] != other[t]]
    return j, tuple(here - begin + t for t in changed), tuple(other[t] for t in changed)
