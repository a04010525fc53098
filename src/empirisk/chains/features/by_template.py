"""Attributes that templates make of columns: a dictionary of the tuples of values that were met."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.features.templates import Applied, Template, Templates, Term
from empirisk.chains.features.tuple_numbers import ABSENT, EVERY_BIT, fill_slots, gather_rows, number_tuples, ranks
from empirisk.compiled import quiet
from empirisk.data.sequences import Strings, TokenColumns
from empirisk.designs import Indicators, indicators

Source = tuple[str, tuple[Applied, ...]]  # a column, and the functions that its values go through
ALIASES = {"word": "form", "pos": "upos", "tag": "upos"}  # what CoNLL-U calls the columns of the built-in templates


class TemplateDictionary:
    """Value vocabularies, and for each template the tuples of values that have an attribute, with its number."""

    def __init__(self, templates: Templates) -> None:
        self.templates = templates
        self.n_attributes = 0
        self._sources = sources_of(templates)
        self._values = [Strings() for _ in self._sources]
        self._tuples = [np.empty((0, len(template.terms)), np.int32) for template in templates.features]
        self._numbers = [np.empty(0, np.int32) for _ in templates.features]
        self._slots: list[Any] | None = None  # of all templates, made when first asked for
        self._names: Any = None

    def encode(self, columns: TokenColumns) -> Indicators:
        """The attributes of each token, unknown ones left out."""
        if self._slots is None:
            self._slots = [_filled(tuples) for tuples in self._tuples]
        values = values_at_tokens(self.templates, self._sources, columns, [strings.find for strings in self._values])
        found, bases = self._found(columns), self._bases()
        for m, (rows, offsets) in enumerate(self._places()):
            tuples = self._tuples[m]
            counts = np.zeros(tuples.shape[0], np.int64)
            with quiet():
                number_tuples(
                    values,
                    rows,
                    offsets,
                    columns.starts,
                    self._slots[m],
                    tuples,
                    0,
                    EVERY_BIT,
                    False,
                    counts,
                    found[:, m],
                )
        return gathered(found, bases, np.concatenate(self._numbers), self.n_attributes)

    def grown(self, columns: TokenColumns, min_count: int = 1) -> tuple[Indicators, TemplateDictionary]:
        """The same of tokens whose new attributes join first, if at least `min_count` tokens have them.

        Numbers go by falling frequency among those that are new; the old ones stay.
        """
        other = TemplateDictionary(self.templates)
        other._values = [strings.copy() for strings in self._values]
        values = values_at_tokens(self.templates, self._sources, columns, [strings.add for strings in other._values])
        found, counts, parts = self._found(columns), [], []
        for m, (rows, offsets) in enumerate(self._places()):
            known, n_known = self._tuples[m], self._tuples[m].shape[0]
            n_values = math.prod(other._values[row].size for row in rows)
            tuples = np.empty((n_known + min(n_values, values.shape[1]), rows.size), np.int32)
            tuples[:n_known] = known
            slots, count = _filled(known, tuples.shape[0]), np.zeros(tuples.shape[0], np.int64)
            with quiet():
                size = number_tuples(
                    values, rows, offsets, columns.starts, slots, tuples, n_known, EVERY_BIT, True, count, found[:, m]
                )
            parts.append(tuples[:size].copy())
            counts.append(count[n_known:size])
        numbers, other.n_attributes = ranks(np.concatenate(counts), min_count, self.n_attributes)
        new = np.split(numbers, np.cumsum([count.size for count in counts])[:-1])
        other._tuples = parts
        other._numbers = [np.concatenate([old, added]) for old, added in zip(self._numbers, new, strict=True)]
        design = gathered(found, other._bases(), np.concatenate(other._numbers), other.n_attributes)
        other._forget_rare()
        return design, other

    def name_of(self, attribute: int) -> str:
        """The template, = and the values."""
        if self._names is None:
            template_of = np.empty(self.n_attributes, np.int32)
            place_of = np.empty(self.n_attributes, np.int64)
            for m, numbers in enumerate(self._numbers):
                template_of[numbers], place_of[numbers] = m, np.arange(numbers.size)
            self._names = template_of, place_of
        m, place = int(self._names[0][attribute]), int(self._names[1][attribute])
        template, (rows, _) = self.templates.features[m], self._places()[m]
        texts = (self._values[row][int(value)] for row, value in zip(rows, self._tuples[m][place], strict=True))
        return f"{template.text}={'|'.join(texts)}" if template.terms else template.text

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """By attribute its template and its tuple, and the vocabularies."""
        template_of = np.empty(self.n_attributes, np.int64)
        places = np.empty(self.n_attributes, np.int64)
        widths = np.array([tuples.shape[1] for tuples in self._tuples])
        for m, numbers in enumerate(self._numbers):
            template_of[numbers], places[numbers] = m, np.arange(numbers.size)
        starts = np.zeros(self.n_attributes + 1, np.int64)
        np.cumsum(widths[template_of], out=starts[1:])
        values = np.empty(starts[-1], np.int64)
        for numbers, tuples in zip(self._numbers, self._tuples, strict=True):
            values[starts[numbers][:, None] + np.arange(tuples.shape[1])] = tuples
        arrays = {"attribute_templates": _narrowed(template_of), "attribute_values": _narrowed(values)}
        for k, strings in enumerate(self._values):
            arrays[f"values_{k}"], arrays[f"value_starts_{k}"] = strings.to_arrays()
        return arrays

    @classmethod
    def from_arrays(cls, templates: Templates, arrays: dict[str, NDArray[Any]]) -> TemplateDictionary:
        """What `to_arrays` told; ValueError for what cannot be."""
        found = cls(templates)
        for k in range(len(found._sources)):
            found._values[k] = Strings.of_arrays(arrays[f"values_{k}"], arrays[f"value_starts_{k}"])
        template_of = np.asarray(arrays["attribute_templates"], np.int64)
        values = np.asarray(arrays["attribute_values"], np.int64)
        widths = np.array([tuples.shape[1] for tuples in found._tuples])
        if np.any((template_of < 0) | (template_of >= widths.size)):
            raise ValueError("an attribute is of a template that is not there")
        starts = np.zeros(template_of.size + 1, np.int64)
        np.cumsum(widths[template_of], out=starts[1:])
        if starts[-1] != values.size:
            raise ValueError("the values of attributes are not as many as their templates have")
        found.n_attributes = template_of.size
        for m, (rows, _) in enumerate(found._places()):
            numbers = np.flatnonzero(template_of == m)
            tuples = values[starts[numbers][:, None] + np.arange(widths[m])]
            if np.any(tuples < 0) or np.any(tuples >= np.array([found._values[row].size for row in rows], np.int64)):
                raise ValueError("an attribute has a value that is not there")
            found._tuples[m], found._numbers[m] = tuples.astype(np.int32), numbers.astype(np.int32)
        return found

    def _found(self, columns: TokenColumns) -> NDArray[np.int32]:
        return np.empty((int(columns.starts[-1]), len(self._tuples)), np.int32)

    def _bases(self) -> NDArray[np.int64]:
        """Where the numbers of each template begin, one template after the other."""
        return np.cumsum([0, *(numbers.size for numbers in self._numbers)][:-1])

    def _places(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        return [places(template, self._sources) for template in self.templates.features]

    def _forget_rare(self) -> None:
        """Tuples without an attribute."""
        for m, numbers in enumerate(self._numbers):
            if numbers.size and int(numbers.min()) == ABSENT:
                kept = numbers != ABSENT
                self._tuples[m], self._numbers[m] = self._tuples[m][kept], numbers[kept]


def sources_of(templates: Templates) -> list[Source]:
    """What the terms of templates look at, offsets aside, each once."""
    return list(dict.fromkeys(_source(term) for template in templates.features for term in template.terms))


def places(template: Template, sources: list[Source]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The source and the offset of each term."""
    rows = [sources.index(_source(term)) for term in template.terms]
    return np.array(rows, np.int64), np.array([term.offset for term in template.terms], np.int64)


