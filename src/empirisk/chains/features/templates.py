"""Templates: which values of which tokens nearby make an attribute."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from empirisk.chains.features.functions import FUNCTIONS
from empirisk.near_names import near

NAME = re.compile(r"[^\W\d][\w-]*")
COLUMN = re.compile(r"\s*([\w-]+)\s*\[([^\]]*)\]\s*")
CALL = re.compile(r"\s*([^\W\d]\w*)\s*\((.*)\)\s*", re.DOTALL)
OFFSET = re.compile(r"\s*[-+]?[0-9]{1,6}\s*")
ALWAYS = "bias"  # the template of the attribute that every token has


class Applied(NamedTuple):
    """A function with the numbers that it takes beside the text."""

    function: str
    numbers: tuple[int, ...]

    def of_all(self, texts: list[str]) -> list[str | None]:
        """What the function makes of each text; None where it has nothing to say."""
        return FUNCTIONS[self.function].of_all(texts, *self.numbers)


class Term(NamedTuple):
    """A value of the token at an offset: of a column, through functions, the innermost first."""

    column: str
    offset: int
    functions: tuple[Applied, ...] = ()


class Template(NamedTuple):
    """Terms, all of which together make an attribute; a token without one of them, at an end, does not have it."""

    text: str  # what names of its attributes begin with
    terms: tuple[Term, ...]


class Templates(NamedTuple):
    """The columns that tokens have, the one that is the label, and the templates.

    `is_open` says that tokens may have more columns, between those that are named and the label, which is the last.
    """

    columns: tuple[str, ...]
    label: str | None
    features: tuple[Template, ...]
    is_open: bool = False

    def places(self, n_columns: int) -> dict[str, int] | None:
        """Where each column is among so many, with the label or without; None where so many cannot be."""
        without = tuple(name for name in self.columns if name != self.label)
        if self.is_open:
            if n_columns < len(without):
                return None
            places = {name: k for k, name in enumerate(without)}
            if self.label is not None and n_columns > len(without):
                places[self.label] = n_columns - 1
            return places
        if n_columns not in (len(self.columns), len(without)):
            return None
        return {name: k for k, name in enumerate(self.columns if n_columns == len(self.columns) else without)}


def parse_templates(columns: Sequence[str], label: str | None, features: Iterable[str]) -> Templates:
    """Templates from texts such as 'word[-1]|suffix(word[0], 3)'; ValueError for what cannot be.

    A term is a column with an offset, or a function of one; functions may stand in functions. 'bias' is an attribute
    that every token has.
    """
    named = tuple(columns)
    for name in named:
        if not NAME.fullmatch(name):
            raise ValueError(f"a column must have a name of letters, digits, - and _, got {name!r:.50}")
        if named.count(name) > 1:
            raise ValueError(f"two columns are called {name!r}")
    if label is not None and label not in named:
        raise ValueError(f"the label must be one of the columns {', '.join(named)}, got {label!r:.50}")
    usable = tuple(name for name in named if name != label)
    parsed = tuple(_parse_template(text, usable) for text in features)
    if not parsed:
        raise ValueError("there must be at least one feature")
    for template in parsed:
        if parsed.count(template) > 1:
            raise ValueError(f"the feature {template.text!r:.50} is there twice")
    return Templates(named, label, parsed)


def _parse_template(text: str, columns: tuple[str, ...]) -> Template:
    """Names of attributes begin with the template as it would be written without blanks."""
    if text.strip() == ALWAYS:
        return Template(ALWAYS, ())
    terms = tuple(_parse_term(part, text, columns) for part in text.split("|"))
    return Template("|".join(map(written, terms)), terms)


def _parse_term(part: str, text: str, columns: tuple[str, ...]) -> Term:
    if call := CALL.fullmatch(part):
        name, inside = call.groups()
        if name not in FUNCTIONS:
            said = f"unknown function {name!r:.50} in the feature {text!r:.80}; there are {', '.join(FUNCTIONS)}"
            raise ValueError(said + near(name, FUNCTIONS))
        wanted = FUNCTIONS[name].n_numbers
        inner, *numbers = inside.rsplit(",", inside.count(",") - _commas_inside(inside))
        if len(numbers) != wanted or not all(re.fullmatch(r"\s*0*[1-9][0-9]{0,5}\s*", number) for number in numbers):
            takes = "a term and a whole number >= 1" if wanted else "a term alone"
            raise ValueError(f"{name} takes {takes}, got {part.strip()!r:.50} in the feature {text!r:.80}")
        term = _parse_term(inner, text, columns)
        return term._replace(functions=(*term.functions, Applied(name, tuple(map(int, numbers)))))
    match = COLUMN.fullmatch(part)
    if match is None:
        form = "a column with an offset, as word[-1], or a function of one"
        raise ValueError(f"expected {form}, got {part.strip()!r:.50} in the feature {text!r:.80}")
    column, offset = match.groups()
    if column not in columns:
        there = ", ".join(columns) or "none"
        said = f"unknown column {column!r:.50} in the feature {text!r:.80}; beside the label there are {there}"
        raise ValueError(said + near(column, columns))
    if not OFFSET.fullmatch(offset):
        raise ValueError(
            f"the offset of {column} must be a whole number, got {offset!r:.50} in the feature {text!r:.80}"
        )
    return Term(column, int(offset))


def _commas_inside(text: str) -> int:
    """How many commas stand in inner parentheses: those are of inner functions."""
    depth, count = 0, 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        count += letter == "," and depth > 0
    return count


def written(term: Term) -> str:
    """A term as a template has it."""
    text = f"{term.column}[{term.offset}]"
    for applied in term.functions:
        text = f"{applied.function}({', '.join([text, *map(str, applied.numbers)])})"
    return text


def templates_to_json(templates: Templates) -> dict[str, Any]:
    """As lists and texts."""
    features = [
        [
            text,
            [
                [term.column, term.offset, [[applied.function, *applied.numbers] for applied in term.functions]]
                for term in terms
            ],
        ]
        for text, terms in templates.features
    ]
    return {
        "columns": list(templates.columns),
        "label": templates.label,
        "features": features,
        "is_open": templates.is_open,
    }


def templates_from_json(data: dict[str, Any]) -> Templates:
    """What `templates_to_json` told; ValueError for what cannot be."""
    try:
        features = tuple(
            Template(
                str(text),
                tuple(
                    Term(
                        column,
                        int(offset),
                        tuple(Applied(name, tuple(map(int, numbers))) for name, *numbers in functions),
                    )
                    for column, offset, functions in terms
                ),
            )
            for text, terms in data["features"]
        )
        found = Templates(tuple(data["columns"]), data["label"], features, data["is_open"] is True)
    except (TypeError, KeyError) as error:
        raise ValueError(f"these are no templates: {error}") from None
    for term in (term for template in features for term in template.terms):
        if term.column not in found.columns or term.column == found.label:
            raise ValueError(f"a template has the column {term.column!r:.50}, which is not there")
        for applied in term.functions:
            known = FUNCTIONS.get(applied.function)
            if known is None or known.n_numbers != len(applied.numbers) or min(applied.numbers, default=1) < 1:
                raise ValueError(f"a template has the function {applied.function!r:.50}, which is not there")
    return found
