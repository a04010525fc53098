"""CRFsuite's own text: a label, then attributes with weights, a tab before each."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.compiled import kernel
from empirisk.data.csv_text import Text
from empirisk.data.errors import shortened
from empirisk.data.sequences.strings import Strings
from empirisk.data.sequences.text import DONE, FULL, RAGGED, read_text
from empirisk.data.sequences.token_columns import Column, Origin, TokenAttributes

AT_ONCE = 1 << 16  # tokens, and attributes, whose places are known at a time
TAB, FEED, RETURN, COLON, BACKSLASH = 9, 10, 13, 58, 92
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?")


def read_crfsuite(path: str, encoding: str | None = None) -> TokenAttributes:
    r"""Read a path, `-` being standard input, compressed or not: lines `label<tab>name:weight<tab>name...`.

    A weight that is not there is 1. In names `\\:` is a colon and `\\\\` a backslash; an empty line ends a sequence
    (N. Okazaki, CRFsuite, 2007). Bad data raises `DataError`.
    """
    text = read_text(path, encoding)
    place = np.zeros(5, np.int64)  # byte, line, tokens of the open sequence, colons and byte of an error
    place[1] = 1
    plain = np.empty(len(text.data), np.uint8)  # labels and names without their escapes
    most = min(AT_ONCE, len(text.data))
    labels, names, weight_texts = Strings(), Strings(), Strings()
    label_cells, name_cells, weight_cells = (np.empty((2, most), np.int64) for _ in range(3))
    lines, sizes, counts = np.empty(most, np.int32), np.empty(most, np.int64), np.empty(most, np.int64)
    parts: list[Any] = []
    code = FULL
    while code == FULL:
        code, n_tokens, n_names, n_sequences = _find_items(
            text.view, place, plain, label_cells, name_cells, weight_cells, lines, sizes, counts
        )
        if code == RAGGED:
            found = text.data[place[4] :].partition(b"\n")[0].partition(b"\t")[0].decode()
            said = f"expected a name and at most one weight, found {shortened(found)!r}; a colon in a name is \\:"
            raise text.error(said, int(place[4]))
        if code == FULL and not n_tokens:  # a line with more attributes than there is room for
            name_cells, weight_cells = (np.empty((2, 2 * name_cells.shape[1]), np.int64) for _ in range(2))
        part = (
            labels.add_cells(plain, *label_cells[:, :n_tokens]),
            names.add_cells(plain, *name_cells[:, :n_names]),
            weight_texts.add_cells(text.view, *weight_cells[:, :n_names]),
            *(array[:n].copy() for array, n in ((lines, n_tokens), (counts, n_tokens), (sizes, n_sequences))),
        )
        parts.append(part)
    label_numbers, numbers, weights, all_lines, all_counts, all_sizes = (
        np.concatenate(some) for some in zip(*parts, strict=True)
    )
    token_starts, starts = _sums(all_counts), _sums(all_sizes)
    if starts[-1] == 0:
        raise text.error("expected lines of tokens, found none", len(text.data))
    origin = Origin(text.path, all_lines)
    values = _weights(text, weight_texts, weights, token_starts, origin)
    return TokenAttributes(names, numbers, values, token_starts, starts, Column(label_numbers, labels), origin)


def _sums(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    starts = np.zeros(sizes.size + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def _weights(text: Text, texts: Strings, numbers: Any, token_starts: Any, origin: Origin) -> Any:
    """The number that each weight is; None where all are 1."""
    values = np.ones(texts.size)
    for k, written in enumerate(texts.texts()):
        if written:
            values[k] = float(written) if NUMBER.fullmatch(written) else math.nan
        if not math.isfinite(values[k]):
            token = int(np.searchsorted(token_starts, int(np.argmax(numbers == k)), side="right")) - 1
            raise origin.error(f"expected a number as the weight of an attribute, found {shortened(written)!r}", token)
    return None if bool(np.all(values == 1.0)) else values[numbers]


@kernel
def _find_items(view, place, plain, label_cells, name_cells, weight_cells, lines, sizes, counts):
    """Labels, names and weights of lines from a place on, until there is no more room or text.

    How it ended, and how many tokens, names and ended sequences were found; the open sequence is in `place`.
    """
    n_tokens = n_names = n_sequences = 0
    p, line, size, at = place[0], place[1], place[2], 0
    code = DONE
    while p < view.size:
        if n_tokens == lines.size or n_sequences == sizes.size:
            code = FULL
            break
        stop, n_tabs = p, 0
        while view[stop] != FEED:
            n_tabs += view[stop] == TAB
            stop += 1
        if n_names + n_tabs > name_cells.shape[1]:
            code = FULL
            break
        end = stop - 1 if stop > p and view[stop - 1] == RETURN else stop
        if p == end:
            if size:
                sizes[n_sequences] = size
                n_sequences += 1
                size = 0
            p, line = stop + 1, line + 1
            continue
        begin, first_name, q = at, n_names, p
        while q < end and view[q] != TAB:
            if view[q] == BACKSLASH and q + 1 < end:
                q += 1
            plain[at] = view[q]
            at += 1
            q += 1
        label_cells[0, n_tokens], label_cells[1, n_tokens] = begin, at
        while q < end:
            q += 1  # the tab
            item, begin = q, at
            while q < end and view[q] != TAB and view[q] != COLON:
                if view[q] == BACKSLASH and q + 1 < end:
                    q += 1
                plain[at] = view[q]
                at += 1
                q += 1
            weight = q
            if q < end and view[q] == COLON:
                q += 1
                weight = q
                while q < end and view[q] != TAB:
                    if view[q] == COLON:
                        place[4] = item
                        code = RAGGED
                    q += 1
            if q > item:  # two tabs in a row, or one at the end, are nothing
                name_cells[0, n_names], name_cells[1, n_names] = begin, at
                weight_cells[0, n_names], weight_cells[1, n_names] = weight, q
                n_names += 1
        if code == RAGGED:
            break
        lines[n_tokens] = line
        counts[n_tokens] = n_names - first_name
        n_tokens += 1
        size += 1
        p, line = stop + 1, line + 1
    if code == DONE and size:
        if n_sequences == sizes.size:
            code = FULL
        else:
            sizes[n_sequences] = size
            n_sequences += 1
            size = 0
    place[0], place[1], place[2] = p, line, size
    return code, n_tokens, n_names, n_sequences
