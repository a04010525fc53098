"""solver="auto": which solver a problem gets, and why, in one sentence."""

from empirisk.selection import many_classes, one_score  # they register their problems with `choose`
from empirisk.selection.choose import choose

__all__ = ["choose", "many_classes", "one_score"]
