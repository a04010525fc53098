"""Files of sequences, by the name of their format: columns of CoNLL's tasks, CoNLL-U, and CRFsuite's text."""

from __future__ import annotations

from collections.abc import Callable

from empirisk.data.compressed import without_suffix
from empirisk.data.sequences.conll import read_conll
from empirisk.data.sequences.conllu import read_conllu
from empirisk.data.sequences.crfsuite import read_crfsuite
from empirisk.data.sequences.strings import Strings, as_cells
from empirisk.data.sequences.token_columns import Column, Origin, TokenAttributes, TokenColumns
from empirisk.near_names import near

SUFFIXES = {".conllu": "conllu", ".crfsuite": "crfsuite", ".crf": "crfsuite"}
FORMATS: dict[str, Callable[[str, str | None], TokenColumns | TokenAttributes]] = {
    "conll": read_conll,
    "conllu": read_conllu,
    "crfsuite": read_crfsuite,
}


def format_of_sequences(path: str) -> str:
    """What the name of a file says; columns where it says nothing."""
    name = without_suffix(path).lower()
    return next((format for suffix, format in SUFFIXES.items() if name.endswith(suffix)), "conll")


def read_sequences(path: str, format: str | None = None, encoding: str | None = None) -> TokenColumns | TokenAttributes:
    """Read a file in this format, or the one that its name says, `-` being standard input."""
    name = format_of_sequences(path) if format is None else format
    if name not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {name!r:.50}{near(name, FORMATS)}")
    return FORMATS[name](path, encoding)


__all__ = [
    "FORMATS",
    "Column",
    "Origin",
    "Strings",
    "TokenAttributes",
    "TokenColumns",
    "as_cells",
    "format_of_sequences",
    "read_conll",
    "read_conllu",
    "read_crfsuite",
    "read_sequences",
]
