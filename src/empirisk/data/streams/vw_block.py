"""Lines of Vowpal Wabbit text: one compiled pass that turns a block into arrays.

    label importance 'tag|namespace:scale name name:value name:text |other ...

A bad byte comes back as a code and a position. Every number is exact; one that only `float` can tell is NaN.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.compiled import kernel
from empirisk.data.blocks import Block
from empirisk.data.hashing import hash_name, murmur
from empirisk.data.numbers import NOT_FINITE, NUMBER, parse_number

(DONE, NO_BAR, NO_LABEL, BAD_LABEL, THIRD_NUMBER, AFTER_TAG, NO_SPACE, BAD_SCALE, NO_NAME, NO_VALUE, BAD_VALUE) = range(
    11
)


class VWScratch(NamedTuple):
    """Room for the rows of a block: a row takes at least two bytes, an entry too, a namespace one."""

    labels: np.ndarray
    row_starts: np.ndarray
    weights: np.ndarray
    weight_starts: np.ndarray
    row_ends: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    value_starts: np.ndarray
    spaces: np.ndarray  # of each entry the namespace that it stands in
    key_starts: np.ndarray  # of each entry the name, with its text
    key_ends: np.ndarray
    scales: np.ndarray
    scale_starts: np.ndarray
    space_starts: np.ndarray
    space_ends: np.ndarray


PER_ROW, PER_ENTRY = 5, 6  # fields
FLOATS = ("labels", "weights", "values", "scales")


def scratch_for(block: Block) -> VWScratch:
    """Room for any block of this length."""
    size = len(block.text)
    arrays = []
    for place, name in enumerate(VWScratch._fields):
        length = size // 2 + 1 if place < PER_ROW + PER_ENTRY else size + 1
        arrays.append(np.empty(length, np.float64 if name in FLOATS else np.int64))
    return VWScratch(*arrays)


@kernel(exact=True, inlined=True)
def _skip_blanks(buffer, p):
    """The first byte from p on that is not a space, a tab or a carriage return."""
    while buffer[p] == 32 or buffer[p] == 9 or buffer[p] == 13:
        p += 1
    return p


@kernel(exact=True)
def _ends_word(byte):
    """A blank or a line feed."""
    return byte == 32 or byte == 10 or byte == 9 or byte == 13


@kernel(exact=True)
def _ends_name(byte):
    """A blank, a line feed, a colon or a bar."""
    return byte == 32 or byte == 58 or byte == 10 or byte == 124 or byte == 9 or byte == 13


@kernel(exact=True)
def parse_rows(
    buffer,
    stop,
    mask,
    is_labeled,
    labels,
    row_starts,
    weights,
    weight_starts,
    row_ends,
    indices,
    values,
    value_starts,
    spaces,
    key_starts,
    key_ends,
    scales,
    scale_starts,
    space_starts,
    space_ends,
):
    """Parse buffer[:stop], which ends with a line feed: (code, byte, rows, entries, namespaces, weights given).

    An entry of zero is left out, as Vowpal Wabbit does.
    """
    p = n_rows = n_entries = n_spaces = n_weights = 0
    while p < stop:
        p = _skip_blanks(buffer, p)
        if buffer[p] == 10:
            p += 1
            continue
        row_starts[n_rows] = weight_starts[n_rows] = p
        labels[n_rows] = 0.0
        weights[n_rows] = 1.0
        n_numbers = 0
        while buffer[p] != 124:
            if buffer[p] == 10:
                return NO_BAR, row_starts[n_rows], n_rows, n_entries, n_spaces, n_weights
            is_tag = buffer[p] == 39
            if not is_tag:
                value, end, kind = parse_number(buffer, p)
                if kind != NUMBER or not _ends_word(buffer[end]):
                    end = p
                    while not _ends_word(buffer[end]) and buffer[end] != 124:
                        end += 1
                    is_tag = buffer[end] == 124  # what touches the bar is one
                    if not is_tag:
                        return BAD_LABEL, p, n_rows, n_entries, n_spaces, n_numbers
            if is_tag:
                while not _ends_word(buffer[p]) and buffer[p] != 124:
                    p += 1
                p = _skip_blanks(buffer, p)
                if buffer[p] != 124:
                    return AFTER_TAG, p, n_rows, n_entries, n_spaces, n_weights
            else:
                if n_numbers == 0:
                    labels[n_rows] = value
                elif n_numbers == 1:
                    weights[n_rows] = value
                    weight_starts[n_rows] = p
                    n_weights += 1
                else:
                    return THIRD_NUMBER, p, n_rows, n_entries, n_spaces, n_weights
                n_numbers += 1
                p = _skip_blanks(buffer, end)
        if is_labeled and n_numbers == 0:
            return NO_LABEL, p, n_rows, n_entries, n_spaces, n_weights
        while buffer[p] == 124:
            p += 1
            start = p
            while not _ends_name(buffer[p]):
                p += 1
            space = np.int64(0) if p == start else hash_name(buffer, start, p, np.int64(0))
            space_starts[n_spaces] = start
            space_ends[n_spaces] = p
            scales[n_spaces] = 1.0
            scale_starts[n_spaces] = p
            if buffer[p] == 58:
                if p == start:
                    return NO_SPACE, p, n_rows, n_entries, n_spaces, n_weights
                value, end, kind = parse_number(buffer, p + 1)
                if kind != NUMBER or not (_ends_word(buffer[end]) or buffer[end] == 124):
                    return BAD_SCALE, p + 1, n_rows, n_entries, n_spaces, n_weights
                scales[n_spaces] = value
                scale_starts[n_spaces] = p + 1
                p = end
            p = _skip_blanks(buffer, p)
            while buffer[p] != 124 and buffer[p] != 10:
                start = p
                number = np.int64(0)
                while True:
                    digit = np.int64(buffer[p]) - 48
                    if digit < 0 or digit > 9:
                        break
                    number = (10 * number + digit) & 0xFFFFFFFF
                    p += 1
                if _ends_name(buffer[p]):
                    if p == start:
                        return NO_NAME, p, n_rows, n_entries, n_spaces, n_weights
                    column = number + space
                else:
                    while not _ends_name(buffer[p]):
                        p += 1
                    column = murmur(buffer, start, p, space)
                value = 1.0
                value_start = start
                key_end = p
                if buffer[p] == 58:
                    p += 1
                    value_start = p
                    value, end, kind = parse_number(buffer, p)
                    is_ended = _ends_word(buffer[end]) or buffer[end] == 124
                    if kind != NUMBER and not (kind == NOT_FINITE and is_ended):
                        end = p
                        while not _ends_word(buffer[end]) and buffer[end] != 124:
                            end += 1
                        if end == p:
                            return NO_VALUE, p, n_rows, n_entries, n_spaces, n_weights
                        is_ended = buffer[end] != 124
                        value = 1.0
                        column = hash_name(buffer, p, end, column & 0xFFFFFFFF)
                        key_end = end
                        kind = NUMBER
                    if kind != NUMBER or not is_ended:
                        return BAD_VALUE, p, n_rows, n_entries, n_spaces, n_weights
                    p = end
                if value != 0.0:
                    indices[n_entries] = column & mask
                    values[n_entries] = value
                    value_starts[n_entries] = value_start
                    spaces[n_entries] = n_spaces
                    key_starts[n_entries] = start
                    key_ends[n_entries] = key_end
                    n_entries += 1
                p = _skip_blanks(buffer, p)
            n_spaces += 1
        row_ends[n_rows] = n_entries
        n_rows += 1
        p += 1
    return DONE, p, n_rows, n_entries, n_spaces, n_weights
