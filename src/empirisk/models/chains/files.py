"""Files of sequences as the input of a model: the columns or attributes of tokens, and their labels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.features.templates import Templates
from empirisk.chains.gold import split_by
from empirisk.data.errors import DataError
from empirisk.data.sequences import Column, Origin, TokenAttributes, TokenColumns, format_of_sequences, read_sequences

WORDS = ("word", "form", "token")  # what the column of words is called


class Tokens(NamedTuple):
    """What a file holds."""

    found: TokenColumns | TokenAttributes
    path: str
    format: str

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each sequence starts."""
        return self.found.starts

    @property
    def n_sequences(self) -> int:
        """How many."""
        return int(self.starts.size - 1)

    @property
    def origin(self) -> Origin | None:
        """Where each token is in the file."""
        return self.found.origin

    def place(self, j: int, t: int) -> str:
        """Where token t of sequence j is: its file and line, or these numbers."""
        origin = self.origin
        if origin is None:
            return f"sequence {j}, token {t}"
        return f"{origin.path}, line {origin.lines[int(self.starts[j]) + t]}"

    def word_column(self, templates: Templates | None) -> Column | None:
        """The column of the words: that of this name, or form or token, else the first; None where there are none."""
        if isinstance(self.found, TokenAttributes):
            return None
        columns, names = self.found.columns, self.found.names
        places = {name: k for k, name in enumerate(names)} if names is not None else None
        if places is None and templates is not None:
            places = templates.places(len(columns))
        return columns[next((places[name] for name in WORDS if name in places), 0) if places else 0]

    def label_column(self, templates: Templates | None, label: str | None = None) -> Column | None:
        """The column of the labels: a name or a number from 1, else that of the templates, else the last; or None."""
        if isinstance(self.found, TokenAttributes):
            return self.found.labels
        columns = self.found.columns
        if label is None and templates is not None:
            if templates.label is None:
                return None
            places = templates.places(len(columns))
            if places is None:
                wanted = ", ".join(templates.columns)
                raise DataError(f"expected the columns {wanted}, found {len(columns)} columns", self.path)
            at = places.get(templates.label)
            return None if at is None else columns[at]
        names = self.found.names
        if label is None:
            return columns[-1]
        if label.isdigit() and 1 <= int(label) <= len(columns):
            return columns[int(label) - 1]
        known = list(names or (templates.columns if templates is not None else ()))
        if label not in known:
            said = f"named {', '.join(known)}" if known else f"numbered 1 to {len(columns)}"
            raise DataError(f"there is no column {label!r}: they are {said}", self.path)
        return columns[known.index(label)]

    def _refuse_leak(self, column: Column | None, templates: Templates | None) -> None:
        """Refuse labels that are features, too: they would be predicted from themselves."""
        if templates is None or isinstance(self.found, TokenAttributes):
            return
        places = templates.places(len(self.found.columns)) or {}
        for template in templates.features:
            for term in template.terms:
                at = places.get(term.column)
                if at is not None and self.found.columns[at] is column:
                    raise DataError(f"the feature {template.text!r} reads the column of the labels", self.path)

    def labels(self, templates: Templates | None, label: str | None = None) -> list[list[str]]:
        """The label of each token, a list for each sequence; `DataError` where there are none."""
        column = self.label_column(templates, label)
        self._refuse_leak(column, templates)
        if column is None:
            raise DataError("expected a column of labels, found none", self.path)
        return split_by(column.texts(), self.starts)

    def lines(self) -> list[str]:
        """Each token as it is written: its columns, or its label and attributes, without the end of the line."""
        if isinstance(self.found, TokenColumns):
            return [" ".join(cells) for cells in zip(*(column.texts() for column in self.found.columns), strict=True)]
        labels = self.found.labels
        return [""] * int(self.starts[-1]) if labels is None else labels.texts()


def read_tokens(path: str, format: str | None = None, encoding: str | None = None) -> Tokens:
    """Read a file of sequences."""
    known = format_of_sequences(path) if format is None else format
    return Tokens(read_sequences(path, known, encoding), path, known)
