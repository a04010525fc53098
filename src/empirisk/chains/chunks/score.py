"""Precision, recall and F1 of chunks, and the lines of conlleval.

A chunk is right where type, first and last token are those of a true one. With c right ones, of f found and t true:

    precision = c / f,    recall = c / t,    F1 = 2 precision recall / (precision + recall),    0 where 0 / 0.

Reference: Tjong Kim Sang and Buchholz (2000), whose conlleval.pl is what shared tasks were judged by.

The counting is that of seqeval in its default mode, which for tags of B, I and O with a hyphen before the type, broken
sequences included, is that of conlleval.pl. Elsewhere the two differ, and this follows seqeval:

- E closes a chunk before every tag, S is a whole chunk; conlleval knows no S, and lets a B after an E of the same type
  go on with its chunk. Brackets as marks are known to conlleval alone.
- What has another mark begins a chunk where the type changes, for both. seqeval goes back from each end to the newest
  beginning, even into another sequence; conlleval counts beginnings as chunks found, closed or not.
- A tag without a hyphen, `BNP`, has mark B and type NP; for conlleval all of it is a mark. The type of a mere mark is
  `_` where conlleval has an empty one, as it has for the type `0`; and `B` and `B-` are two tags that differ.

Strictly, by a scheme, it is seqeval's strict mode: what does not follow the scheme is no chunk.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.chunks.places import places, tags_of
from empirisk.protocols import Vector

SHARES = ("precision", "recall", "FB1")


class ChunkScore(NamedTuple):
    """How predicted tags agree with the true ones: tokens, and chunks of each type. Types are sorted."""

    n_tokens: int
    n_right_tokens: int
    types: tuple[str, ...]  # of all chunks, true or found
    true: NDArray[np.int64]  # of each type
    found: NDArray[np.int64]
    right: NDArray[np.int64]

    @property
    def accuracy(self) -> float:
        """The share of tokens whose tag is right."""
        return self.n_right_tokens / self.n_tokens

    @property
    def precision(self) -> float:
        """The share of the found chunks that is right."""
        return float(_ratio(self.right.sum(), self.found.sum()))

    @property
    def recall(self) -> float:
        """The share of the true chunks that was found."""
        return float(_ratio(self.right.sum(), self.true.sum()))

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return float(_harmonic(self.precision, self.recall))

    @property
    def precisions(self) -> Vector:
        """Of each type."""
        return _ratio(self.right, self.found)

    @property
    def recalls(self) -> Vector:
        """Of each type."""
        return _ratio(self.right, self.true)

    @property
    def f1s(self) -> Vector:
        """Of each type."""
        return _harmonic(self.precisions, self.recalls)

    def lines(self) -> list[str]:
        """What conlleval prints: numbers of tokens and chunks, shares in percent, and a line a type with those found.

        As there, F1 is taken of percentages, and types are in the order of their code points.
        """
        all_true, all_found, all_right = (int(counts.sum()) for counts in (self.true, self.found, self.right))
        said = f"processed {self.n_tokens} tokens with {all_true} phrases; "
        lines = [
            f"{said}found: {all_found} phrases; correct: {all_right}.",
            f"accuracy: {100 * self.n_right_tokens / self.n_tokens:6.2f}%; {_shares(all_true, all_found, all_right)}",
        ]
        counts = zip(self.types, self.true.tolist(), self.found.tolist(), self.right.tolist(), strict=True)
        lines += [f"{kind:>17}: {_shares(true, found, right)}  {found}" for kind, true, found, right in counts]
        return lines


def score_chunks(
    true: Iterable[Sequence[str]], predicted: Iterable[Sequence[str]], strict: str | None = None
) -> ChunkScore:
    """Compare sequences of tags: as conlleval and seqeval do, or strictly by a scheme, one of `SCHEMES`."""
    numbers: dict[str, int] = {}
    columns, starts = [], []
    for sequences in (true, predicted):
        lengths, column = [0], []
        for sequence in sequences:
            column += [numbers.setdefault(str(tag), len(numbers)) for tag in sequence]
            lengths.append(len(sequence))
        columns.append(np.array(column, np.int32))
        starts.append(np.cumsum(lengths))
    if starts[0].size != starts[1].size:
        raise ValueError(f"there are {starts[0].size - 1} true sequences and {starts[1].size - 1} predicted ones")
    if not np.array_equal(starts[0], starts[1]):
        j = int(np.argmax(starts[0] != starts[1])) - 1
        long, other = (int(np.diff(column)[j]) for column in starts)
        raise ValueError(f"sequence {j + 1} has {long} true tags and {other} predicted ones")
    return chunk_score(columns[0], columns[1], list(numbers), starts[0], strict)


def chunk_score(
    true: NDArray[np.int32],
    predicted: NDArray[np.int32],
    names: Sequence[str],
    starts: NDArray[np.int64],
    strict: str | None = None,
) -> ChunkScore:
    """`score_chunks` of numbers of tags, of all tokens one after the other; sequence j starts at starts[j]."""
    if not true.size:
        raise ValueError("there are no tags to score")
    tags = tags_of(names, strict)
    sides = [places(tags, column, starts, strict) for column in (true, predicted)]
    is_right = (sides[0].firsts >= 0) & (sides[0].firsts == sides[1].firsts) & (sides[0].types == sides[1].types)
    all_true, all_found, all_right = (
        np.bincount(types[types >= 0], minlength=len(tags.names))
        for types in (sides[0].types, sides[1].types, np.where(is_right, sides[0].types, -1))
    )
    seen = np.flatnonzero(all_true + all_found)
    return ChunkScore(
        int(true.size),
        int(np.count_nonzero(true == predicted)),
        tuple(tags.names[k] for k in seen),
        all_true[seen],
        all_found[seen],
        all_right[seen],
    )


def _ratio(some: Any, of: Any) -> Any:
    return some / np.where(of == 0, 1, of)


def _harmonic(precision: Any, recall: Any) -> Any:
    total = precision + recall
    return 2.0 * precision * recall / np.where(total == 0.0, 1.0, total)


def _shares(true: int, found: int, right: int) -> str:
    """Percentages, as conlleval computes and prints them."""
    precision, recall = (100 * right / n if n else 0.0 for n in (found, true))
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return "; ".join(
        f"{name}: {share:6.2f}{sign}" for name, share, sign in zip(SHARES, (precision, recall, f1), "%% ", strict=True)
    ).rstrip()
