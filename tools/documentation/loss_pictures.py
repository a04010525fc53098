"""The picture of a loss: value and derivative against margin, residual or score, and beside it the conjugate."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import name_of, offers, tasks_of
from empirisk.report.axes import Axis, linear_axis
from empirisk.report.charts import Frame
from tools.documentation.curves import Curves, Function, curves
from tools.documentation.drawing import clip, dot, label, line, picture

WIDTH, HEIGHT = 560.0, 220.0
TOP, BOTTOM = 26.0, HEIGHT - 44.0
LEFT, MIDDLE, RIGHT = 34.0, 348.0, WIDTH - 12.0
GUTTER = 46.0  # between the panels, for the numbers of the second
REACH = 3.0  # scores from -REACH to REACH
SLOPES = 2.5
LOWEST, HIGHEST = -3.0, 4.0  # no picture shows more of a value
COUNT = 2.0  # the label of a loss that depends neither on the margin nor on the residual alone


class View(NamedTuple):
    """A loss as functions of one number, and what that number is."""

    score: str
    value: Function
    derivative: Function | None
    slope: str
    conjugate: Function | None


class _Graph(NamedTuple):
    name: str
    style: str
    curves: Curves


def loss_picture(loss: Any) -> str:
    """A whole SVG file."""
    view = _vector_view(loss) if offers(loss, "gradient") else _scalar_view(loss)
    graphs = [_Graph("value", "first", curves(view.value, -REACH, REACH))]
    if view.derivative is not None:
        graphs.append(_Graph("derivative", "second", curves(view.derivative, -REACH, REACH)))
    parts = _panel("scores", LEFT, MIDDLE, REACH, view.score, graphs)
    said = f"{' and '.join(graph.name for graph in graphs).capitalize()} against the {view.score}"
    jumps = [f"the {graph.name} jumps at {x:g}" for graph in graphs for x, _ in graph.curves.jumps]
    said += "".join(f"; {jump}, where the dot is the value taken" for jump in jumps) + "."
    if view.conjugate is not None:
        conjugate = _Graph("conjugate", "first", curves(view.conjugate, -SLOPES, SLOPES))
        parts += _panel("slopes", MIDDLE + GUTTER, RIGHT, SLOPES, view.slope, [conjugate])
        said += f" Beside it the conjugate against the {view.slope}; dots are the ends of its domain."
    width = MIDDLE + WIDTH - RIGHT if view.conjugate is None else WIDTH
    return picture(f"The loss {name_of(loss)}", said, width, HEIGHT, parts)


def _scalar_view(loss: Any) -> View:
    """The margin for labels -1 and +1, the residual where the loss depends on it alone, else the score."""
    if "regression" not in tasks_of(loss):
        y, score = 1.0, "margin y z"
    elif all(_same(loss.value(z, 0.0), loss.value(z + COUNT, COUNT)) for z in (-2.0, -0.3, 0.0, 1.7)):
        y, score = 0.0, "residual z - y"
    else:
        y, score = COUNT, f"score z, at y = {COUNT:g}"
    return View(
        score,
        lambda z: float(loss.value(z, y)),
        (lambda z: float(loss.derivative(z, y))) if offers(loss, "derivative") else None,
        f"slope u, at y = {y:g}",
        (lambda u: float(loss.conjugate(u, y))) if offers(loss, "conjugate") else None,
    )


def _vector_view(loss: Any) -> View:
    """The score of the true class of three, the other scores being 0; slopes that treat the other two alike."""

    def derivative(z: float) -> float:
        out = np.empty(3)
        loss.gradient(np.array([z, 0.0, 0.0]), 0, out)
        return float(out[0])

    return View(
        "score of the true class, the two others at 0",
        lambda z: float(loss.value(np.array([z, 0.0, 0.0]), 0)),
        derivative,
        "slope u of that score",
        lambda u: float(loss.conjugate(np.array([u, -0.5 * u, -0.5 * u]), 0)),
    )


def _same(a: float, b: float) -> bool:
    return math.isclose(a, b, abs_tol=1e-9)


def _panel(name: str, left: float, right: float, reach: float, x_label: str, graphs: list[_Graph]) -> list[str]:
    """Axes, curves, the dots at jumps and ends, and the names of the curves above them."""
    heights = [y for graph in graphs for piece in graph.curves.pieces for _, y in piece]
    y = linear_axis([min(max(height, LOWEST), HIGHEST) for height in heights], about=4, from_zero=True)
    ticks = linear_axis([-reach, reach], about=6).ticks
    x = Axis(-reach, reach, tuple(tick for tick in ticks if abs(tick.value) <= reach))
    frame = Frame(x, y, left, TOP, right, BOTTOM)
    parts = [clip(name, frame), frame.draw(x_label)]
    parts.append(f'<path class="axis" d="M{left:.1f} {frame.at_y(0.0):.1f}H{right:.1f}"/>')
    parts.append(f'<path class="axis" d="M{frame.at_x(0.0):.1f} {TOP:.1f}V{BOTTOM:.1f}"/>')
    at = left
    for graph in graphs:
        parts += [line(frame, piece, graph.style, name) for piece in graph.curves.pieces]
        marks = [point for point in (*graph.curves.jumps, *graph.curves.ends) if y.low <= point[1] <= y.high]
        parts += [dot(frame, point, "dot" if graph.style == "first" else "mark") for point in marks]
        parts.append(f'<path class="{graph.style}" d="M{at:.1f} 12h22"/>{label(at + 27, 16, graph.name, graph.style)}')
        at += 44 + 7 * len(graph.name)
    return parts