def _source(term: Term) -> Source:
    return term.column, term.functions


def values_at_tokens(
    templates: Templates, sources: list[Source], columns: TokenColumns, number: list[Callable[..., Any]]
) -> NDArray[np.int32]:
    """For each source the number of the value at each token, ABSENT where there is none.

    `number[k]` numbers texts of source k. Functions run once for each distinct value of a column.
    """
    where = column_places(templates, columns)
    out = np.empty((len(sources), int(columns.starts[-1])), np.int32)
    texts = {name: columns.columns[where[name]].values.texts() for name in {name for name, _ in sources}}
    for k, (name, functions) in enumerate(sources):
        column, made = columns.columns[where[name]], texts[name]
        at = np.arange(len(made))  # of the distinct values, those that have something there
        for applied in functions:
            some = applied.of_all(made)
            at = at[[text is not None for text in some]]
            made = [text for text in some if text is not None]
        numbers = np.full(column.values.size, ABSENT, np.int32)
        numbers[at] = number[k](made)
        np.take(numbers, column.numbers, out=out[k])
    return out


def column_places(templates: Templates, columns: TokenColumns) -> dict[str, int]:
    """Where each column of the templates is, the label too where it is there; ValueError for other columns."""
    wanted = ", ".join(templates.columns)
    if columns.names is not None:
        found = {name: ALIASES.get(name, name) if name not in columns.names else name for name in templates.columns}
        for name, other in found.items():
            if other not in columns.names and name != templates.label:
                raise ValueError(f"the templates need the column {name!r}, and there are {', '.join(columns.names)}")
        return {name: columns.names.index(other) for name, other in found.items() if other in columns.names}
    there = templates.places(len(columns.columns))
    if there is None:
        without = f", the last without its label {templates.label}" if templates.label else ""
        said = f"expected the columns {wanted}{without}, found {len(columns.columns)} columns"
        raise columns.origin.error(said, 0) if columns.origin is not None else ValueError(said)
    return there


def gathered(found: NDArray[np.int32], bases: Any, numbers: NDArray[np.int32], n_attributes: int) -> Indicators:
    """Rows of ones of what templates found, in the same memory: it is the largest array of all."""
    indices, token_starts = found.reshape(-1), np.zeros(found.shape[0] + 1, np.int64)
    size = gather_rows(found, bases, numbers, indices, token_starts)
    kept = indices[:size].copy() if 2 * size < found.size else indices[:size]
    return indicators(kept, token_starts, n_attributes)


def _filled(tuples: NDArray[np.int32], room: int = 0) -> NDArray[np.int32]:
    """A table that is at most half full with so many tuples."""
    slots = np.full(1 << (2 * max(room, tuples.shape[0], 1) - 1).bit_length(), ABSENT, np.int32)
    if tuples.shape[0]:
        with quiet():
            fill_slots(tuples, slots)
    return slots


def _narrowed(values: NDArray[np.int64]) -> NDArray[Any]:
    """In the smallest type of whole numbers that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))
