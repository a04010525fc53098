"""Losses, a file each; `LOSSES` is their registry."""

from __future__ import annotations

import numbers
from typing import Any

from empirisk.losses.hinge import Hinge
from empirisk.losses.logistic import Logistic
from empirisk.losses.squared import Squared
from empirisk.losses.squared_hinge import SquaredHinge
from empirisk.losses.zero_one import ZeroOne
from empirisk.protocols import name_of, offers, tasks_of

__all__ = ["LOSSES", "Hinge", "Logistic", "Squared", "SquaredHinge", "ZeroOne", "as_loss", "loss_text"]

LOSSES: dict[str, Any] = {name_of(cls): cls for cls in (Logistic, SquaredHinge, Hinge, Squared, ZeroOne)}


def as_loss(spec: Any, task: str | None = None) -> Any:
    """A loss object from a name ('hinge'), a name with parameters ('logistic:scale=2') or a loss itself."""
    loss = _parse(spec) if isinstance(spec, str) else spec
    if isinstance(loss, type) or not offers(loss, "value"):
        raise TypeError(f"loss must be {_choices(task)} or a loss object such as Logistic(), got {spec!r}")
    loss = _checked_fields(loss)
    if task is not None:
        if not offers(loss, "derivative"):
            raise ValueError(f"loss {spec!r} is for evaluation only; to fit, loss must be {_choices(task)}")
        if task not in tasks_of(loss):
            raise ValueError(f"loss {spec!r} is not for {task}; loss must be {_choices(task)}")
    return loss


def _checked_fields(loss: Any) -> Any:
    """A named tuple with a field (Numba cannot take an empty one); the built-in ones have positive floats."""
    cls: Any = type(loss)
    if not isinstance(loss, tuple) or not getattr(cls, "_fields", ()):
        said = "a loss must be a NamedTuple with at least one field, such as scale: float = 1.0"
        raise TypeError(f"{said}, got {cls.__name__}")
    if cls not in LOSSES.values():
        return loss
    for key, value in zip(cls._fields, loss, strict=True):
        if not (isinstance(value, numbers.Real) and 0.0 < float(value) < float("inf")):
            raise ValueError(f"parameter {key!r} of loss {name_of(loss)!r} must be positive and finite, got {value!r}")
    return cls(*map(float, loss))  # an integer field would compile every kernel again


def loss_text(loss: Any) -> str:
    """The text that `as_loss` reads back, as on the command line and in the model file."""
    defaults = type(loss)._field_defaults
    changed = [f"{k}={float(v)!r}" for k, v in zip(type(loss)._fields, loss, strict=True) if defaults.get(k) != v]
    return name_of(loss) + (":" + ",".join(changed) if changed else "")


def _choices(task: str | None) -> str:
    fitted = {name: cls for name, cls in LOSSES.items() if offers(cls(), "derivative")}
    usable = [name for name, cls in fitted.items() if task is None or task in tasks_of(cls())]
    return "one of " + ", ".join(repr(n) for n in usable)


def _parse(text: str) -> Any:
    name, _, rest = text.partition(":")
    if name not in LOSSES:
        raise ValueError(f"loss must be {_choices(None)}, got {text!r}")
    cls = LOSSES[name]
    parameters = {}
    for item in filter(None, rest.split(",")):
        key, _, value = item.partition("=")
        if key not in cls._fields:
            raise ValueError(f"loss {name!r} has no parameter {key!r}; it has {', '.join(cls._fields)}")
        try:
            parameters[key] = float(value)
        except ValueError:
            raise ValueError(f"parameter {key!r} of loss {name!r} must be a number, got {value!r}") from None
        if not 0.0 < parameters[key] < float("inf"):
            raise ValueError(f"parameter {key!r} of loss {name!r} must be positive and finite, got {value!r}")
    return cls(**parameters)
