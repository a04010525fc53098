"""Sequences that come one by one, put one after the other: columns, attributes, sparse rows and dense rows."""

from __future__ import annotations

import itertools
import math
from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.data.sequences import Column, Strings, TokenAttributes, TokenColumns
from empirisk.designs import CSR, as_design, check_finite

AT_ONCE = 1 << 16  # texts that are numbered in one call


class Columns:
    """Tuples of columns, each a list of texts, one a token; or lists of tokens, each a tuple of its texts."""

    def __init__(self) -> None:
        self._waiting: list[list[str]] = []
        self._values: list[Strings] = []
        self._numbers: list[list[NDArray[np.int32]]] = []
        self._sizes: list[int] = []  # of sequences whose texts wait
        self._n_done = 0  # sequences before them

    def add(self, x: Any, j: int) -> int:
        """One more sequence, number j; how many tokens it has."""
        if isinstance(x, list) and x and all(isinstance(token, tuple) for token in x):
            x = _columns_of(x, j)
        if not isinstance(x, (tuple, list)) or any(isinstance(column, (str, bytes)) for column in x):
            raise ValueError(
                "with templates a sequence is a tuple of columns, or a list of tokens, each a tuple, "
                f"and sequence {j} is {type(x).__name__}"
            )
        if not self._values:
            self._waiting = [[] for _ in x]
            self._values, self._numbers = [Strings() for _ in x], [[] for _ in x]
        sizes = [len(column) for column in x]
        if len(sizes) != len(self._values):
            raise ValueError(f"sequence {j} has {len(sizes)} columns, and sequence 0 has {len(self._values)}")
        if len(set(sizes)) > 1:
            raise ValueError(f"the columns of sequence {j} differ in length: {', '.join(map(str, sizes))}")
        for waiting, column in zip(self._waiting, x, strict=True):
            waiting.extend(column)
        self._sizes.extend(sizes[:1])
        if self._waiting and len(self._waiting[0]) >= AT_ONCE:
            self._flush()
        return sizes[0] if sizes else 0

    def _flush(self) -> None:
        for waiting, values, numbers in zip(self._waiting, self._values, self._numbers, strict=True):
            try:
                numbers.append(values.add(waiting))
            except TypeError:
                self._refuse(waiting)
            waiting.clear()
        self._n_done += len(self._sizes)
        self._sizes.clear()

    def _refuse(self, waiting: list[Any]) -> None:
        """Say where the first value is that is no text."""
        k = next(k for k, value in enumerate(waiting) if not isinstance(value, str))
        ends = list(itertools.accumulate(self._sizes))
        i = next(i for i, end in enumerate(ends) if end > k)
        where = f"token {k - ends[i] + self._sizes[i]} of sequence {self._n_done + i}, counted from 0,"
        raise ValueError(f"{where} has {waiting[k]!r:.50} in a column of texts")

    def found(self, starts: NDArray[np.int64]) -> TokenColumns:
        """All of them."""
        self._flush()
        columns = zip(self._numbers, self._values, strict=True)
        return TokenColumns(tuple(Column(np.concatenate(numbers), values) for numbers, values in columns), starts)


def _columns_of(tokens: list[tuple[Any, ...]], j: int) -> tuple[Any, ...]:
    """The columns of tokens that are tuples."""
    sizes = [len(token) for token in tokens]
    t = next((t for t, size in enumerate(sizes) if size != sizes[0]), None)
    if t is not None:
        raise ValueError(
            f"token {t} of sequence {j}, counted from 0, has {sizes[t]} columns, and token 0 has {sizes[0]}"
        )
    return tuple(zip(*tokens, strict=True))


