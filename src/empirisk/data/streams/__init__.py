"""Formats of streams, a registry: whoever reads rows asks it for a reader, and knows no format by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from empirisk.data.compressed import without_suffix
from empirisk.data.hashing import MOST_BITS
from empirisk.data.streams.csv import CSVReader, check_settled
from empirisk.data.streams.json_lines import JSONReader
from empirisk.data.streams.names import ExactNames
from empirisk.data.streams.parsed import MOST_COLUMNS, Reader
from empirisk.data.streams.svmlight import SvmlightReader
from empirisk.data.streams.vw import VWReader

NOTHING: Mapping[str, Any] = MappingProxyType({})
HASHED: Mapping[str, Any] = {"features": "hash", "bits": 18}
FEATURES = ("hash", "exact")
MISSING = ("error", "absent")


class Asked(NamedTuple):
    """What a reader is made of, beside the options of the format."""

    words: Mapping[str, float] | None  # classes that are texts, and the number of each; None where labels are numbers
    is_labeled: bool
    most_columns: int
    settled: Mapping[str, Any]


class StreamFormat(NamedTuple):
    """A format: its name, how files of it end, the options that it takes with their usual values, and its reader."""

    name: str
    suffixes: tuple[str, ...]
    options: Mapping[str, Any]
    made: Callable[[Mapping[str, Any], Asked], Reader]
    check_settled: Callable[[Mapping[str, Any]], None]
    has_words: bool = False  # whether labels may be texts
    first_index: int | None = None  # where columns have numbers and no names: the first of them


def _check_nothing(settled: Mapping[str, Any]) -> None:
    if settled:
        raise ValueError("rows of this format settle nothing")


FORMATS = {
    format.name: format
    for format in (
        StreamFormat(
            "svmlight",
            (".svm", ".svmlight", ".libsvm"),
            NOTHING,
            lambda _, asked: SvmlightReader(asked.most_columns),
            _check_nothing,
            first_index=0,  # feature j is column j: whether a stream counts from 1 is known at its end only
        ),
        StreamFormat(
            "vw",
            (".vw",),
            HASHED,
            lambda options, asked: VWReader(options["bits"], asked.is_labeled),
            _check_nothing,
        ),
        StreamFormat(
            "csv",
            (".csv", ".tsv", ".tab", ".psv"),
            {
                **HASHED,
                "label": None,
                "weights": None,
                "text": [],
                "ignore": [],
                "header": True,
                "missing": "error",
                "separator": None,
            },
            lambda options, asked: CSVReader(options, asked.words, asked.is_labeled, asked.settled),
            check_settled,
            has_words=True,
        ),
        StreamFormat(
            "jsonl",
            (".jsonl", ".ndjson"),
            {**HASHED, "label": None, "weights": None, "ignore": []},
            lambda options, asked: JSONReader(options, asked.words, asked.is_labeled),
            _check_nothing,
            has_words=True,
        ),
    )
}
USUAL = "svmlight"


class RowFormat(NamedTuple):
    """How the rows of a run are written: a format with its options, and what its rows have settled so far."""

    name: str
    options: Mapping[str, Any] = NOTHING
    settled: Mapping[str, Any] = NOTHING
    names: tuple[str, ...] | None = None  # of the columns, where these are exact

    @property
    def format(self) -> StreamFormat:
        """The entry of the registry."""
        return FORMATS[self.name]

    @property
    def bits(self) -> int | None:
        """Of the hash; None where nothing is hashed."""
        found: int | None = self.options.get("bits")
        return found

    def reader(
        self,
        words: Mapping[str, float] | None = None,
        is_labeled: bool = True,
        most_columns: int = MOST_COLUMNS,
    ) -> Reader:
        """For one stream."""
        return self.format.made(self.options, Asked(words, is_labeled, most_columns, self.settled))

    def dictionary(self, most: int = MOST_COLUMNS, is_closed: bool = False) -> ExactNames | None:
        """The names so far, where these are exact."""
        return None if self.names is None else ExactNames(self.names, most, is_closed)


def format_of_name(path: str) -> str | None:
    """What the name of a file says."""
    name = without_suffix(path).lower()
    return next((format.name for format in FORMATS.values() if name.endswith(format.suffixes)), None)


def row_format(name: str, asked: Mapping[str, Any], settled: Mapping[str, Any] = NOTHING) -> RowFormat:
    """A format with what was asked, None being as usual; ValueError for what it does not take."""
    if name not in FORMATS:
        raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {name!r:.50}")
    format = FORMATS[name]
    given = {option: value for option, value in asked.items() if value is not None}
    for option, value in given.items():
        if option not in format.options:
            raise ValueError(f"{option}=... is not for {name} data, which {_taken(format)}")
        wanted, is_right = CHECKS[option]
        if not is_right(value):
            raise ValueError(f"{option} must be {wanted}, got {value!r:.50}")
    options = {**format.options, **given}
    is_exact = options.get("features") == "exact"
    if is_exact and "bits" in given:
        raise ValueError("bits=... is for names that are hashed, and features='exact' keeps all of them")
    if is_exact:
        options["bits"] = None
    format.check_settled(settled)
    return RowFormat(name, options, settled, () if is_exact else None)


def _is_text(value: Any) -> bool:
    return type(value) is str


def _are_texts(value: Any) -> bool:
    return type(value) is list and all(type(text) is str for text in value)


CHECKS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "features": ("'hash' or 'exact'", lambda value: value in FEATURES),
    "bits": (f"a whole number from 1 to {MOST_BITS}", lambda value: type(value) is int and 1 <= value <= MOST_BITS),
    "label": ("a text", _is_text),
    "weights": ("a text", _is_text),
    "text": ("a list of texts", _are_texts),
    "ignore": ("a list of texts", _are_texts),
    "header": ("True or False", lambda value: type(value) is bool),
    "missing": ("'error' or 'absent'", lambda value: value in MISSING),
    "separator": ("one character", lambda value: _is_text(value) and len(value) == 1 and value.isascii()),
}


def _taken(format: StreamFormat) -> str:
    return f"take {', '.join(format.options)}" if format.options else "take no options"
