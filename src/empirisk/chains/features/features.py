"""What tokens are described by, learned once: sequences as arrays, and new ones as arrays of the same columns."""

from __future__ import annotations

import os
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.features.by_hash import Hashed
from empirisk.chains.features.by_name import NameDictionary
from empirisk.chains.features.by_template import TemplateDictionary, column_places
from empirisk.chains.features.given import ANYTHING, Given, read_given
from empirisk.chains.features.template_files import as_templates
from empirisk.chains.features.templates import Templates, templates_from_json, templates_to_json
from empirisk.chains.sequences import Sequences
from empirisk.data.sequences import Column, TokenAttributes, TokenColumns, as_cells
from empirisk.designs import CSR, Indicators, indicators

Dictionary = TemplateDictionary | NameDictionary | Hashed


def learn_features(
    X: Any,
    templates: str | os.PathLike[str] | Templates | None = None,
    *,
    min_count: int = 1,
    hash_bits: int | None = None,
) -> tuple[Sequences, Features]:
    """Sequences as arrays, and what was learned to do the same with others.

    X is a list or generator of sequences, read once; a sequence is

    - with `templates` (a name, a file, or `Templates`) a tuple of columns, each a list of texts, or a list of tokens,
      each a tuple of its texts in the columns;
    - without them a list of tokens in a form that python-crfsuite's `ItemSequence` takes, attributes named as there;
    - a two-dimensional array (dense features) or a CSR matrix (its columns are the attributes), a row a token;
    - a pair of one of these and a two-dimensional array; tokens may be such pairs too.

    Or X is what a reader of `empirisk.data.sequences` gave. Attributes that fewer than `min_count` tokens have are left
    out; numbers go by falling frequency. With `hash_bits` nothing is learned, and there are 2^hash_bits attributes.
    """
    if not isinstance(min_count, (int, np.integer)) or min_count < 1:
        raise ValueError(f"min_count must be a whole number >= 1, got {min_count!r:.50}")
    if hash_bits is not None and min_count > 1:
        raise ValueError("min_count counts attributes by name, and with hash_bits no name is known: give one of them")
    wanted = None if templates is None else as_templates(templates)
    given = read_given(X, wanted)
    dictionary: Dictionary | None = None
    n_attributes = 0
    if isinstance(given.described, CSR):
        n_attributes = given.described.columns
    elif given.described is not None and hash_bits is not None:
        dictionary = Hashed(hash_bits, wanted)
    elif given.described is not None:
        dictionary = NameDictionary() if wanted is None else TemplateDictionary(wanted)
    features = Features(given.kind, wanted, dictionary, n_attributes, given.dense.shape[1])
    return features._with_new(given, min_count)


