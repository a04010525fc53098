"""Constraints, a file each; `CONSTRAINTS` is their registry.

A constraint is a regularizer with the values 0 and infinity: its prox is the projection, its conjugate the support
function. `problems.penalty_and_constraint` adds the penalty.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from empirisk.capabilities import by_name, name_of, offers
from empirisk.constraints.box import Box
from empirisk.constraints.half_space import HalfSpace
from empirisk.constraints.l1_ball import L1Ball
from empirisk.constraints.l2_ball import L2Ball
from empirisk.constraints.simplex import Simplex
from empirisk.texts import parse, text_of

__all__ = ["CONSTRAINTS", "Box", "HalfSpace", "L1Ball", "L2Ball", "Simplex", "as_constraint", "constraint_text"]

CONSTRAINTS: dict[str, Any] = by_name(L2Ball, L1Ball, Simplex, Box, HalfSpace)


def as_constraint(spec: Any) -> Any:
    """A constraint from a text ('simplex', 'box:low=0,high=1') or from a constraint itself; None stays None."""
    if spec is None:
        return None
    constraint = _parse(spec) if isinstance(spec, str) else spec
    if type(constraint) not in CONSTRAINTS.values():
        raise TypeError(f"constraint must be {_choices()} or an object such as L2Ball(radius=2), got {spec!r}")
    if isinstance(constraint, HalfSpace):
        return _checked_half_space(constraint)
    numbers_given = {key: _number(constraint, key) for key in constraint._fields}
    # Floats: an integer field would compile every kernel again.
    constraint = type(constraint)(**numbers_given)
    if refusal := _refusal(constraint):
        raise ValueError(refusal)
    return constraint


def constraint_text(constraint: Any) -> str:
    """The text that `as_constraint` reads back, as on the command line and in the model file."""
    if isinstance(constraint, HalfSpace):
        raise ValueError("a half-space has no text, because its normal is an array")
    return text_of(constraint)


def _choices() -> str:
    return "one of " + ", ".join(repr(name) for name, cls in CONSTRAINTS.items() if cls is not HalfSpace)


def _parse(text: str) -> Any:
    cls = CONSTRAINTS.get(text.partition(":")[0])
    if cls is HalfSpace:
        raise ValueError(
            "the constraint half_space has an array among its parameters: give a HalfSpace object in Python"
        )
    if cls is None:
        raise ValueError(f"constraint must be {_choices()}, got {text!r}")
    return parse(text, cls, "constraint")


def _refusal(constraint: Any) -> str:
    """Why its numbers cannot be; without words of its own, a constraint has positive and finite ones."""
    if offers(constraint, "refusal"):
        return str(constraint.refusal())
    wrong = [key for key, value in constraint._asdict().items() if not 0.0 < value < math.inf]
    said = "{key} of {name!r} must be positive and finite, got {value}"
    return said.format(key=wrong[0], name=name_of(constraint), value=getattr(constraint, wrong[0])) if wrong else ""


def _number(constraint: Any, key: str) -> float:
    value = getattr(constraint, key)
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or math.isnan(value):
        raise ValueError(f"parameter {key!r} of constraint {name_of(constraint)!r} must be a number, got {value!r}")
    return float(value)


def _checked_half_space(half_space: HalfSpace) -> HalfSpace:
    """Scaled by a power of two, which is exact, so that the squares of the normal neither overflow nor vanish."""
    offset = _number(half_space, "offset")
    try:
        normal = np.array(half_space.normal, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"normal of a half-space must hold numbers, got {half_space.normal!r}") from None
    if normal.ndim != 1 or normal.size == 0:
        raise ValueError(f"normal of a half-space must be a vector, got shape {normal.shape}")
    if not (np.all(np.isfinite(normal)) and math.isfinite(offset)):
        raise ValueError("a half-space needs a finite normal and a finite offset")
    if not np.any(normal):
        raise ValueError("normal of a half-space must not be all zeros")
    shift = 1 - int(np.frexp(np.abs(normal).max())[1])
    with np.errstate(over="ignore"):
        scaled = HalfSpace(np.ldexp(normal, shift), float(np.ldexp(offset, shift)))
    if not math.isfinite(scaled.offset):
        raise ValueError(f"offset {offset} of a half-space is too large beside its normal")
    return scaled
