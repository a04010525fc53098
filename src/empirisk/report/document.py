"""An HTML page that stands alone."""

from __future__ import annotations

import empirisk
from empirisk.report.markup import safe, width
from empirisk.report.style import STYLE

# The page needs no script and no network: the browser is told to allow neither, whatever a name contains.
POLICY = "default-src 'none'; style-src 'unsafe-inline'"

WIDEST_VALUE = 9  # letters of a tile's number


def document(title: str, body: str) -> str:
    """The HTML text of a page with this title; `body` is markup."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{safe(title, 400)}</title><style>{STYLE}</style></head>\n<body>{body}</body></html>\n"
    )


def tiles(shown: list[tuple[str, str, str]]) -> str:
    """Numbers that matter most: a name, a value and a note each, as markup."""
    items = "".join(f'<div><dt>{a}</dt>{_tile(b)}<dd class="soft">{c}</dd></div>' for a, b, c in shown)
    return f'<dl class="tiles">{items}</dl>'


def _tile(value: str) -> str:
    """In smaller letters where it is long: a number broken in two is read as another."""
    return f'<dd class="long">{value}</dd>' if width(value) > WIDEST_VALUE else f"<dd>{value}</dd>"


def closing() -> str:
    """The last lines of a page: the version and what the file is."""
    return (
        f"<footer><p>Written by empirisk {safe(empirisk.__version__)}. This page is one HTML file (UTF-8, charts as "
        "SVG): it runs no script, loads nothing and works offline.</p></footer>"
    )
