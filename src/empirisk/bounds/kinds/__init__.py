"""The kinds of bounds, one file a family; `kind.py` says how to write one."""

from empirisk.bounds.kinds import compression, margin, pac_bayes, progressive, test_set, vc  # they register
from empirisk.bounds.kinds.kind import KINDS, PLANES, Arrays, Ingredients, Kind, Terms, kind_named, register

__all__ = [
    "KINDS",
    "PLANES",
    "Arrays",
    "Ingredients",
    "Kind",
    "Terms",
    "compression",
    "kind_named",
    "margin",
    "pac_bayes",
    "progressive",
    "register",
    "test_set",
    "vc",
]
