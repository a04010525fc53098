"""Sentences about parameters of Python, as sentences about options."""

from __future__ import annotations

import re
from collections.abc import Collection

from empirisk.other_packages import hint_for

READING = "label|weights|format|missing|na|unknown|drop|only|categorical|date|text|min_count|separator|encoding|keep"
NAMED = re.compile(rf"\b({READING}|task|multiclass|classes|start|resume|bits|features|ignore)=(?:'([\w-]+)'|\.\.\.)")
NO_HEADER = re.compile(r"\bheader(=False|=\.\.\.| False\b)")
ADVISED = {
    "max_passes": "--max-passes",
    "time_limit": "--time-limit",
    "standardise the columns": "standardise the columns (--standardize)",
    "solver='auto'": "--solver auto",
    "l1": "--l1",
    "l2": "--l2",
    "tol": "--tol",
    "give a constraint": "give a --constraint",
}
OBJECTS = re.compile(r" or a (loss|solver) object such as \w+\(\)")


def as_options(sentence: str, names: Collection[str | None] = ()) -> str:
    """`task='regression'` becomes --task regression, `label=...` --label, and a first word among `names` an option."""
    sentence = NO_HEADER.sub("--no-header", sentence.replace("ignore_new=True", "--ignore-new"))
    sentence = NAMED.sub(_option, OBJECTS.sub("", sentence))
    first, space, rest = sentence.partition(" ")
    return f"--{first.replace('_', '-')}{space}{rest}" if first in names else sentence


VALUES = re.compile(r"\b(\w+)='([^']*)'")
RENAMED = {"max_passes": "max-passes", "n_threads": "threads", "random_state": "seed", "n_strengths": "strengths"}
NAMES = re.compile(rf"\b({'|'.join([*RENAMED, 'folds'])})\b")
# What is done otherwise in a terminal than in Python; hints on what only Python has are left out.
OWN_HINTS = {
    "verbose": "progress is shown unless --quiet is given",
    "normalize": "--standardize",
    "learning_rate": "the solvers sgd and saga choose their steps: --solver sgd",
}
PYTHON_ONLY = ("er.", "callback", "GridSearchCV")


def hint_for_option(option: str) -> str:
    """What to write in place of an option of another package, to be put after an error; empty where none is known."""
    name = option.lstrip("-").replace("-", "_")
    hint = f"; instead of {option}: {OWN_HINTS[name]}" if name in OWN_HINTS else hint_for(name)
    if any(word in hint for word in PYTHON_ONLY):
        return ""
    hint = VALUES.sub(r"--\1 \2", hint)
    return NAMES.sub(lambda found: f"--{RENAMED.get(found[1], found[1])}", hint)


def _option(found: re.Match[str]) -> str:
    return " ".join(filter(None, ("--" + found[1].replace("_", "-"), found[2])))


def advice_as_options(sentence: str) -> str:
    """Advice that names parameters of Python, such as `raise max_passes`, with the options in their place."""
    words = "|".join(rf"(?<![\w-]){re.escape(word)}(?!\w)" for word in ADVISED)
    return re.sub(words, lambda found: ADVISED[found[0]], sentence)
