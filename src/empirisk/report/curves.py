"""Charts of how a model does on rows: curves in the unit square, a table of counts as cells, and clouds of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.protocols import Vector
from empirisk.report.axes import DRAWABLE, Axis, linear_axis
from empirisk.report.drawing import HEIGHT, LETTER, WIDTH, Frame, gutter, svg, text
from empirisk.report.markup import safe, width
from empirisk.report.names import told_apart

SQUARE = 360  # the height of a chart whose two axes go from 0 to 1
MOST_VERTICES = 300  # of a curve: more cannot be seen
MOST_CELLS = 26  # classes whose counts are written into their cells
NAME_COLUMNS = 14
WIDE = 900  # of a chart that takes the whole page
LINE_COLUMNS, LINE_HEIGHT = 48, 22
LEAST_SHADE, MOST_SHADE = 0.06, 0.75


class Span(NamedTuple):
    """A dot and the interval around it, upwards."""

    x: float
    y: float
    low: float
    high: float
    said: str  # when the pointer rests on it


def unit_chart(
    *,
    title: str,
    x_label: str,
    curve: Sequence[tuple[float, float]] = (),
    spans: Sequence[Span] = (),
    guide: Sequence[tuple[float, float]] = (),
) -> str:
    """A curve, or dots with intervals, in the unit square, beside a dashed guide."""
    axis = linear_axis([0.0, 1.0])
    frame = Frame(axis, axis, gutter(axis), bottom=SQUARE - 42.0)
    parts = [frame.draw(x_label)]
    if guide:
        parts.append(_path(frame, guide, "guide"))
    if curve:
        parts.append(_path(frame, curve, "line"))
    for one in spans:
        x, y = frame.at_x(one.x), frame.at_y(one.y)
        parts.append(
            f'<g><title>{safe(one.said)}</title><path class="span" d="M{x:.1f} {frame.at_y(one.low):.1f}'
            f'V{frame.at_y(one.high):.1f}"/><circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3.4"/></g>'
        )
    return svg(title, SQUARE, "".join(parts))


def thinned(x: Vector, y: Vector) -> list[tuple[float, float]]:
    """The vertices of a curve; of many those that are farthest apart along it, with both ends."""
    if x.size > MOST_VERTICES:
        length = np.append(0.0, np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y))))
        places = np.searchsorted(length, np.linspace(0.0, length[-1], MOST_VERTICES))
        kept = np.unique(np.append(places.clip(0, x.size - 1), (0, x.size - 1)))
        x, y = x[kept], y[kept]
    return list(zip(x.tolist(), y.tolist(), strict=True))


def cell_chart(table: NDArray[np.float64], names: Sequence[str], *, title: str, across: float = WIDTH) -> str:
    """A confusion matrix: a row for each label, a column for each prediction, shaded by its share of the row."""
    k = len(names)
    shown = told_apart(names, NAME_COLUMNS)
    are_written = k <= MOST_CELLS
    left = 30.0 + LETTER * max(map(width, shown)) if are_written else 30.0
    top = 46.0 if are_written else 24.0
    size = (across - left - 6.0) / k
    high = min(size, 64.0)
    # Names are as many as there is room for, side by side.
    above = told_apart(names, max(2, int(size / LETTER)))
    parts = [text(left + k * size / 2.0, 14.0, "predicted", "middle", "label")]
    totals = np.maximum(table.sum(axis=1), np.finfo(float).tiny)
    for i in range(k):
        y = top + i * high
        if are_written:
            parts.append(text(left - 8.0, y + high / 2.0 + 4.0, shown[i], "end", "name"))
            parts.append(text(left + (i + 0.5) * size, top - 8.0, above[i], "middle", "name"))
        # Of very many classes the empty cells are left out: they would be most of the page.
        for j in range(k) if are_written else np.flatnonzero(table[i]).tolist():
            share, x = float(table[i, j] / totals[i]), left + j * size
            style = "beyond" if i == j else "error"
            shade = 0.0 if share == 0.0 else LEAST_SHADE + (MOST_SHADE - LEAST_SHADE) * share
            said = f"{safe(names[i], 60)}, predicted {safe(names[j], 60)}: {_count(table[i, j])}"
            parts.append(
                f"<g><title>{said}, {100.0 * share:.3g} %</title>"
                f'<path class="cell {style}" fill-opacity="{shade:.3f}" '
                f'd="M{x:.1f} {y:.1f}h{size:.1f}v{high:.1f}h{-size:.1f}z"/>'
            )
            if are_written:
                parts.append(text(x + size / 2.0, y + high / 2.0 + 4.0, _count(table[i, j]), "middle", "inked"))
            parts.append("</g>")
    parts.append(f'<path class="axis" d="M{left:.1f} {top:.1f}h{k * size:.1f}v{k * high:.1f}h{-k * size:.1f}z"/>')
    middle = top + k * high / 2.0
    parts.append(
        f'<text class="label" x="12" y="{middle:.1f}" text-anchor="middle" '
        f'transform="rotate(-90 12 {middle:.1f})">label</text>'
    )
    return svg(title, top + k * high + 8.0, "".join(parts), across)


def cloud_chart(x: Vector, y: Vector, *, title: str, x_label: str, is_diagonal: bool) -> str:
    """A dot for each pair, and a dashed line where they would lie at best: the diagonal, or zero."""
    across = linear_axis([*x.tolist(), *(y.tolist() if is_diagonal else ())])
    upwards = across if is_diagonal else linear_axis([*y.tolist(), 0.0])
    frame = Frame(across, upwards, gutter(upwards), bottom=HEIGHT + 40.0)
    dots = "".join(
        f'<circle class="point" cx="{frame.at_x(a):.1f}" cy="{frame.at_y(b):.1f}" r="2"/>'
        for a, b in zip(x.tolist(), y.tolist(), strict=True)
    )
    ends = ((across.low, across.low), (across.high, across.high)) if is_diagonal else _level(across)
    return svg(title, HEIGHT + 82.0, frame.draw(x_label) + dots + _path(frame, ends, "guide"))


class Line(NamedTuple):
    """A value with its interval, and another one beside it."""

    name: str
    value: float
    low: float
    high: float
    beside: float


def line_per_name(lines: Sequence[Line], *, title: str, x_label: str) -> str:
    """One line each, the first on top: the interval, the value as a filled dot, the other one hollow."""
    names = told_apart([one.name for one in lines], LINE_COLUMNS)
    ends = [end for one in lines for end in (one.low, one.high, one.beside) if abs(end) < DRAWABLE]
    x = linear_axis(ends, about=6)
    height = LINE_HEIGHT * len(lines) + 50
    left = 14 + LETTER * max(map(width, names))
    frame = Frame(x, Axis(0.0, 1.0, ()), left, 4.0, WIDE - 16.0, height - 42.0)
    parts = [frame.draw(x_label)]
    for tick in x.ticks:
        parts.append(f'<path class="grid" d="M{frame.at_x(tick.value):.1f} {frame.top:.1f}V{frame.bottom:.1f}"/>')
    for k, (one, name) in enumerate(zip(lines, names, strict=True)):
        y = frame.top + LINE_HEIGHT * (k + 0.5)
        low, high = (min(max(end, x.low), x.high) for end in (one.low, one.high))
        hollow = ""
        if abs(one.beside) < DRAWABLE:
            hollow = f'<circle class="hollow" cx="{frame.at_x(one.beside):.1f}" cy="{y:.1f}" r="3.4"/>'
        said = f"{one.name}: {one.value:.5g}, {one.low:.5g} to {one.high:.5g}; beside {one.beside:.5g}"
        parts.append(
            f'<g><title>{safe(said, 400)}</title><path class="span" d="M{frame.at_x(low):.1f} {y:.1f}'
            f'H{frame.at_x(high):.1f}"/>{hollow}<circle class="dot" cx="{frame.at_x(one.value):.1f}" cy="{y:.1f}" '
            f'r="3.6"/>{text(frame.left - 8, y + 4, name, "end", "name")}</g>'
        )
    return svg(title, height, "".join(parts), WIDE)


def _level(across: Axis) -> tuple[tuple[float, float], tuple[float, float]]:
    return (across.low, 0.0), (across.high, 0.0)


def _path(frame: Frame, points: Sequence[tuple[float, float]], style: str) -> str:
    places = " ".join(f"{frame.at_x(x):.1f},{frame.at_y(y):.1f}" for x, y in points)
    return f'<path class="{style}" d="M{places}"/>'


def _count(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.4g}"
