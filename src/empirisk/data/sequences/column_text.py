"""Text with a line a token and a column a property: where its cells are, and what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.data.csv_text import Text
from empirisk.data.errors import DataError
from empirisk.data.sequences.strings import Strings
from empirisk.data.sequences.text import DONE, FULL, RAGGED
from empirisk.data.sequences.token_columns import Column, Origin, TokenColumns

AT_ONCE = 1 << 16  # tokens whose cells are known at a time
TAB, FEED, RETURN, BLANK, HASH, POINT, DASH = 9, 10, 13, 32, 35, 46, 45
OUTSIDE = np.frombuffer(b"-DOCSTART-", np.uint8)  # the first column of a line between two documents


class Layout(NamedTuple):
    """How lines are meant: columns parted by one tab each, or by blanks and tabs; with comments and numbers, or not."""

    n_columns: int
    wanted: tuple[int, ...]  # columns that are kept
    has_comments: bool  # CoNLL-U: lines with #, and a first column that says which lines are tokens


class Found(NamedTuple):
    """All that was found."""

    columns: tuple[Column, ...]
    lines: NDArray[np.int32]
    starts: NDArray[np.int64]
    comments: NDArray[np.int64]  # the byte where the comments of each sequence begin; -1 where it has none


def read_cells(text: Text, layout: Layout, first_line: int) -> Found:
    """Every token of the text; DataError for a line with another number of columns than the first one has."""
    place = np.zeros(6, np.int64)  # byte, line, tokens of the open sequence, its comments, columns and byte of an error
    place[1], place[3] = 1, -1
    wanted = np.full(layout.n_columns, -1)
    wanted[list(layout.wanted)] = np.arange(len(layout.wanted))
    values = [Strings() for _ in layout.wanted]
    most = min(AT_ONCE, len(text.data) // 2 + 1)
    begins, ends = np.empty((2, len(layout.wanted), most), np.int64)
    lines, sizes, comments = np.empty(most, np.int32), np.empty(most, np.int64), np.empty(most, np.int64)
    parts: list[Any] = []
    code = FULL
    while code == FULL:
        code, n_tokens, n_sequences = _find_cells(
            text.view, place, wanted, layout.has_comments, OUTSIDE, begins, ends, lines, sizes, comments
        )
        if code == RAGGED:
            raise _ragged(text, layout, int(place[4]), int(place[5]), first_line)
        numbers = [
            strings.add_cells(text.view, begins[k, :n_tokens], ends[k, :n_tokens]) for k, strings in enumerate(values)
        ]
        parts.append((numbers, lines[:n_tokens].copy(), sizes[:n_sequences].copy(), comments[:n_sequences].copy()))
    numbers_of, line_parts, size_parts, comment_parts = zip(*parts, strict=True)
    starts = np.concatenate([[0], np.cumsum(np.concatenate(size_parts), dtype=np.int64)])
    if starts[-1] == 0:
        raise text.error("expected lines of tokens, found none", len(text.data))
    by_column = zip(*numbers_of, strict=True)
    columns = tuple(Column(np.concatenate(parts), strings) for parts, strings in zip(by_column, values, strict=True))
    return Found(columns, np.concatenate(line_parts), starts, np.concatenate(comment_parts))


def token_columns(
    text: Text, found: Found, sequence_names: list[str] | None = None, names: Sequence[str] | None = None
) -> TokenColumns:
    """The same, with its place in the file."""
    origin = Origin(text.path, found.lines, sequence_names)
    return TokenColumns(found.columns, found.starts, origin, None if names is None else tuple(names))


def _ragged(text: Text, layout: Layout, found: int, at: int, first_line: int) -> DataError:
    line = text.data[at : text.data.index(b"\n", at)].rstrip(b"\r")
    expected = f"expected {layout.n_columns} columns"
    if layout.has_comments:
        if found == layout.n_columns:
            word = line.partition(b"\t")[0].decode()
            return text.error(f"expected the number of a word in the first column, found {word!r:.40}", at)
        return text.error(f"{expected} with a tab between them, found {found}", at)
    hint = "; both tabs and blanks part columns" if b"\t" in line and b" " in line else ""
    return text.error(f"{expected} as in line {first_line}, found {found}{hint}", at)


@kernel
def _find_cells(view, place, wanted, has_comments, outside, begins, ends, lines, sizes, comments):
    """Cells of lines from a place on, until there is no more room or text; how it ended, and how many were found.

    `sizes` and `comments` are those of sequences that ended; the open one is in `place`, and ends with the text.
    """
    n_columns, most = wanted.size, lines.size
    n_tokens = n_sequences = 0
    p, line, size, comment = place[0], place[1], place[2], place[3]
    code = DONE
    while p < view.size:
        if n_tokens == most or n_sequences == most:
            code = FULL
            break
        start, stop = p, p
        while view[stop] != FEED:
            stop += 1
        p, end = stop + 1, stop
        if end > start and view[end - 1] == RETURN:
            end -= 1
        first = start
        while first < end and (view[first] == BLANK or view[first] == TAB):
            first += 1
        ends_sequence = first == end
        if has_comments:
            if not ends_sequence and view[start] == HASH:
                if comment < 0:
                    comment = start
                line += 1
                continue
        elif end - first >= outside.size:
            k = 0
            while k < outside.size and view[first + k] == outside[k]:
                k += 1
            q = first + k
            ends_sequence = k == outside.size and (q == end or view[q] == BLANK or view[q] == TAB)
        if ends_sequence:
            if size:
                sizes[n_sequences] = size
                comments[n_sequences] = comment
                n_sequences += 1
                size = 0
                comment = -1
            line += 1
            continue
        n_found = 0
        q = start if has_comments else first
        while q <= end if has_comments else q < end:
            begin = q
            if has_comments:
                while q < end and view[q] != TAB:
                    q += 1
            else:
                while q < end and view[q] != BLANK and view[q] != TAB:
                    q += 1
            if n_found < n_columns and wanted[n_found] >= 0:
                begins[wanted[n_found], n_tokens] = begin
                ends[wanted[n_found], n_tokens] = q
            if n_found == 0:
                first = q
            n_found += 1
            q += 1
            if not has_comments:
                while q < end and (view[q] == BLANK or view[q] == TAB):
                    q += 1
        is_token = True
        is_right = n_found == n_columns
        if has_comments and is_right:  # 7 is a word, 7-8 a range of words, 7.1 an empty node
            is_right = start < first
            for k in range(start, first):
                if view[k] == DASH or view[k] == POINT:
                    is_token = False
                elif view[k] < 48 or view[k] > 57:
                    is_right = False
        if not is_right:
            place[4], place[5] = n_found, start
            code = RAGGED
            break
        if is_token:
            lines[n_tokens] = line
            n_tokens += 1
            size += 1
        line += 1
    if code == DONE and size:
        if n_sequences == most:
            code = FULL
        else:
            sizes[n_sequences] = size
            comments[n_sequences] = comment
            n_sequences += 1
            size = 0
    place[0], place[1], place[2], place[3] = p, line, size, comment
    return code, n_tokens, n_sequences
