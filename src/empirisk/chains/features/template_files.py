"""Templates from files: TOML, and those of CRF++."""

from __future__ import annotations

import os
import re
import tomllib
from typing import Any

from empirisk.chains.features.built_in import BUILT_IN, built_in
from empirisk.chains.features.templates import Template, Templates, Term, parse_templates
from empirisk.data.csv_text import as_utf8
from empirisk.data.errors import DataError, shortened

KEYS = ("columns", "label", "features")

MACRO = re.compile(r"%x\[([^\]]*)\]|%(.{0,8})")
PLACE = re.compile(r"\s*([-+]?[0-9]{1,6})\s*,\s*([0-9]{1,6})\s*")


def as_templates(templates: str | os.PathLike[str] | Templates) -> Templates:
    """Templates as they are, those that come with the package by their name, or those of a file."""
    if isinstance(templates, Templates):
        return templates
    name = os.fspath(templates)
    if name in BUILT_IN:
        return built_in(name)
    if not os.path.exists(name):
        raise ValueError(f"templates must be one of {', '.join(BUILT_IN)}, or a file, got {name!r:.100}")
    return read_templates(name)


def read_templates(path: str) -> Templates:
    """A file of templates: TOML, or of CRF++ where its first line begins with U or B; `DataError` names the line.

    TOML has `columns`, `label` (the last column without it) and `features`. Of CRF++ (T. Kudo, 2005) U lines with
    macros %x[row,column] and a bare B are read; the label is the last column, and what lies beyond the ends of a
    sequence is absent, where CRF++ has a value of its own.
    """
    with open(path, "rb") as stream:
        text = as_utf8(stream.read(), None, path).decode()
    lines = [line.strip() for line in text.splitlines()]
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return _from_crfpp(lines, path) if first.startswith(("U", "B")) else _from_toml(text, path)


def _from_toml(text: str, path: str) -> Templates:
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(
            f"expected TOML with columns, label and features, found something else: {error}", path
        ) from None
    for key in found:
        if key not in KEYS:
            raise DataError(f"expected the keys columns, label and features, found {key!r:.50}", path, _line(text, key))
    columns, features = (_texts(found, key, path, text) for key in ("columns", "features"))
    label = found.get("label", columns[-1] if columns else None)
    if not isinstance(label, str):
        raise DataError(f"expected a text as the label, found {label!r:.50}", path, _line(text, "label"))
    try:
        return parse_templates(columns, label, features)
    except ValueError as error:
        bad = next((one for one in features if not _is_right(columns, label, one)), "features")
        raise DataError(str(error), path, _line(text, bad)) from None


def _is_right(columns: list[str], label: str, feature: str) -> bool:
    try:
        parse_templates(columns, label, [feature])
    except ValueError:
        return False
    return True


def _texts(found: dict[str, Any], key: str, path: str, text: str) -> list[str]:
    given = found.get(key)
    if not isinstance(given, list) or not given or not all(isinstance(one, str) for one in given):
        what = "nothing" if given is None else f"{given!r:.50}"
        raise DataError(f"expected {key} = [...] with texts, found {what}", path, _line(text, key))
    return given


def _line(text: str, part: str) -> int | None:
    """The line on which this stands first; None where it does not."""
    place = text.find(part)
    return text.count("\n", 0, place) + 1 if place >= 0 else None


def _from_crfpp(lines: list[str], path: str) -> Templates:
    features: list[Template] = []
    for number, line in enumerate(lines, start=1):
        if not line or line.startswith("#") or line == "B":
            continue
        if line.startswith("B"):
            said = "expected a bare B, found one with macros: transitions do not look at the tokens here"
            raise DataError(said, path, number)
        if not line.startswith("U"):
            raise DataError(f"expected a line that begins with U or B, found {shortened(line)!r}", path, number)
        features.append(Template(line, tuple(_macro(match, path, number) for match in MACRO.finditer(line))))
        if features.count(features[-1]) > 1:
            raise DataError(f"the template {line!r:.50} is there twice", path, number)
    if not features:
        raise DataError("expected a template that begins with U, found none", path, len(lines))
    last = max((int(term.column) for template in features for term in template.terms), default=0)
    columns = (*map(str, range(last + 1)), "label")
    return Templates(columns, "label", tuple(features), is_open=True)


def _macro(match: re.Match[str], path: str, line: int) -> Term:
    place = PLACE.fullmatch(match[1]) if match[1] is not None else None
    if place is None:
        raise DataError(f"expected a macro %x[row,column] of whole numbers, found {match[0]!r:.50}", path, line)
    return Term(str(int(place[2])), int(place[1]))
