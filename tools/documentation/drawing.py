"""Small SVG files that stand alone: one palette that is legible on white and on dark pages, and no background.

Axes and their ticks are those of the report (`empirisk.report`).
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from empirisk.report.charts import Frame

Point = tuple[float, float]

FLATNESS = 0.1  # in pixels: how far a point that is left out may lie from the line drawn
# Middle tones: a contrast of at least 3 with #ffffff and with #0d1117, and of 4 for text.
STYLE = (
    "text{font:12px system-ui,'Segoe UI',Roboto,'Liberation Sans',sans-serif;fill:#737d89}"
    ".grid{stroke:#808a96;stroke-opacity:.3;fill:none}.axis{stroke:#808a96;fill:none}"
    ".first,.second{stroke:#3c7dd3;stroke-width:2;fill:none}.second{stroke:#c96a1f;stroke-dasharray:6 3}"
    ".set{stroke:#3c7dd3;stroke-width:2;fill:#3c7dd3;fill-opacity:.18}.move{stroke:#c96a1f;stroke-width:1.4;fill:none}"
    ".dot{fill:#3c7dd3}.mark{fill:#c96a1f}path{stroke-linejoin:round}"
    "text.first{fill:#3c7dd3;stroke:none}text.second{fill:#c96a1f;stroke:none}"
)


def picture(title: str, description: str, width: float, height: float, inside: Iterable[str]) -> str:
    """A whole file, with a title and a description for those who do not see it."""
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title desc">',
        f'<title id="title">{html.escape(title)}</title>',
        f'<desc id="desc">{html.escape(description)}</desc>',
        f"<style>{STYLE}</style>",
        *inside,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def clip(name: str, frame: Frame) -> str:
    """The rectangle of a plot and half a line's width around it, as what curves named so are cut to."""
    size = f'width="{frame.right - frame.left + 2.0:.1f}" height="{frame.bottom - frame.top + 2.0:.1f}"'
    return f'<clipPath id="{name}"><rect x="{frame.left - 1.0:.1f}" y="{frame.top - 1.0:.1f}" {size}/></clipPath>'


def line(frame: Frame, points: Sequence[Point], style: str, clipped: str = "", closed: bool = False) -> str:
    """A line through points given in values; points on a straight stretch are left out."""
    places = straightened([(frame.at_x(x), frame.at_y(y)) for x, y in points])
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places) + ("z" if closed else "")
    within = f' clip-path="url(#{clipped})"' if clipped else ""
    return f'<path class="{style}"{within} d="M{path}"/>'


def dot(frame: Frame, point: Point, style: str = "dot", radius: float = 3.0) -> str:
    """A dot at a point given in values."""
    return f'<circle class="{style}" cx="{frame.at_x(point[0]):.1f}" cy="{frame.at_y(point[1]):.1f}" r="{radius:g}"/>'


def arrow(frame: Frame, start: Point, end: Point) -> str:
    """A straight line from a hollow place to a dot."""
    return line(frame, [start, end], "move") + dot(frame, start, "mark", 2.0) + dot(frame, end, "mark", 3.2)


def label(x: float, y: float, text: str, style: str = "tick", anchor: str = "start") -> str:
    """Text at a place given in pixels."""
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def straightened(places: list[Point]) -> list[Point]:
    """The points without those that lie on the line between the ones kept (Ramer, Douglas and Peucker)."""
    if len(places) < 3:
        return places
    (x0, y0), (x1, y1) = places[0], places[-1]
    length = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5

    def distance(point: Point) -> float:
        x, y = point
        if length == 0.0:
            return float(((x - x0) ** 2 + (y - y0) ** 2) ** 0.5)
        return float(abs((x1 - x0) * (y - y0) - (y1 - y0) * (x - x0)) / length)

    far = max(range(1, len(places) - 1), key=lambda k: distance(places[k]))
    if distance(places[far]) <= FLATNESS:
        return [places[0], places[-1]]
    return straightened(places[: far + 1])[:-1] + straightened(places[far:])
