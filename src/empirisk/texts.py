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
    """The name of a named tuple of numbers and words, with the parameters that are not the usual ones.

    A parameter may be a part, or a tuple of parts: `mixture:learners=adagrad(alpha=0.5)+adagrad`, see `parts_of`.
    """
    changed = _changed(part)
    return name_of(part) + (f":{changed}" if changed else "")


def _changed(part: Any) -> str:
    fields, defaults = type(part)._fields, type(part)._field_defaults
    given = [(k, v) for k, v in zip(fields, part, strict=True) if _is_changed(v, defaults.get(k))]
    return ",".join(f"{k}={_value_text(v)}" for k, v in given)


def _is_changed(value: Any, usual: Any) -> bool:
    """Whether it is another; a part and its text are the same."""
    return _value_text(value) != usual if isinstance(value, tuple) else bool(value != usual)


def _value_text(value: Any) -> str:
    if isinstance(value, tuple):
        return _inner_text(value) if hasattr(value, "_fields") else "+".join(map(_inner_text, value))
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(float(value))


def _inner_text(part: Any) -> str:
    """A part among the parameters; of one that has an array first, the numbers of that."""
    inside = _changed(part) if has_text(type(part)) else ";".join(_number_texts(part[0]))
    return name_of(part) + (f"({inside})" if inside else "")


def _number_texts(values: Any) -> list[str]:
    """Of all numbers of an array, or of lists of lists, in their order."""
    if hasattr(values, "__len__"):
        return [text for inner in values for text in _number_texts(inner)]
    return [repr(float(values))]


def parts_of(text: str) -> list[str]:
    """The texts of parts that are joined by +, each with its parameters in parentheses: 'a(x=1)+b' is 'a:x=1', 'b'."""
    found = []
    for item in _split(text, "+"):
        name, _, rest = item.partition("(")
        if ("(" in item) != item.endswith(")") or not name or ":" in name:
            raise ValueError(f"parts are written as 'adagrad(alpha=0.5)+adagrad', got {text!r}")
        found.append(name + (f":{rest[:-1]}" if rest[:-1] else ""))
    return found


def _split(text: str, separator: str) -> list[str]:
    """At each separator that is not within parentheses."""
    found, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == separator and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return found


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
    for item in filter(None, _split(rest, ",")):
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
