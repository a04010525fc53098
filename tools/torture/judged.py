"""What a judge says of one problem, and what every judge does with what was raised."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable
from typing import NamedTuple

from empirisk.protocols import Unsupported

CERTIFIED, OPEN, REFUSED, NOT_DRAWN = "certified", "open", "refused", "not drawn"


class Effort(NamedTuple):
    """What one problem may cost: without thoroughness the search for lower points is short, and finds fewer faults."""

    max_passes: int = 60
    is_thorough: bool = True


class Judged(NamedTuple):
    """One problem: in words, how it ended, and the sentences about it that are false."""

    said: str
    outcome: str  # certified or decided as asked, open where less is claimed, refused with a sentence; or not drawn
    faults: list[str]


def judged(said: str, look: Callable[[], tuple[str, list[str]]], refusals: tuple[str, ...]) -> Judged:
    """Outcome and faults that `look` finds; an error is a fault, unless it is a sentence with one of the refusals."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return Judged(said, *look())
        except (Unsupported, ValueError) as error:
            text = str(error)
            is_refused = any(part in text for part in refusals)
            return Judged(said, REFUSED, [] if is_refused else [f"{type(error).__name__}: {text} {_place()}"])
        except Exception:
            return Judged(said, REFUSED, [_place()])


def _place() -> str:
    """Where an error came from, and what it says."""
    return " ".join(traceback.format_exc().split("\n")[-5:])
