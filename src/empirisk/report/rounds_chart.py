"""Curves over the rounds of a run, whose axis is logarithmic: lines are at 1, 2, 4, ..."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from empirisk.report.axes import DRAWABLE, linear_axis, log_axis
from empirisk.report.drawing import HEIGHT, WIDTH, Frame, gutter, svg, text
from empirisk.report.markup import number, safe

SPREAD = 100.0  # times the least value: from here on the values have a logarithmic axis


class Curve(NamedTuple):
    """Values at rounds, under a name; the style is line, target or guide."""

    name: str
    style: str
    points: Sequence[tuple[float, float]]


def is_logarithmic(curves: Sequence[Curve]) -> bool:
    """Whether the values are positive and of different orders of magnitude."""
    values = [y for curve in curves for _, y in drawable(curve.points)]
    return bool(values) and min(values) > 0.0 and max(values) > SPREAD * min(values)


def rounds_chart(curves: Sequence[Curve], *, title: str) -> str:
    """The curves in one frame, with dots on the first of them and the values of both when the pointer rests there."""
    shown = [curve._replace(points=drawable(curve.points)) for curve in curves]
    values = [y for curve in shown for _, y in curve.points]
    if not values:
        return svg(title, HEIGHT, text(WIDTH / 2, HEIGHT / 2, "No finite value was recorded.", "middle", "label"))
    x = log_axis([max(1.0, x) for curve in shown for x, _ in curve.points])
    y = log_axis(values) if is_logarithmic(shown) else linear_axis(values, from_zero=True)
    frame = Frame(x, y, gutter(y))
    parts = [frame.draw("rounds (logarithmic)")]
    for curve in reversed(shown):  # the first on top
        places = [f"{frame.at_x(a):.1f},{frame.at_y(b):.1f}" for a, b in curve.points]
        parts.append(f'<path class="{curve.style}" d="M{" ".join(places)}"/>' if places else "")
    for a, b in shown[0].points:
        said = f"{safe(shown[0].name)} after {a:,.0f} rounds: {number(b, 5)}"
        place = f'cx="{frame.at_x(a):.1f}" cy="{frame.at_y(b):.1f}"'
        parts.append(f'<g><title>{said}</title><circle class="dot" {place} r="2.6"/></g>')
    return svg(title, HEIGHT, "".join(parts))


def legend(curves: Sequence[Curve]) -> str:
    """What the lines are, under a chart of more than one."""
    lines = "".join(
        f'<li><svg viewBox="0 0 26 8" style="width:26px;flex:none" aria-hidden="true">'
        f'<path class="{curve.style}" d="M0 4H26"/></svg>{safe(curve.name)}</li>'
        for curve in curves
    )
    return f'<ul class="legend">{lines}</ul>' if len(curves) > 1 else ""


def drawable(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Those that an axis can hold: no nan among them."""
    return [(x, y) for x, y in points if abs(y) < DRAWABLE]
