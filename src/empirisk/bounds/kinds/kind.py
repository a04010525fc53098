"""What a kind of bound must say, so that one certificate serves them all: its formula, and what it is computed from.

A kind is a file of this folder that ends in `register(Kind(...))` and is imported in `__init__.py`. It has

- `name`, which certificates and `bound(kind=...)` use;
- `about`, the data: `LabelledRows` (rows, labels, and evidence that holds planes) or `Losses` (numbers alone);
- `terms(data, delta, choices, evidence)`, the formula: from the data, from `choices` (what was decided before looking
  at the data, or is paid for in the formula; a number, text or truth value each) and from `evidence` (arrays: the
  planes that J is about, and whatever else the recomputation needs) to `Terms`. It raises ValueError, with a sentence,
  where the bound does not apply. It computes every other ingredient itself, imports no solver and no driver, and trusts
  nothing: `verify` calls it again with the choices and the evidence of the certificate, and compares. A level, or
  whatever else changes with delta where J may not, is an ingredient too;
- `ingredients`, the type of each by name; `choices`, those that are given and not computed; and `arrays`, the evidence
  by name with type and shape. A shape is made of numbers and of the letters n (rows), d (columns), p (planes: 1 for two
  classes, else one a class) and * (any length).

What has to fit or search (a prior, a plane with integer weights) is in a file elsewhere in this layer, and ends with
`risk_bound(kind, data, delta, choices, evidence)` of `risk_bound.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.bounds.labelled_rows import LabelledRows
from empirisk.bounds.losses import Losses
from empirisk.near_names import near

Ingredient = int | float | str | bool
Ingredients = Mapping[str, Ingredient]
Arrays = Mapping[str, NDArray[Any]]
Shape = tuple[type[np.generic], tuple[int | str, ...]]

PLANES: Mapping[str, Shape] = MappingProxyType({"weights": (np.float64, ("p", "d")), "intercept": (np.float64, ("p",))})
INDEPENDENT = "The rows, and those to come, are independent draws from one distribution"
FIXED_COLUMNS = "what the columns and their categories are was fixed before the rows were drawn"
WEIGHTS_REFUSED = "a bound is about rows that count alike: give no sample weights"


class Terms(NamedTuple):
    """What a formula gives."""

    value: float  # J, rounded outward
    empirical: float  # the share of errors, or the mean loss, on the rows that were counted
    ingredients: Ingredients  # by name, the choices included
    predictor: str  # what J is about
    assumption: str  # one sentence, without its end


class Kind(NamedTuple):
    """A kind of bound; the docstring of this file says how to write one."""

    name: str
    about: type[LabelledRows] | type[Losses]
    terms: Callable[[Any, float, Ingredients, Arrays], Terms]
    ingredients: Mapping[str, type[Ingredient]]
    choices: tuple[str, ...] = ()
    arrays: Mapping[str, Shape] = PLANES


KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    """Add a kind."""
    KINDS[kind.name] = kind
    return kind


def kind_named(name: object) -> Kind:
    """The kind of this name; ValueError with those that there are."""
    if not isinstance(name, str) or name not in KINDS:
        meant = near(name, KINDS) if isinstance(name, str) else ""
        raise ValueError(f"there is no bound of the kind {name!r:.100}; there are {', '.join(sorted(KINDS))}{meant}")
    return KINDS[name]