class Features:
    """All that is needed to encode sequences: templates, the dictionary of attributes, the number of dense features.

    It does not change: what grows is another one.
    """

    def __init__(
        self, kind: str, templates: Templates | None, dictionary: Dictionary | None, n_columns: int, n_dense: int
    ) -> None:
        self.kind, self.templates, self.n_dense = kind, templates, n_dense
        self._dictionary, self._n_columns = dictionary, n_columns

    @property
    def n_attributes(self) -> int:
        """How many attributes there are."""
        return self._n_columns if self._dictionary is None else self._dictionary.n_attributes

    @property
    def hash_bits(self) -> int | None:
        """Of the hash that stands for a dictionary; None where there is none."""
        return self._dictionary.bits if isinstance(self._dictionary, Hashed) else None

    def encode(self, X: Any) -> Sequences:
        """Sequences as arrays, attributes that are not known left out; ValueError for those given in another way."""
        given = self._read(X)
        if self._dictionary is None:
            return self._sequences(given, self._as_it_is(given))
        return self._sequences(given, cast(Any, self._dictionary).encode(given.described))

    def grown(self, X: Any, min_count: int = 1) -> tuple[Sequences, Features]:
        """The same after the attributes that are new here have joined: those that were known keep their numbers."""
        return self._with_new(self._read(X), min_count)

    def labels_in(self, X: Any) -> Column | None:
        """The labels of all tokens that a reader gave; None where there are none, as in sequences made in Python."""
        if isinstance(X, TokenAttributes):
            return X.labels
        if not isinstance(X, TokenColumns) or self.templates is None or self.templates.label is None:
            return None
        place = column_places(self.templates, X).get(self.templates.label)
        return None if place is None else X.columns[place]

    def name_of(self, attribute: int) -> str:
        """The name of an attribute."""
        if not 0 <= attribute < self.n_attributes:
            raise IndexError(f"there are {self.n_attributes} attributes, and {attribute} is none of them")
        return f"column {attribute}" if self._dictionary is None else self._dictionary.name_of(attribute)

    def names(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The names of all attributes in UTF-8, one after the other, and where each starts."""
        content, begins, ends = as_cells([self.name_of(a) for a in range(self.n_attributes)])
        return content, np.concatenate([begins, ends[-1:]]) if begins.size else np.zeros(1, np.int64)

    def to_json(self) -> dict[str, Any]:
        """All but the arrays."""
        return {
            "kind": self.kind,
            "templates": None if self.templates is None else templates_to_json(self.templates),
            "hash_bits": self.hash_bits,
            "n_attributes": self.n_attributes,
            "n_dense": self.n_dense,
        }

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The dictionary."""
        return {} if self._dictionary is None else self._dictionary.to_arrays()

    @classmethod
    def from_arrays(cls, data: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Features:
        """What `to_json` and `to_arrays` told; ValueError or KeyError for what cannot be."""
        kind, n_attributes, n_dense, bits = (data[key] for key in ("kind", "n_attributes", "n_dense", "hash_bits"))
        if kind not in ANYTHING or any(type(n) is not int or n < 0 for n in (n_attributes, n_dense)):
            raise ValueError("features are of no known kind or size")
        templates = None if data["templates"] is None else templates_from_json(data["templates"])
        if (templates is None) == (kind == "columns"):
            raise ValueError("templates go with columns, and with nothing else")
        dictionary: Dictionary | None = None
        if bits is not None and kind in ("columns", "attributes") and type(bits) is int:
            dictionary = Hashed(bits, templates)
        elif templates is not None:
            dictionary = TemplateDictionary.from_arrays(templates, arrays)
        elif kind == "attributes":
            dictionary = NameDictionary.from_arrays(arrays)
        features = cls(kind, templates, dictionary, n_attributes, n_dense)
        if features.n_attributes != n_attributes or (kind == "dense" and n_attributes):
            raise ValueError("the number of attributes is not that of the dictionary")
        return features

    def _read(self, X: Any) -> Given:
        given = read_given(X, self.templates)
        if given.kind != self.kind:
            raise ValueError(f"expected sequences of {ANYTHING[self.kind]}, got {ANYTHING[given.kind]}")
        if given.dense.shape[1] != self.n_dense:
            raise ValueError(f"expected {self.n_dense} dense features, got {given.dense.shape[1]}")
        return given

    def _with_new(self, given: Given, min_count: int) -> tuple[Sequences, Features]:
        if self._dictionary is None:
            return self._sequences(given, self._as_it_is(given)), self
        attributes, dictionary = cast(Any, self._dictionary).grown(given.described, min_count)
        features = Features(self.kind, self.templates, dictionary, 0, self.n_dense)
        return self._sequences(given, attributes), features

    def _as_it_is(self, given: Given) -> Indicators | CSR:
        """Attributes that need no dictionary: columns of sparse matrices, or none."""
        if not isinstance(given.described, CSR):
            return indicators(np.empty(0, np.uint32), np.zeros(int(given.starts[-1]) + 1, np.int64), 0)
        if given.described.columns != self._n_columns:
            raise ValueError(f"expected matrices of {self._n_columns} columns, got {given.described.columns}")
        return given.described

    def _sequences(self, given: Given, attributes: Indicators | CSR) -> Sequences:
        given.dense.flags.writeable = given.starts.flags.writeable = False
        return Sequences(attributes, given.dense, given.starts)
