"""Text and numbers made safe and readable for an HTML page."""

from __future__ import annotations

import html
import math
import re
import unicodedata

from empirisk.texts import shown, spelled, visible

NAME_LIMIT = 160  # characters; a longer name is cut, so that no name can fill the page
COMMAND_LIMIT = 8000


def safe(text: object, limit: int = NAME_LIMIT) -> str:
    """Text from outside: one line, cut at the limit, invisible characters spelled out, escaped."""
    return html.escape(cut(visible(str(text)[: limit + 1]), limit))


def safe_command(text: str) -> str:
    """A command to copy: only escaped, and rid of what no terminal takes."""
    kept = "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs") else spelled(c) for c in text)
    return html.escape(cut(kept, COMMAND_LIMIT))


def cut(text: str, columns: int) -> str:
    """The text, or its beginning and an ellipsis when it is wider; East Asian characters take two columns."""
    return text if width(text) <= columns else fitting(text, columns - 1) + "…"


def fitting(text: str, columns: int) -> str:
    """As much of the beginning as so many columns hold."""
    kept, used = [], 0
    for character in text:
        used += _columns(character)
        if used > columns:
            break
        kept.append(character)
    return "".join(kept)


def width(text: str) -> int:
    """How many columns a text takes."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def number(x: float, digits: int = 4, fill: bool = False) -> str:
    """A number with so many significant digits (`fill` keeps zeros at the end), a proper minus and short exponent."""
    if math.isnan(x):
        return "unknown"
    if math.isinf(x):
        return "infinite" if x > 0 else "minus infinity"
    return _typeset(f"{x:{'#' if fill else ''}.{digits}g}")


def headline_number(x: float) -> str:
    """A number beside its note, which shows another one: both as `texts.shown` does."""
    return _typeset(shown(x)) if math.isfinite(x) else number(x)


def exact(x: float) -> str:
    """The shortest text that reads back as the same float."""
    return _typeset(repr(float(x)))


def _typeset(text: str) -> str:
    return re.sub(r"e([+-])0*(\d)", lambda m: f"e{m[1].strip('+')}{m[2]}", text).replace("-", "\u2212")


def count(n: int, what: str) -> str:
    """1 row, 2,000 rows; never broken at the line's end."""
    return f"{n:,}\u00a0{what}" if n == 1 else f"{n:,}\u00a0{what}s"


def share(part: int, whole: int) -> str:
    """A percentage that says 0 % and 100 % only when they are exact."""
    if part in (0, whole):
        return "0\u00a0%" if part == 0 else "100\u00a0%"
    percent = 100.0 * part / whole
    if percent < 0.01:
        return "under 0.01\u00a0%"
    return "over 99.9\u00a0%" if percent > 99.9 else f"{percent:.{1 if percent >= 1.0 else 2}f}\u00a0%"


def duration(seconds: float) -> str:
    """A time a person can read."""
    if not math.isfinite(seconds):
        return "unknown"
    if seconds < 0.9995:
        return f"{1000.0 * seconds:.3g} ms"
    if seconds < 120.0:
        return f"{seconds:.3g} s"
    minutes = round(seconds / 60.0)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
