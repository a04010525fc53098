"""Constraints, a file each; `CONSTRAINTS` is their registry.

A constraint is a regularizer with the values 0 and infinity: its prox is the projection, its conjugate the support
function. `problems.penalty_and_constraint` adds the penalty.
"""

from __future__ import annotations

import math
from typing import Any

from empirisk.capabilities import by_name, name_of, offers, optional
from empirisk.constraints.box import Box
from empirisk.constraints.fields import number_of
from empirisk.constraints.half_space import HalfSpace
from empirisk.constraints.l1_ball import L1Ball
from empirisk.constraints.l2_ball import L2Ball
from empirisk.constraints.simplex import Simplex
from empirisk.texts import has_text, parse, text_of

__all__ = ["CONSTRAINTS", "Box", "HalfSpace", "L1Ball", "L2Ball", "Simplex", "as_constraint", "constraint_text"]

CONSTRAINTS: dict[str, Any] = by_name(L2Ball, L1Ball, Simplex, Box, HalfSpace)


def as_constraint(spec: Any) -> Any:
    """A constraint from a text ('simplex', 'box:low=0,high=1') or from a constraint itself; None stays None."""
    if spec is None:
        return None
    constraint = _parse(spec) if isinstance(spec, str) else spec
    if type(constraint) not in CONSTRAINTS.values():
        said = f"constraint must be {_choices()} or one of er.constraints such as HalfSpace(normal, offset)"
        raise TypeError(f"{said}, got {spec!r}")
    own = optional(constraint, "checked")
    if own is not None:
        return own()
    constraint = type(constraint)(**{key: number_of(constraint, key) for key in constraint._fields})
    if refusal := _refusal(constraint):
        raise ValueError(refusal)
    return constraint


def constraint_text(constraint: Any) -> str:
    """The text that `as_constraint` reads back, as on the command line and in the model file."""
    if not has_text(type(constraint)):
        raise ValueError(f"{name_of(constraint)} has no text, because it holds an array")
    return text_of(constraint)


def _choices() -> str:
    return "one of " + ", ".join(repr(name) for name, cls in CONSTRAINTS.items() if has_text(cls))


def _parse(text: str) -> Any:
    cls = CONSTRAINTS.get(text.partition(":")[0])
    if cls is None:
        raise ValueError(f"constraint must be {_choices()}, got {text!r}")
    if not has_text(cls):
        said = f"the constraint {name_of(cls)} has an array among its parameters"
        raise ValueError(f"{said}: give a {cls.__name__} object in Python")
    return parse(text, cls, "constraint")


def _refusal(constraint: Any) -> str:
    """Why its numbers cannot be; without words of its own, a constraint has positive and finite ones."""
    if offers(constraint, "refusal"):
        return str(constraint.refusal())
    wrong = [key for key, value in constraint._asdict().items() if not 0.0 < value < math.inf]
    said = "{key} of {name!r} must be positive and finite, got {value}"
    return said.format(key=wrong[0], name=name_of(constraint), value=getattr(constraint, wrong[0])) if wrong else ""
