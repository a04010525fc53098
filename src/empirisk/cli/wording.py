"""Sentences about parameters of Python, as sentences about options."""

from __future__ import annotations

import re
from collections.abc import Collection

READING = "label|weights|format|missing|na|unknown|drop|only|categorical"
NAMED = re.compile(rf"\b({READING}|task|multiclass)=(?:'(\w+)'|\.\.\.)")
OBJECTS = re.compile(r" or a (loss|solver) object such as \w+\(\)")


def as_options(sentence: str, names: Collection[str | None] = ()) -> str:
    """`task='regression'` becomes --task regression, `label=...` --label, and a first word among `names` an option."""
    sentence = sentence.replace("ignore_new=True", "--ignore-new")
    sentence = NAMED.sub(lambda found: " ".join(filter(None, (f"--{found[1]}", found[2]))), OBJECTS.sub("", sentence))
    return f"--{sentence}" if sentence.partition(" ")[0] in names else sentence
