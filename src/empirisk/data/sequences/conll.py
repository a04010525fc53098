"""Columns of CoNLL's shared tasks: a line a token, blanks or tabs between columns, an empty line after a sequence."""

from __future__ import annotations

from empirisk.data.csv_text import Text
from empirisk.data.sequences.column_text import OUTSIDE, Layout, read_cells, token_columns
from empirisk.data.sequences.text import read_text
from empirisk.data.sequences.token_columns import TokenColumns


def read_conll(path: str, encoding: str | None = None) -> TokenColumns:
    """Read a path, `-` being standard input, compressed or not.

    Any run of blanks and tabs parts columns, every line has as many as the first, and lines that begin with -DOCSTART-
    part sequences as empty ones do (E. F. Tjong Kim Sang and F. De Meulder, 2003). Bad data raises `DataError`.
    """
    text = read_text(path, encoding)
    first_line, n_columns = _first_token(text)
    layout = Layout(n_columns, tuple(range(n_columns)), has_comments=False)
    return token_columns(text, read_cells(text, layout, first_line))


def _first_token(text: Text) -> tuple[int, int]:
    """The line of the first token, and how many columns it has."""
    line, p, outside = 1, 0, OUTSIDE.tobytes()
    while p < len(text.data):
        stop = text.data.index(b"\n", p)
        cells = text.data[p:stop].removesuffix(b"\r").replace(b"\t", b" ").split(b" ")
        cells = [cell for cell in cells if cell]
        if cells and cells[0] != outside:
            return line, len(cells)
        line, p = line + 1, stop + 1
    raise text.error("expected lines of tokens, found none", len(text.data))