class Attributes:
    """Lists of tokens, each in a form that python-crfsuite's ItemSequence takes.

    A dictionary has the attribute `key:value` for a text, the attribute `key` with a weight for a number, and for a
    dictionary, list or set the attributes of that with `key:` before them; of anything else each element is an
    attribute, so that a text is those of its letters. What is there twice has the sum of the weights.
    """

    def __init__(self) -> None:
        self._names, self._numbers = Strings(), list[NDArray[np.int32]]()
        self._waiting: list[Any] = []
        self._sizes = array("q")
        self._n_done, self._done_tokens, self._sequences = 0, 0, array("q")
        self._places, self._weights = array("q"), array("d")  # where a weight is not 1

    def add(self, x: Any, j: int) -> int:
        """One more sequence, number j; how many tokens it has."""
        waiting, n_tokens = self._waiting, len(self._sizes)
        for token in x:
            before = len(waiting)
            try:
                if isinstance(token, dict):
                    try:
                        waiting.extend(map(":".join, token.items()))
                    except TypeError:
                        del waiting[before:]
                        self._add_weighted(token)
                else:
                    waiting.extend(token)
            except (TypeError, ValueError) as error:
                where = f"token {len(self._sizes) - n_tokens} of sequence {j}, counted from 0"
                found = str(error) if isinstance(error, _BadWeight) else f"is {token!r:.50}, and no dict, list or text"
                raise ValueError(f"{where}, {found}") from None
            self._sizes.append(len(waiting) - before)
        self._sequences.append(len(self._sizes))
        if len(waiting) >= AT_ONCE:
            self._flush()
        return len(self._sizes) - n_tokens

    def _add_weighted(self, token: dict[Any, Any]) -> None:
        for name, weight in _attributes_of(token):
            if weight != 1.0:
                self._places.append(self._n_done + len(self._waiting))
                self._weights.append(weight)
            self._waiting.append(name)

    def _flush(self) -> None:
        try:
            numbers = self._names.add(self._waiting)
        except TypeError:
            numbers = self._names.add([self._name(k) for k in range(len(self._waiting))])
        self._numbers.append(numbers)
        self._n_done += len(self._waiting)
        self._done_tokens = len(self._sizes)
        self._waiting.clear()

    def _name(self, k: int) -> str:
        """A name that waits, which may be bytes; ValueError with its place for what is no name."""
        name = self._waiting[k]
        if isinstance(name, str):
            return name
        if isinstance(name, bytes):
            return name.decode()
        ends = itertools.accumulate(self._sizes[self._done_tokens :])
        token = self._done_tokens + next(i for i, end in enumerate(ends) if end > k)
        j = next(j for j, end in enumerate(self._sequences) if end > token)
        token -= self._sequences[j - 1] if j else 0
        raise ValueError(f"token {token} of sequence {j}, counted from 0, has {name!r:.50} as the name of an attribute")

    def found(self, starts: NDArray[np.int64]) -> TokenAttributes:
        """All of them."""
        self._flush()
        token_starts = np.zeros(len(self._sizes) + 1, np.int64)
        np.cumsum(np.frombuffer(self._sizes, np.int64), out=token_starts[1:])
        weights = None
        if self._places:
            weights = np.ones(int(token_starts[-1]))
            weights[np.frombuffer(self._places, np.int64)] = np.frombuffer(self._weights)
        return TokenAttributes(self._names, np.concatenate(self._numbers), weights, token_starts, starts)


class _BadWeight(ValueError):
    """A weight that is none, in words that follow the place of the token."""


def _attributes_of(token: Any) -> Iterator[tuple[str, float]]:
    """Names and weights of a dictionary, list or set, one in the other."""
    for key in token:
        name = key.decode() if isinstance(key, bytes) else key
        if not isinstance(name, str):
            raise _BadWeight(f"has {key!r:.50} as the name of an attribute")
        if not isinstance(token, dict):
            yield name, 1.0
            continue
        value = token[key]
        if isinstance(value, (dict, list, set)):
            for inner, weight in _attributes_of(value):
                yield f"{name}:{inner}", weight
        elif isinstance(value, (str, bytes)):
            yield f"{name}:{value.decode() if isinstance(value, bytes) else value}", 1.0
        else:
            yield name, _weight(name, value)


def _weight(name: str, value: Any) -> float:
    try:
        weight = float(value)
    except (TypeError, ValueError, OverflowError):
        weight = math.nan
    if not math.isfinite(weight):
        raise _BadWeight(f"has {value!r:.50} as the weight of {name!r:.50}")
    return weight


class Matrices:
    """Sparse matrices, a row a token; an attribute is a column."""

    def __init__(self) -> None:
        self._parts: list[Any] = []

    def add(self, x: Any, j: int) -> int:
        """One more sequence, number j; how many tokens it has."""
        if self._parts and x.shape[1] != self._parts[0].shape[1]:
            raise ValueError(f"sequence {j} has {x.shape[1]} features, and sequence 0 has {self._parts[0].shape[1]}")
        design = as_design(x)
        _check_finite(design, j)
        self._parts.append(scipy.sparse.csr_array(x))
        return int(x.shape[0])

    def found(self, starts: NDArray[np.int64]) -> CSR:
        """All of them."""
        design = as_design(scipy.sparse.vstack(self._parts, format="csr"))
        assert isinstance(design, CSR)
        return design


class Rows:
    """Two-dimensional arrays, a row a token."""

    def __init__(self) -> None:
        self._parts: list[NDArray[np.float64]] = []

    def add(self, x: Any, j: int, n_tokens: int | None) -> int:
        """One more sequence, number j, of so many tokens where that is known; how many it has."""
        try:
            rows = np.ascontiguousarray(as_design(x).values, np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"sequence {j}: {error}") from None
        if self._parts and rows.shape[1] != self._parts[0].shape[1]:
            raise ValueError(f"sequence {j} has {rows.shape[1]} features, and sequence 0 has {self._parts[0].shape[1]}")
        if n_tokens is not None and rows.shape[0] != n_tokens:
            raise ValueError(f"sequence {j} has {n_tokens} tokens, and {rows.shape[0]} dense rows")
        _check_finite(as_design(rows), j)
        self._parts.append(rows)
        return rows.shape[0]

    def found(self) -> NDArray[np.float64]:
        """All of them."""
        return np.concatenate(self._parts)


def _check_finite(design: Any, j: int) -> None:
    try:
        check_finite(design)
    except ValueError as error:
        raise ValueError(f"sequence {j}: {error}".replace("row", "token")) from None
