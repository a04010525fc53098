"""Numbers of a block that its compiled pass left open."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.arithmetic.exact_floats import WAYS_OUT, is_exact_text
from empirisk.data.blocks import Block
from empirisk.data.errors import shortened
from empirisk.data.numbers import parse_exactly, parse_number

NOT_FINITE = ("nan", "inf", "infinity")  # signs and capitals aside
FLOAT64 = np.dtype(np.float64)


def settle_numbers(block: Block, numbers: np.ndarray, starts: np.ndarray, kind: np.dtype[Any] = FLOAT64) -> None:
    """Put what `float` makes of the literal in the place of each NaN; all of them must be within the range of `kind`.

    Whole numbers that float64 does not hold are refused: they may be ids.
    """
    undecided = np.flatnonzero(np.isnan(numbers))
    if undecided.size:
        view = block.view()
        numbers[undecided] = parse_exactly(view, starts[undecided])
        for p in np.sort(starts[undecided]).tolist():
            found = block.text[p : parse_number(view, p)[1]].decode()
            if not is_exact_text(found):
                said = f"expected a number that float64 holds exactly, found {shortened(found)!r}: {WAYS_OUT}"
                raise block.error(said, p)
    elif kind == FLOAT64:  # what was decided is finite
        return
    too_large = starts[np.abs(numbers) > np.finfo(kind).max]
    if len(too_large):
        p = int(too_large.min())
        raise block.error(f"expected a number within the range of {kind}, found {block.token(p)!r}", p)


def wanted_number(found: str) -> str:
    """What to ask for where this was found and no finite number."""
    return "a finite number" if found.lstrip("+-").lower() in NOT_FINITE else "a decimal number"
