"""Losses, a file each; `LOSSES` is their registry."""

from __future__ import annotations

import math
import numbers
from typing import Any

from empirisk.capabilities import by_name, name_of, offers, tasks_of
from empirisk.losses.absolute import Absolute
from empirisk.losses.epsilon_insensitive import EpsilonInsensitive
from empirisk.losses.exponential import Exponential
from empirisk.losses.hinge import Hinge
from empirisk.losses.huber import Huber
from empirisk.losses.logistic import Logistic
from empirisk.losses.modified_huber import ModifiedHuber
from empirisk.losses.perceptron import Perceptron
from empirisk.losses.poisson import Poisson
from empirisk.losses.quantile import Quantile
from empirisk.losses.smoothed_hinge import SmoothedHinge
from empirisk.losses.squared import Squared
from empirisk.losses.squared_epsilon_insensitive import SquaredEpsilonInsensitive
from empirisk.losses.squared_hinge import SquaredHinge
from empirisk.losses.zero_one import ZeroOne
from empirisk.other_packages import LOSSES as OTHERS
from empirisk.other_packages import as_here
from empirisk.texts import parse, text_of

__all__ = [
    "LOSSES",
    "Absolute",
    "EpsilonInsensitive",
    "Exponential",
    "Hinge",
    "Huber",
    "Logistic",
    "ModifiedHuber",
    "Perceptron",
    "Poisson",
    "Quantile",
    "SmoothedHinge",
    "Squared",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
    "ZeroOne",
    "as_loss",
    "loss_text",
]

LOSSES: dict[str, Any] = by_name(
    Logistic,
    SquaredHinge,
    Hinge,
    SmoothedHinge,
    ModifiedHuber,
    Exponential,
    Perceptron,
    Squared,
    Huber,
    Absolute,
    Quantile,
    EpsilonInsensitive,
    SquaredEpsilonInsensitive,
    Poisson,
    ZeroOne,
)


def as_loss(spec: Any, task: str | None = None) -> Any:
    """A loss object from a name ('hinge'), a name with parameters ('huber:delta=1.5') or a loss itself."""
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


def loss_text(loss: object) -> str:
    """The text that `as_loss` reads back, as on the command line and in the model file."""
    return text_of(loss)


def _checked_fields(loss: Any) -> Any:
    """A named tuple with a field (Numba cannot take an empty one), whose parameters lie within their ranges.

    The fields of the built-in losses are positive floats unless `parameter_ranges` says otherwise; those of a user's
    loss are what `parameter_ranges` says, and free without it.
    """
    cls: Any = type(loss)
    if not issubclass(cls, tuple) or not getattr(cls, "_fields", ()):
        said = "a loss must be a NamedTuple with at least one field, such as scale: float = 1.0"
        raise TypeError(f"{said}, got {cls.__name__}")
    built_in = cls in LOSSES.values()
    ranges = dict.fromkeys(cls._fields, (0.0, math.inf)) if built_in else {}
    ranges.update(loss.parameter_ranges() if offers(loss, "parameter_ranges") else {})
    for key, (low, high) in ranges.items():
        value = getattr(loss, key)
        if not (isinstance(value, numbers.Real) and low < float(value) < high):
            allowed = f"lie strictly between {low:g} and {high:g}"
            must = "be positive and finite" if (low, high) == (0.0, math.inf) else allowed
            raise ValueError(f"parameter {key!r} of loss {name_of(loss)!r} must {must}, got {value!r}")
    return cls(*map(float, loss)) if built_in else loss  # an integer field would compile every kernel again


def _choices(task: str | None) -> str:
    fitted = {name: cls for name, cls in LOSSES.items() if offers(cls(), "derivative")}
    usable = [name for name, cls in fitted.items() if task is None or task in tasks_of(cls())]
    return "one of " + ", ".join(repr(n) for n in usable)


def _parse(text: str) -> Any:
    """The loss that a text names; its parameters are not checked here."""
    name = text.partition(":")[0]
    if name not in LOSSES:
        raise ValueError(f"loss must be {_choices(None)}, got {text!r}{as_here(text, OTHERS)}")
    return parse(text, LOSSES[name], "loss")
