"""Sentences about parameters of Python as sentences about options, and text that a terminal can be given."""

from __future__ import annotations

import re
from collections.abc import Collection

NAMED = re.compile(r"\b(label|weights|format|task|multiclass)=(?:'(\w+)'|\.\.\.)")
OBJECTS = re.compile(r" or a (loss|solver) object such as \w+\(\)")


def printable(text: str) -> str:
    """Text from files and names, on one line: what a terminal would obey, or cannot show, as Python escapes it."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def as_options(sentence: str, names: Collection[str | None] = ()) -> str:
    """`task='regression'` becomes --task regression, `label=...` --label, and a first word among `names` an option."""
    sentence = NAMED.sub(lambda found: " ".join(filter(None, (f"--{found[1]}", found[2]))), OBJECTS.sub("", sentence))
    return f"--{sentence}" if sentence.partition(" ")[0] in names else sentence
