"""The kinds of bounds, one file a family; `kind.py` says how to write one."""

from empirisk.bounds.kinds import integers, progressive, structural, test_set, vc  # they register
from empirisk.bounds.kinds.kind import KINDS, PLANES, Arrays, Ingredients, Kind, Terms, kind_named, register

__all__ = [
    "KINDS",
    "PLANES",
    "Arrays",
    "Ingredients",
    "Kind",
    "Terms",
    "integers",
    "kind_named",
    "progressive",
    "register",
    "structural",
    "test_set",
    "vc",
]
