"""Losses and constraints as texts, 'huber:delta=1.5', in Python, files and commands; numbers and names for people."""

from __future__ import annotations

from typing import Any

from empirisk.capabilities import name_of, optional


def has_text(cls: Any) -> bool:
    """Whether parts of this class can be written as texts: their name alone is one, so that each field has a default.

    Arrays have none.
    """
    return set(cls._fields) == set(cls._field_defaults)


def summary_of(part: Any) -> str:
    """What a report says of a part: its own words, or its text."""
    own = optional(part, "summary")
    return text_of(part) if own is None else str(own())


SMALL = 1e-4
MOST_DIGITS = 1e15  # numbers from a million to here are shown as whole ones


def text_of(part: Any) -> str:
    """The name of a named tuple of numbers and words, with the parameters that are not the usual ones."""
    defaults = type(part)._field_defaults
    given = [(k, v) for k, v in zip(type(part)._fields, part, strict=True) if _is_changed(v, defaults.get(k))]
    return name_of(part) + (":" + ",".join(f"{k}={_value_text(v)}" for k, v in given) if given else "")


def _is_changed(value: Any, usual: Any) -> bool:
    """Whether it is another; a part and its text are the same."""
    return _value_text(value) != usual if isinstance(value, tuple) else bool(value != usual)


def _value_text(value: Any) -> str:
    if isinstance(value, tuple):
        return _part_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(float(value))


def _part_text(part: Any) -> str:
    """A part among the parameters: its name, with the numbers of its first field, where that has no default."""
    if has_text(type(part)):
        return name_of(part)
    return f"{name_of(part)}({';'.join(_number_texts(part[0]))})"


def _number_texts(values: Any) -> list[str]:
    """Of all numbers of an array, or of lists of lists, in their order."""
    if hasattr(values, "__len__"):
        return [text for inner in values for text in _number_texts(inner)]
    return [repr(float(values))]


def shown(x: float) -> str:
    """A number for people: six digits, or whole; three of a small one, which is mostly what is left of something.

    Of two numbers the larger one is never shown as the smaller.
    """
    if abs(x) < SMALL:
        return f"{x:.3g}"
    return f"{x:.0f}" if 1e6 <= abs(x) < MOST_DIGITS else f"{x:.6g}"


def visible(text: str) -> str:
    """Text from files and names, on one line: what a terminal would obey, or cannot show, is spelled out."""
    return "".join(c if c.isprintable() else spelled(c) for c in text)


def spelled(character: str) -> str:
    """A character as Python escapes it."""
    return character.encode("unicode_escape").decode("ascii")


def parse(text: str, cls: Any, noun: str) -> Any:
    """The object of class `cls` that a text describes; its parameters are not checked further here.

    They are words, or true and false, where the usual ones are, and numbers elsewhere.
    """
    name, _, rest = text.partition(":")
    parameters: dict[str, Any] = {}
    for item in filter(None, rest.split(",")):
        key, _, value = item.partition("=")
        if key not in cls._fields:
            raise ValueError(f"{noun} {name!r} has no parameter {key!r}; it has {', '.join(cls._fields)}")
        usual = cls._field_defaults.get(key)
        if isinstance(usual, (str, bool)):
            parameters[key] = {"true": True, "false": False}.get(value, value) if isinstance(usual, bool) else value
            continue
        try:
            parameters[key] = float(value)
        except ValueError:
            raise ValueError(f"parameter {key!r} of {noun} {name!r} must be a number, got {value!r}") from None
    return cls(**parameters)
