"""Vowpal Wabbit text as a stream: the importance is the weight of the row, and columns have the numbers of VW 9."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from empirisk.data.block_numbers import settle_numbers, wanted_number
from empirisk.data.blocks import Block
from empirisk.data.distinct_runs import distinct_runs
from empirisk.data.errors import DataError
from empirisk.data.streams import vw_block
from empirisk.data.streams.names import distinct_pairs
from empirisk.data.streams.parsed import Parsed
from empirisk.data.streams.vw_block import DONE, PER_ENTRY, PER_ROW, VWScratch, parse_rows, scratch_for

SENTENCES = {
    vw_block.NO_BAR: "expected '|' before the features, found none in this line",
    vw_block.NO_LABEL: "expected a label before '|' with a blank behind it, found none",
    vw_block.BAD_LABEL: "expected {number} as the label or its weight, or '|', found {found!r}",
    vw_block.THIRD_NUMBER: "expected a label, a weight and '|', found the third number {found!r}",
    vw_block.AFTER_TAG: "expected '|' after the tag, found {found!r}",
    vw_block.NO_SPACE: "expected the name of a namespace before ':', found none",
    vw_block.BAD_SCALE: "expected {number} as the scale of the namespace, found {found!r}",
    vw_block.NO_NAME: "expected a name before ':', found none",
    vw_block.NO_VALUE: "expected a number or a text after ':', found none",
    vw_block.BAD_VALUE: "expected a finite number, or a text that neither begins so nor has a '|', found {found!r}",
}


class VWReader:
    """Reads rows of Vowpal Wabbit text into 2^bits columns; without bits their names are told."""

    is_begun = True

    def __init__(self, bits: int | None, is_labeled: bool) -> None:
        self._bits, self._is_labeled = bits, is_labeled
        self._scratch: VWScratch | None = None

    def begin(self, block: Block) -> Block:
        """Nothing stands above the first row."""
        return block

    def parse(self, block: Block) -> Parsed:
        """All rows of a block, or the error of a line."""
        if self._scratch is None or len(self._scratch.scales) <= len(block.text):
            self._scratch = scratch_for(block)
        view, mask = block.view(), 0 if self._bits is None else (1 << self._bits) - 1
        code, p, *counts, n_weights = parse_rows(view, block.stop, mask, self._is_labeled, *self._scratch)
        if code != DONE:
            token = block.token(p)
            raise block.error(SENTENCES[code].format(number=wanted_number(token), found=token), p)
        lengths = [counts[0]] * PER_ROW + [counts[1]] * PER_ENTRY + [counts[2]] * 4
        rows = VWScratch(*(array[:length] for array, length in zip(self._scratch, lengths, strict=True)))
        settle_numbers(block, rows.labels, rows.row_starts)
        settle_numbers(block, rows.weights, rows.weight_starts)
        settle_numbers(block, rows.values, rows.value_starts)
        if np.any(rows.scales != 1.0):
            settle_numbers(block, rows.scales, rows.scale_starts)
            _scale(block, rows)
        names = None
        if self._bits is None:
            names = _names(block, view, rows)
        found = Parsed(rows.labels, rows.row_starts, rows.row_ends, rows.indices, rows.values, names=names)
        return found._replace(weights=rows.weights, weight_starts=rows.weight_starts) if n_weights else found

    def commit(self, parsed: Parsed) -> None:
        """Nothing is learned from rows."""

    def settled(self, n_rows: int) -> Mapping[str, Any]:
        """Nothing."""
        return {}


def _scale(block: Block, rows: VWScratch) -> None:
    """Multiply the values by the scale of their namespace."""
    with np.errstate(over="ignore"):
        rows.values[:] *= rows.scales[rows.spaces]
    beyond = np.flatnonzero(np.isinf(rows.values))
    if beyond.size:
        said = "expected a value that times the scale of its namespace is within the range of float64"
        raise _at(block, said, int(rows.value_starts[beyond[0]]))


def _at(block: Block, said: str, p: int) -> DataError:
    return block.error(f"{said}, found {block.token(p)!r}", p)


def _names(block: Block, view: np.ndarray, rows: VWScratch) -> list[str]:
    """The names of the entries in the order of appearance; the indices become places among them."""
    _, spaces = distinct_runs(view, rows.space_starts, rows.space_ends)
    _, keys = distinct_runs(view, rows.key_starts, rows.key_ends)
    firsts, rows.indices[:] = distinct_pairs(spaces[rows.spaces], keys)
    return [_name(block, rows, k) for k in firsts]


def _name(block: Block, rows: VWScratch, k: int) -> str:
    """namespace^name or, of a text, namespace^name=text."""
    space = rows.spaces[k]
    parts = (rows.space_starts[space], rows.space_ends[space]), (rows.key_starts[k], rows.key_ends[k])
    above, name = (block.text[start:end].decode("utf-8", "backslashreplace") for start, end in parts)
    name = name.replace(":", "=", 1)
    return f"{above}^{name}" if above else name
