"""Labels of tokens as users have them, and as numbers."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1


def flat_labels(y: Any, starts: NDArray[np.int64]) -> list[Any]:
    """The labels of all tokens, one after the other; ValueError where there are not as many as tokens."""
    if isinstance(y, (str, bytes)) or not isinstance(y, Iterable):
        raise TypeError(f"y must be a list of sequences of labels, got {type(y).__name__}")
    given = [_labels_of(labels, j) for j, labels in enumerate(y)]
    n = starts.size - 1
    if len(given) != n:
        raise ValueError(f"y has {len(given)} sequences, X has {n}")
    lengths = np.fromiter(map(len, given), np.int64, n)
    wrong = np.flatnonzero(lengths != np.diff(starts))
    if wrong.size:
        j = int(wrong[0])
        tokens = int(starts[j + 1] - starts[j])
        raise ValueError(f"sequence {j}, counted from 0, has {tokens} tokens and {lengths[j]} labels")
    return list(itertools.chain.from_iterable(given))


def _labels_of(labels: Any, j: int) -> list[Any]:
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise TypeError(f"y[{j}] must be a sequence of labels, one a token, got {type(labels).__name__}")
    return labels.tolist() if isinstance(labels, np.ndarray) else list(labels)


def classes_of_tokens(labels: list[Any]) -> NDArray[Any]:
    """The distinct labels, sorted; two at least."""
    distinct = set(labels)
    try:
        ordered = sorted(distinct)
    except TypeError:
        raise TypeError("y mixes labels that cannot be sorted, such as numbers and text; use one kind") from None
    if len(ordered) < 2:
        raise ValueError(f"y has only one label, {ordered[0] if ordered else None!r}: a model of sequences needs two")
    classes = np.array(ordered)
    return classes if classes.tolist() == ordered else np.array(ordered, dtype=object)


def numbers_of(labels: list[Any], classes: NDArray[Any]) -> NDArray[np.int32]:
    """The place of each label among the classes, -1 for those that are none of them."""
    places = {label: k for k, label in enumerate(classes.tolist())}
    return np.fromiter((places.get(label, UNKNOWN) for label in labels), np.int32, len(labels))


def refuse_unknown(numbers: NDArray[np.int32], labels: list[Any], starts: NDArray[np.int64]) -> None:
    """Refuse labels that the model does not know, by their place."""
    bad = np.flatnonzero(numbers == UNKNOWN)
    if bad.size:
        t = int(bad[0])
        j = int(np.searchsorted(starts, t, side="right")) - 1
        where = f"token {t - starts[j]} of sequence {j}, counted from 0"
        raise ValueError(f"the label {labels[t]!r} of {where}, is none that was trained")


def split_by(values: list[Any], starts: NDArray[np.int64]) -> list[list[Any]]:
    """Values of tokens as a list for each sequence."""
    return [values[a:b] for a, b in itertools.pairwise(starts.tolist())]
