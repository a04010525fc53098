"""What sequences are given as: X, read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from empirisk.chains.features.collected import Attributes, Columns, Matrices, Rows
from empirisk.chains.features.templates import Templates
from empirisk.data.sequences import TokenAttributes, TokenColumns
from empirisk.designs import CSR

EXPECTED = (
    "a sequence is a list of tokens, a two-dimensional array, a CSR matrix, or a pair of one of them and an array"
)
ANYTHING = {
    "columns": "columns of values",
    "attributes": "attributes",
    "matrix": "a sparse matrix",
    "dense": "a two-dimensional array",
}


class Given(NamedTuple):
    """Tokens of all sequences: described by columns, by attributes, by sparse rows or by none of these, and densely."""

    described: TokenColumns | TokenAttributes | CSR | None
    dense: NDArray[np.float64]  # without columns where there are no dense features
    starts: NDArray[np.int64]

    @property
    def kind(self) -> str:
        """What describes the tokens, a key of ANYTHING."""
        kinds = {TokenColumns: "columns", TokenAttributes: "attributes", CSR: "matrix"}
        return kinds.get(type(self.described), "dense")


def read_given(X: Any, templates: Templates | None) -> Given:
    """A list or generator of sequences, or what a reader of files gave; ValueError for what is none of these."""
    if isinstance(X, (TokenColumns, TokenAttributes)):
        is_right = isinstance(X, TokenColumns) == (templates is not None)
        if not is_right:
            raise ValueError(
                "templates are for columns, and this file has attributes"
                if templates is not None
                else "columns need templates, which say what attributes are made of them"
            )
        return Given(X, _nothing(int(X.starts[-1])), X.starts)
    if isinstance(X, (str, bytes, Mapping)) or not isinstance(X, Iterable):
        raise ValueError(f"X must be a list or generator of sequences, got {type(X).__name__}")
    sizes: list[int] = []
    first = collected = rows = None
    for j, x in enumerate(X):
        one = _parted(x, j, templates is not None)
        shape = one.kind, one.dense is not None
        if first is None:
            first, collected, rows = shape, _collector(one.kind), Rows() if one.dense is not None else None
        if shape != first or collected is None:
            raise ValueError(f"sequence {j} is given as {_said(*shape)}, and sequence 0 as {_said(*first)}")
        size = collected.add(one.described, j)
        if rows is not None:
            size = rows.add(one.dense, j, size)
        if not size:
            raise ValueError(f"sequence {j}, counted from 0, is empty")
        sizes.append(size)
    if collected is None:
        raise ValueError("X holds no sequence")
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return Given(collected.found(starts), _nothing(int(starts[-1])) if rows is None else rows.found(), starts)


class _Parted(NamedTuple):
    """A sequence: what describes its tokens, and their dense rows or None."""

    kind: str
    described: Any
    dense: Any


def _parted(x: Any, j: int, has_templates: bool) -> _Parted:
    dense = None
    if isinstance(x, tuple) and len(x) == 2 and isinstance(x[1], np.ndarray) and x[1].ndim == 2:
        x, dense = x
    if has_templates:
        return _Parted("columns", x, dense)
    if scipy.sparse.issparse(x):
        return _Parted("matrix", x, dense)
    if isinstance(x, np.ndarray) and x.ndim == 2 and x.dtype.kind in "biuf" and dense is None:
        return _Parted("dense", None, x)
    is_list = isinstance(x, Iterable) and not isinstance(x, (str, bytes, Mapping))
    if not is_list or (isinstance(x, np.ndarray) and x.ndim != 1):
        raise ValueError(f"sequence {j}, counted from 0, is of type {type(x).__name__}; {EXPECTED}")
    tokens = list(x)
    if dense is None and tokens and _is_pair(tokens[0]):
        if not all(_is_pair(token) and token[1].shape == tokens[0][1].shape for token in tokens):
            raise ValueError(f"sequence {j} has tokens with a dense row, and others without or of another size")
        tokens, dense = [token[0] for token in tokens], np.stack([token[1] for token in tokens])
    return _Parted("attributes", tokens, dense)


def _is_pair(token: Any) -> bool:
    """Whether a token is attributes and a dense row."""
    return isinstance(token, tuple) and len(token) == 2 and isinstance(token[1], np.ndarray) and token[1].ndim == 1


def _collector(kind: str) -> Any:
    return {"columns": Columns, "attributes": Attributes, "matrix": Matrices, "dense": _Nothing}[kind]()


class _Nothing:
    """What describes tokens that have dense rows alone."""

    def add(self, _: None, j: int) -> None:
        return None

    def found(self, _: NDArray[np.int64]) -> None:
        return None


def _nothing(n_tokens: int) -> NDArray[np.float64]:
    return np.empty((n_tokens, 0))


def _said(kind: str, has_dense: bool) -> str:
    return ANYTHING[kind] + (" and an array" if has_dense and kind != "dense" else "")
