"""Sentences about parameters of Python, as sentences about options."""

from __future__ import annotations

import re
from collections.abc import Collection

NAMED = re.compile(r"\b(label|weights|format|task|multiclass|missing|na)=(?:'(\w+)'|\.\.\.)")
OBJECTS = re.compile(r" or a (loss|solver) object such as \w+\(\)")


def as_options(sentence: str, names: Collection[str | None] = ()) -> str:
    """`task='regression'` becomes --task regression, `label=...` --label, and a first word among `names` an option."""
    sentence = NAMED.sub(lambda found: " ".join(filter(None, (f"--{found[1]}", found[2]))), OBJECTS.sub("", sentence))
    return f"--{sentence}" if sentence.partition(" ")[0] in names else sentence
