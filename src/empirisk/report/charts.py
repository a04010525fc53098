"""Charts as inline SVG: colours and fonts come from the page's style, so they follow dark mode and print.

Hand-made, because the style reaches into them, text keeps the reader's font, and no drawing library is loaded:
a report costs milliseconds and a few kilobytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from empirisk.report.axes import Axis, linear_axis, log_axis
from empirisk.report.drawing import HEIGHT, LETTER, WIDTH, Frame, gutter, svg, text
from empirisk.report.markup import safe, width
from empirisk.report.names import told_apart

NAME_COLUMNS = 26
TITLE_LIMIT = 1000  # characters of a name that a pointer shows whole
ROW = 22
MANY = 40  # points: from here on the line is drawn without dots


class Bin(NamedTuple):
    """A column of a histogram: its interval and the counts stacked in it, from the bottom."""

    low: float
    high: float
    counts: tuple[int, ...]
    said: str = ""  # when the pointer rests on it; else the interval and the count


def line_chart(
    points: Sequence[tuple[float, float]],
    *,
    title: str,
    x_label: str,
    is_log: bool = False,
    target: float | None = None,
    target_label: str = "",
) -> str:
    """Values along a way, the last one marked, and the target as a dashed line."""
    if not points:
        return svg(title, HEIGHT, text(WIDTH / 2, HEIGHT / 2, "No finite value was recorded.", "middle", "label"))
    heights = [y for _, y in points] + ([] if target is None else [target])
    x = linear_axis([x for x, _ in points], from_zero=True)
    y = _gap_axis(heights) if is_log else linear_axis(heights)
    frame = Frame(x, y, gutter(y))
    places = [(frame.at_x(x), frame.at_y(y)) for x, y in points]
    parts = [frame.draw(x_label)]
    if target is not None:
        parts.append(f'<path class="target" d="M{frame.left:.1f} {frame.at_y(target):.1f}H{frame.right:.1f}"/>')
    parts.append(f'<path class="line" d="M{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>')
    dots = places if len(places) <= MANY else places[-1:]
    parts += [f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="2.6"/>' for x, y in dots[:-1]]
    parts.append(f'<circle class="dot last" cx="{dots[-1][0]:.1f}" cy="{dots[-1][1]:.1f}" r="4.2"/>')
    if target is not None:
        parts.append(_beside(frame, frame.at_y(target), target_label, places))
    return svg(title, HEIGHT, "".join(parts))


def strength_chart(points: Sequence[tuple[float, float, float]], chosen: int, *, title: str, x_label: str) -> str:
    """Means and the standard errors around them against strengths (positive), on a logarithmic axis; one is marked."""
    x = log_axis([x for x, _, _ in points])
    y = linear_axis([end for _, mean, error in points for end in (mean - error, mean + error)])
    frame = Frame(x, y, gutter(y))
    parts = [frame.draw(x_label)]
    places = [(frame.at_x(x), frame.at_y(mean)) for x, mean, _ in points]
    for (place, _), (_, mean, error) in zip(places, points, strict=True):
        low, high = frame.at_y(mean - error), frame.at_y(mean + error)
        parts.append(f'<path class="axis" d="M{place:.1f} {low:.1f}V{high:.1f}"/>')
    parts.append(f'<path class="line" d="M{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}"/>')
    for k, (a, b) in enumerate(places):
        style, size = ("dot last", 4.2) if k == chosen else ("dot", 2.6)
        parts.append(f'<circle class="{style}" cx="{a:.1f}" cy="{b:.1f}" r="{size}"/>')
    return svg(title, HEIGHT, "".join(parts))


def histogram(bins: Sequence[Bin], classes: Sequence[str], *, title: str, x_label: str) -> str:
    """Stacked counts; `classes` names the style of each part of the stack."""
    y = linear_axis([sum(b.counts) for b in bins], from_zero=True)
    x = linear_axis([bins[0].low, bins[-1].high], about=7)
    x = x._replace(
        low=bins[0].low,
        high=bins[-1].high,
        ticks=tuple(t for t in x.ticks if bins[0].low <= t.value <= bins[-1].high),
    )
    frame = Frame(x, y, gutter(y))
    parts = [frame.draw(x_label)]
    for one in bins:
        if not any(one.counts):
            continue
        left, right = frame.at_x(one.low) + 0.5, frame.at_x(one.high) - 0.5
        below, rectangles = 0, []
        for style, many in zip(classes, one.counts, strict=True):
            if many:
                top, bottom = frame.at_y(below + many), frame.at_y(below)
                rectangles.append(
                    f'<path class="{style}" d="M{left:.1f} {bottom:.1f}V{top:.1f}H{right:.1f}V{bottom:.1f}z"/>'
                )
                below += many
        said = one.said or f"{one.low:.4g} to {one.high:.4g}: {below:,}"
        parts.append(f"<g><title>{safe(said)}</title>{''.join(rectangles)}</g>")
    if x.low < 0.0 < x.high:
        parts.append(f'<path class="zero" d="M{frame.at_x(0.0):.1f} {frame.top:.1f}V{frame.bottom:.1f}"/>')
    return svg(title, HEIGHT, "".join(parts))


def bar_chart(bars: Sequence[tuple[str, float]], *, title: str, x_label: str) -> str:
    """One horizontal bar a name, to the left of zero or to the right."""
    names = told_apart([name for name, _ in bars], NAME_COLUMNS)
    height = ROW * len(bars) + 50
    x = linear_axis([value for _, value in bars], about=4, from_zero=True)
    gutter = 14 + 1.06 * LETTER * max(width(name) for name in names)
    frame = Frame(x, Axis(0.0, 1.0, ()), gutter, 4.0, WIDTH - 16.0, height - 42.0)
    parts = [frame.draw(x_label)]
    zero = frame.at_x(0.0)
    for tick in x.ticks:
        place = frame.at_x(tick.value)
        parts.append(f'<path class="grid" d="M{place:.1f} {frame.top:.1f}V{frame.bottom:.1f}"/>')
    for k, ((full, value), name) in enumerate(zip(bars, names, strict=True)):
        middle, end = frame.top + ROW * (k + 0.5), frame.at_x(value)
        style = "plus" if value > 0.0 else "minus"
        parts.append(
            f"<g><title>{safe(full, TITLE_LIMIT)}: {value:.6g}</title>"
            f'<path class="{style}" d="M{zero:.1f} {middle - 7:.1f}H{end:.1f}v14H{zero:.1f}z"/>'
            f"{text(frame.left - 8, middle + 4, name, 'end', 'name')}</g>"
        )
    parts.append(f'<path class="axis" d="M{zero:.1f} {frame.top:.1f}V{frame.bottom:.1f}"/>')
    return svg(title, height, "".join(parts))


def _gap_axis(values: Sequence[float]) -> Axis:
    """Logarithmic, with room below for a gap of exactly zero."""
    positive = [v for v in values if v > 0.0] or [1.0]
    return log_axis(positive if len(positive) == len(values) else [*positive, max(min(positive) / 100.0, 1e-307)])


def _beside(frame: Frame, height: float, label: str, places: Sequence[tuple[float, float]]) -> str:
    """A label on a horizontal line: at the end and on the side where the curve leaves room."""
    passed = list(places[:1])
    for (x0, y0), (x1, y1) in itertools.pairwise(places):
        passed += [(x0 + (x1 - x0) * k / 16, y0 + (y1 - y0) * k / 16) for k in range(1, 17)]
    size = LETTER * width(label)
    sides = [(above, at_left) for above in (True, False) for at_left in (True, False)]
    room = {True: height - frame.top, False: frame.bottom - height}
    choices = []
    for above, at_left in sides:
        left = frame.left + 6 if at_left else frame.right - 6 - size
        low, high = (height - 20, height) if above else (height, height + 20)
        hits = sum(left - 6 <= x <= left + size + 6 and low <= y <= high for x, y in passed)
        choices.append((room[above] < 20, hits, above, at_left))
    _, _, above, at_left = min(choices, key=lambda choice: choice[:2])
    x, anchor = (frame.left + 6, "start") if at_left else (frame.right - 6, "end")
    return text(x, height - 6 if above else height + 15, label, anchor, "target-label")
