"""CSV as a stream: a record a line, columns by name, categories as columns of their own.

A column is numbers if its first cell is one, else categories, name=value; what it is then stays.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from empirisk.data.block_numbers import settle_numbers, wanted_number
from empirisk.data.blocks import Block
from empirisk.data.csv_cells import AFTER_QUOTE, DONE, RAGGED, UNCLOSED, next_cell
from empirisk.data.csv_columns import QUOTE
from empirisk.data.csv_separator import find_separator
from empirisk.data.csv_text import Text
from empirisk.data.dialect import name_of_separator
from empirisk.data.distinct_runs import distinct_runs
from empirisk.data.errors import DataError, shortened
from empirisk.data.hashing import hashed
from empirisk.data.streams.csv_block import (
    CATEGORIES,
    IGNORED,
    LABEL,
    LABEL_WORD,
    MISSING,
    NUMBERS,
    PER_ROW,
    UNDECIDED,
    WEIGHT,
    CSVScratch,
    parse_records,
    scratch_for,
)
from empirisk.data.streams.label_words import worded
from empirisk.data.streams.names import distinct_pairs
from empirisk.data.streams.parsed import EMPTY, LABEL_NAMES, Parsed

KINDS = {NUMBERS: "number", CATEGORIES: "text"}
SETTLED = ("separator", "columns", "kinds", "label", "weights")
SHOWN = 20  # names of columns that an error lists


def check_settled(settled: Mapping[str, Any]) -> None:
    """ValueError for what no reader has settled."""
    if not settled:  # there was no row
        return
    if sorted(settled) != sorted(SETTLED):
        raise ValueError("what is known of the columns is not that of a table")
    columns, kinds, label, weights = (settled[name] for name in SETTLED[1:])
    are_texts = all(type(names) is list and all(type(name) is str for name in names) for names in (columns, kinds))
    is_known = are_texts and len(columns) == len(kinds) and {*kinds} <= {"", *KINDS.values()}
    if not is_known or len({*columns}) < len(columns) or label not in columns or weights not in (None, *columns):
        raise ValueError("what is known of the columns is not that of a table")
    if type(settled["separator"]) is not str or not re.fullmatch(r"[\t\x21-\x7e]", settled["separator"]):
        raise ValueError("the separator of a table must be one character")


class CSVReader:
    """Reads records; `settled` is what was known of the columns when the stream began."""

    def __init__(
        self,
        options: Mapping[str, Any],
        words: Mapping[str, float] | None,
        is_labeled: bool,
        settled: Mapping[str, Any],
    ) -> None:
        self._options, self._words, self._is_labeled, self._before = options, words, is_labeled, settled
        self.is_begun = False
        self._scratch: CSVScratch | None = None
        self._n_rows = 0
        self._log: list[tuple[int, int, str]] = []  # rows at which columns were settled

    def begin(self, block: Block) -> Block:
        """The block below its header: names, separator, and what each column is for."""
        ends = block.line_ends().tolist()
        starts = [0, *ends[:-1]]
        found = next((k for k in range(len(ends)) if bytes(block.text[starts[k] : ends[k]]).strip()), None)
        if found is None:
            return block.below(block.stop)
        start, end = starts[found], ends[found]
        line = bytes(block.text[start:end])
        asked = self._options["separator"] or self._before.get("separator")
        separator = asked or find_separator(np.frombuffer(line, np.uint8))
        cells = _cells(block, line, start, ord(separator))
        if self._options["header"]:
            names = _checked_names(block, cells, start)
        else:
            names = [str(column) for column in range(len(cells))]
        self._check_same(block, names, start)
        self._separator, self._names = ord(separator), names
        self._assign(block, start)
        self.is_begun = True
        return block.below(end if self._options["header"] else start)

    def parse(self, block: Block) -> Parsed:
        """All rows of a block, or the error of a line."""
        if self._scratch is None or len(self._scratch.values) <= len(block.text) // 2:
            self._scratch = scratch_for(block)
        view, bits, kinds = block.view(), self._options["bits"], self._kinds.copy()
        decided_at = np.full(kinds.size, -1)
        mask, are_absent = 0 if bits is None else (1 << bits) - 1, self._options["missing"] == "absent"
        told = self._separator, kinds, decided_at, self._seeds, mask, are_absent
        code, p, column, n_rows, n_entries = parse_records(view, block.stop, *told, *self._scratch)
        if code != DONE:
            raise self._error(block, code, p, column)
        rows = CSVScratch(
            *(array[: n_rows if place < PER_ROW else n_entries] for place, array in enumerate(self._scratch))
        )
        labels = rows.labels
        if LABEL_WORD in kinds:
            assert self._words is not None
            labels = worded(block, rows.label_starts, rows.label_ends, self._words)
        elif LABEL in kinds:
            settle_numbers(block, labels, rows.label_starts)
        settle_numbers(block, rows.values, rows.value_starts)
        weights = EMPTY, EMPTY
        if WEIGHT in kinds:
            settle_numbers(block, rows.weights, rows.weight_starts)
            weights = rows.weights, rows.weight_starts
        names = None if bits is not None else self._entry_names(block, rows)
        settling = tuple((int(decided_at[j]), j, KINDS[kinds[j]]) for j in np.flatnonzero(decided_at >= 0).tolist())
        starts = rows.row_starts if LABEL not in kinds and LABEL_WORD not in kinds else rows.label_starts
        return Parsed(labels, starts, rows.row_ends, rows.indices, rows.values, *weights, names, settling=settling)

    def commit(self, parsed: Parsed) -> None:
        """Columns that these rows have settled stay so."""
        for row, column, kind in parsed.settling:
            self._log.append((self._n_rows + row, column, kind))
            self._kinds[column] = NUMBERS if kind == KINDS[NUMBERS] else CATEGORIES
        self._n_rows += len(parsed.labels)

    def settled(self, n_rows: int) -> Mapping[str, Any]:
        """Separator, names and kinds of the columns, as the first rows have settled them."""
        if not self.is_begun:
            return self._before
        kinds = list(self._known)
        for row, column, kind in self._log:
            if row < n_rows:
                kinds[column] = kind
        named = {"label": self._label, "weights": self._weight}
        return {"separator": chr(self._separator), "columns": list(self._names), "kinds": kinds, **named}

    def _check_same(self, block: Block, names: list[str], start: int) -> None:
        """Refuse a stream whose columns are not those of the run."""
        known = self._before.get("columns")
        if known is None or names == known:
            return
        optional = self._before["label"], self._before["weights"]
        if not self._is_labeled and names == [name for name in known if name in names or name not in optional]:
            return
        said = f"expected the columns of the run, {_listed(known)}, found {_listed(names)}"
        raise block.error(said, start)

    def _assign(self, block: Block, start: int) -> None:
        """What each column is, by the options and by what was known before."""
        options, names, known = self._options, self._names, self._before.get("columns")
        kept = dict(zip(known or (), self._before.get("kinds", ()), strict=True))
        self._known = [kept.get(name, "") for name in names]
        settled = {"": UNDECIDED, KINDS[NUMBERS]: NUMBERS, KINDS[CATEGORIES]: CATEGORIES}
        kinds = [settled[kind] for kind in self._known]
        for option, kind in (("text", CATEGORIES), ("ignore", IGNORED)):
            for asked in options[option]:
                kinds[self._column(block, start, option, asked)] = kind
        self._label, self._weight = self._before.get("label"), self._before.get("weights")
        if known is None:
            self._label = names[self._label_column(block, start)]
            if options["weights"] is not None:
                self._weight = names[self._column(block, start, "weights", options["weights"])]
        label = LABEL if self._words is None else LABEL_WORD
        for name, kind in ((self._weight, WEIGHT), (self._label, label)):
            if name in names:
                kinds[names.index(name)] = kind if self._is_labeled else IGNORED
        self._kinds = np.array(kinds, np.int64)
        self._seeds = np.array([hashed(name) for name in names], np.int64)

    def _label_column(self, block: Block, start: int) -> int:
        asked = self._options["label"]
        if asked is not None:
            return self._column(block, start, "label", asked)
        found = [column for column, name in enumerate(self._names) if name.lower() in LABEL_NAMES]
        if len(found) == 1:
            return found[0]
        which = "more than one" if found else "none"
        wanted = "expected one label column named label, target, class or y"
        raise block.error(f"{wanted}, found {which} among {_listed(self._names)}; name it with label=...", start)

    def _column(self, block: Block, start: int, option: str, asked: str) -> int:
        """A column by its name or, where none has it, by its number from 0 on; from the last where it is negative."""
        if asked in self._names:
            return self._names.index(asked)
        if asked.removeprefix("-").isdecimal() and -len(self._names) <= int(asked) < len(self._names):
            return int(asked) % len(self._names)
        said = f"expected the column {asked!r} of {option}=..., found the columns {_listed(self._names)}"
        raise block.error(said, start)

    def _entry_names(self, block: Block, rows: CSVScratch) -> list[str]:
        """The names of the entries in the order of appearance; the indices become places among them."""
        _, cells = distinct_runs(block.view(), rows.value_starts, rows.value_ends, QUOTE)
        firsts, rows.indices[:] = distinct_pairs(rows.columns, cells)
        names = []
        for k in firsts:
            name, cell = self._names[rows.columns[k]], _cell(block, rows.value_starts[k], rows.value_ends[k])
            names.append(f"{name}={cell}" if rows.value_ends[k] > rows.value_starts[k] else name)
        return names

    def _error(self, block: Block, code: int, p: int, column: int) -> DataError:
        if code in (UNCLOSED, AFTER_QUOTE):
            return block.error(_quote_sentence(code, self._separator), p)
        if code == RAGGED:
            between = "" if self._separator == 44 else f" between {name_of_separator(chr(self._separator))}s"
            return block.error(f"expected {len(self._names)} fields, found {column}{between}", p)
        name = shortened(self._names[column])
        if code == MISSING:
            hint = "; missing='absent' leaves it out" if self._kinds[column] <= CATEGORIES else ""
            return block.error(f"expected a value in the column {name!r}, found an empty cell{hint}", p)
        _, end, _, _ = next_cell(block.view(), p, block.stop, self._separator)
        found = _cell(block, p, end)
        hint = ""
        if self._kinds[column] == NUMBERS or self._kinds[column] == UNDECIDED:
            hint = "; text=... takes the column as categories"
        elif self._kinds[column] == LABEL:
            hint = "; classes=... names labels that are texts"
        said = f"expected {wanted_number(found)} in the column {name!r}, found {shortened(found)!r}{hint}"
        return block.error(said, p)


def _cells(block: Block, line: bytes, start: int, separator: int) -> list[str]:
    """The cells of one line."""
    view = np.frombuffer(line, np.uint8)
    text, cells, p = Text(line, view, block.path, separator), [], 0
    while p < len(line):
        first, end, delimiter, code = next_cell(view, p, len(line) - 1, separator)
        if code != DONE:
            raise block.error(_quote_sentence(code, separator), start + p)
        try:
            cells.append(text.cell(first, end).strip())
        except UnicodeDecodeError:
            raise block.error("expected text in UTF-8, found other bytes", start + p) from None
        p = delimiter + 1
    return cells


def _checked_names(block: Block, names: list[str], start: int) -> list[str]:
    for number, name in enumerate(names, start=1):
        if not name and (number > 1 or len(names) == 1):
            raise block.error(f"expected a name for column {number}, found none", start)
        if name in names[: number - 1]:
            hint = "; header=False reads it as a row" if name.replace(".", "").isdigit() else ""
            raise block.error(f"expected each name once, found {shortened(name)!r} again{hint}", start)
    return names


def _cell(block: Block, start: int, end: int) -> str:
    """As it was meant: a quote before it says that doubled quotes in it stand for one."""
    cell = block.text[start:end].decode("utf-8", "backslashreplace")
    return cell.replace('""', '"') if start and block.text[start - 1] == QUOTE else cell


def _quote_sentence(code: int, separator: int) -> str:
    if code == UNCLOSED:
        return "expected a closing quote before the end of the line, found none"
    return f"expected a {name_of_separator(chr(separator))} or the end of the line after the closing quote"


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, map(shortened, names[:SHOWN]))) + (", ..." if len(names) > SHOWN else "")
