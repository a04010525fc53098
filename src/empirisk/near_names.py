"""What a name that is not known may have been meant for."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MOST = 3  # names that are offered
NEAR = 0.65  # twice the letters in common, of the letters of both: two letters that changed places in a name of three


def near(name: str, known: Iterable[str]) -> str:
    """The end of a sentence on a name that is not known: those that are near it, capitals aside; empty for none."""
    folded = {other.casefold(): other for other in known}
    found = difflib.get_close_matches(name.casefold(), folded, MOST, NEAR)
    return f"; did you mean {' or '.join(repr(folded[key]) for key in found)}?" if found else ""
