"""Attributes without a dictionary: the number is the hash of the name, or of the template and its values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.features.by_name import with_numbers
from empirisk.chains.features.by_template import places, sources_of, values_at_tokens
from empirisk.chains.features.templates import Templates
from empirisk.chains.features.tuple_numbers import hash_tuples
from empirisk.compiled import kernel, quiet
from empirisk.data.hashing import MOST_BITS
from empirisk.data.sequences import Strings, TokenAttributes, TokenColumns
from empirisk.designs import CSR, Indicators, indicators


class Hashed:
    """2^bits attributes; several names may share one, and none of them is known by its name.

    K. Weinberger et al. (2009), without their signs. Tokens have an attribute once, however many templates lead to it;
    of given names that share one the weights are added.
    """

    def __init__(self, bits: int, templates: Templates | None) -> None:
        if not 1 <= bits <= MOST_BITS:
            raise ValueError(f"hash_bits must be a whole number from 1 to {MOST_BITS}, got {bits}")
        self.bits, self._templates = bits, templates

    @property
    def n_attributes(self) -> int:
        """2^bits."""
        return 1 << self.bits

    def encode(self, tokens: TokenColumns | TokenAttributes) -> Indicators | CSR:
        """The attributes of each token."""
        if isinstance(tokens, TokenAttributes):
            return self._of_names(tokens)
        assert self._templates is not None
        sources, names = sources_of(self._templates), [Strings() for _ in sources_of(self._templates)]
        values = values_at_tokens(self._templates, sources, tokens, [strings.add for strings in names])
        hashes = np.zeros((len(sources), max((strings.size for strings in names), default=0)), np.uint64)
        for k, strings in enumerate(names):
            hashes[k, : strings.size] = strings.hashes()
        seeds = Strings([template.text for template in self._templates.features]).hashes()
        n_tokens = int(tokens.starts[-1])
        found = np.empty((n_tokens, len(seeds)), np.int32)
        for m, template in enumerate(self._templates.features):
            with quiet():
                hash_tuples(
                    values,
                    hashes,
                    *places(template, sources),
                    tokens.starts,
                    seeds[m],
                    self.n_attributes - 1,
                    found[:, m],
                )
        return _as_rows(found, self.n_attributes)

    def _of_names(self, tokens: TokenAttributes) -> Indicators | CSR:
        """Numbers of those that occur first: an array as long as all that could be would be too much."""
        numbers = (_mixed(tokens.names.hashes()) & np.uint64(self.n_attributes - 1)).astype(np.uint32)
        distinct, places_of = np.unique(numbers, return_inverse=True)
        design = with_numbers(tokens, places_of.astype(np.int32), distinct.size)
        indices = distinct[design.indices]
        if isinstance(design, Indicators):
            return indicators(indices, design.starts, self.n_attributes)
        indices.flags.writeable = False
        return design._replace(indices=indices, columns=self.n_attributes)

    def grown(self, tokens: TokenColumns | TokenAttributes, min_count: int = 1) -> tuple[Indicators | CSR, Hashed]:
        """The same, and itself: there is nothing to learn."""
        return self.encode(tokens), self

    def name_of(self, attribute: int) -> str:
        """The number, which is all that is known."""
        return f"#{attribute}"

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Nothing."""
        return {}


def _mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The low bits of the hash of a short name hang on few of its letters: the finalizer of murmur3 mixes them all."""
    mixed = words.copy()
    for factor in (np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)):
        mixed ^= mixed >> np.uint64(33)
        mixed *= factor
    return mixed ^ (mixed >> np.uint64(33))


def _as_rows(found: NDArray[np.int32], n_attributes: int) -> Indicators:
    """Rows of ones in the same memory, each attribute once in a row."""
    indices, starts = found.reshape(-1), np.zeros(found.shape[0] + 1, np.int64)
    size = _gather_once(found, indices, starts)
    return indicators(indices[:size], starts, n_attributes)


@kernel
def _gather_once(found, indices, starts):
    at = 0
    for t in range(found.shape[0]):
        first = at
        for m in range(found.shape[1]):
            number = found[t, m]
            is_new = number >= 0
            for k in range(first, at):
                is_new = is_new and indices[k] != number
            if is_new:
                indices[at] = number
                at += 1
        starts[t + 1] = at
    return at
