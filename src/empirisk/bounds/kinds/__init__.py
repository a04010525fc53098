"""The kinds of bounds, one file a family; `kind.py` says how to write one."""

from empirisk.bounds.kinds import (  # they register
    compression,
    integers,
    margin,
    pac_bayes,
    progressive,
    structural,
    test_set,
    vc,
)
from empirisk.bounds.kinds.kind import KINDS, PLANES, Arrays, Ingredients, Kind, Terms, kind_named, register

__all__ = [
    "KINDS",
    "PLANES",
    "Arrays",
    "Ingredients",
    "Kind",
    "Terms",
    "compression",
    "integers",
    "kind_named",
    "margin",
    "pac_bayes",
    "progressive",
    "register",
    "structural",
    "test_set",
    "vc",
]
