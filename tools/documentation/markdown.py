"""Plain text as Markdown: what a formula holds must not turn into emphasis, tags, links or table cells."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import empirisk


def prose(text: str) -> str:
    """Running text, with stars, tags and links of formulas escaped."""
    text = text.replace("*", r"\*").replace("](", r"]\(")
    return re.sub(r"<(?=[A-Za-z/!?])", r"\\<", text)


def code(text: str) -> str:
    """A code span."""
    return f"`{text}`"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars inside of cells are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines)


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """A list of names and texts; rows without a text are left out."""
    return "\n".join(f"- **{name}**: {text}" for name, text in rows if text)


def call(maker: Any) -> str:
    """How a class or function of the package is called in Python, with its defaults."""
    parameters = inspect.signature(maker).parameters.values()
    return f"{python_name(maker)}({', '.join(map(_parameter, parameters))})"


def python_name(maker: Any) -> str:
    """What a class or function of the package is called in Python: an estimator may have the short name of a loss."""
    name = maker.__name__
    if getattr(empirisk, name, None) is maker:
        return f"er.{name}"
    room = maker.__module__.split(".")[1]
    return f"er.{room}.{name}"


def _parameter(parameter: inspect.Parameter) -> str:
    default = parameter.default
    if default is parameter.empty:
        return parameter.name
    return f"{parameter.name}={'math.inf' if default == math.inf else repr(default)}"


def image(alt: str, path: str) -> str:
    """A picture."""
    return f"![{alt}]({path})"
