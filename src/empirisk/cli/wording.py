"""Sentences about parameters of Python, as sentences about options."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable

READING = "label|weights|format|missing|na|unknown|drop|only|categorical|separator|encoding|keep"
NAMED = re.compile(rf"\b({READING}|task|multiclass)=(?:'([\w-]+)'|\.\.\.)")
OBJECTS = re.compile(r" or a (loss|solver) object such as \w+\(\)")


def as_options(sentence: str, names: Collection[str | None] = ()) -> str:
    """`task='regression'` becomes --task regression, `label=...` --label, and a first word among `names` an option."""
    sentence = sentence.replace("ignore_new=True", "--ignore-new")
    sentence = NAMED.sub(lambda found: " ".join(filter(None, (f"--{found[1]}", found[2]))), OBJECTS.sub("", sentence))
    first, space, rest = sentence.partition(" ")
    return f"--{first.replace('_', '-')}{space}{rest}" if first in names else sentence


def near(text: str, known: Iterable[str]) -> str:
    """What to say at the end of a sentence on a word that is not known: those that it may have been."""
    found = difflib.get_close_matches(text, list(known))
    return f"; did you mean {' or '.join(map(repr, found))}?" if found else ""
