"""Labels of a stream that are texts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from empirisk.data.blocks import Block
from empirisk.data.distinct_runs import distinct_runs
from empirisk.data.errors import shortened

SHOWN = 10  # classes that an error lists


def unknown_word(words: Mapping[str, float], found: str) -> str:
    """What to say of a label that is none of the classes."""
    wanted = [repr(shortened(word)) for word in words]
    if len(wanted) > SHOWN:
        wanted[SHOWN:] = ["..."]
    return f"expected the label {' or '.join(wanted)}, found {shortened(found)!r}"


def worded(block: Block, starts: np.ndarray, ends: np.ndarray, words: Mapping[str, float]) -> np.ndarray:
    """The number of the class that each of these runs of a block names."""
    firsts, codes = distinct_runs(block.view(), starts, ends)
    numbers = np.empty(firsts.size)
    for place, row in enumerate(firsts.tolist()):
        found = block.text[starts[row] : ends[row]].decode("utf-8", "backslashreplace")
        if found not in words:
            raise block.error(unknown_word(words, found), int(starts[row]))
        numbers[place] = words[found]
    return numbers[codes] if firsts.size else np.empty(0)
