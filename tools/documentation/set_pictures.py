"""Pictures in the plane: a constraint with points and their projections, a regularizer by its level sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from empirisk.report.axes import Axis, linear_axis
from empirisk.report.charts import Frame
from tools.documentation.drawing import Point, arrow, clip, dot, label, line, picture

SIDE = 200.0  # of a square panel
LEFT, HEAD, FOOT, GAP = 36.0, 24.0, 42.0, 46.0
DIRECTIONS = 360
FAR = 8.0  # beyond every panel
POINTS = ((1.7, 1.3), (-1.6, 1.1), (-1.3, -1.5), (0.6, -1.7), (1.8, -0.4), (0.2, 0.3))
HALVINGS = 40


class Region(NamedTuple):
    """A panel with a convex set of the plane: what is written above it, and the constraint."""

    caption: str
    constraint: Any
    low: float = -2.0
    high: float = 2.0
    names: tuple[str, str] = ("w1", "w2")

    def draw(self, frame: Frame, clipped: str) -> list[str]:
        """The set, and where some points go when they are projected onto it."""
        # The outline of a convex set is where a large circle is projected to.
        outline = [self.project(_along((0.0, 0.0), angle, FAR)) for angle in _angles()]
        parts = [line(frame, outline, "set", clipped, closed=True)]
        for point in POINTS:
            nearest = self.project(point)
            moved = math.dist(point, nearest) > 1e-9
            parts.append(arrow(frame, point, nearest) if moved else dot(frame, point, "mark"))
        return parts

    def project(self, point: Point) -> Point:
        """The point of the set that is nearest."""
        out = np.empty(2)
        self.constraint.prox(np.array(point), 1.0, out)
        return float(out[0]), float(out[1])


class LevelSets(NamedTuple):
    """A panel with curves of equal value: what is written above it, and the function."""

    caption: str
    value: Callable[[Point], float]
    levels: tuple[float, ...] = (0.5, 1.0, 2.0)
    centre: Point = (0.0, 0.0)  # where the function is least
    low: float = -2.0
    high: float = 2.0
    names: tuple[str, str] = ("w1", "w2")
    domain: tuple[Point, ...] = ()  # corners of the set where the function is finite, where that is not everywhere

    def draw(self, frame: Frame, clipped: str) -> list[str]:
        """A curve for each level, on the shaded domain."""
        domain = [line(frame, self.domain, "set", clipped, closed=True)] if self.domain else []
        return domain + [line(frame, self._curve(level), "first", clipped, closed=True) for level in self.levels]

    def _curve(self, level: float) -> list[Point]:
        """Along each ray from the centre, the last point whose value is at most `level`."""
        points = []
        for angle in _angles():
            near, far = 0.0, FAR
            for _ in range(HALVINGS):
                middle = 0.5 * (near + far)
                is_inside = self.value(_along(self.centre, angle, middle)) <= level
                near, far = (middle, far) if is_inside else (near, middle)
            points.append(_along(self.centre, angle, near))
        return points


def panels_picture(title: str, description: str, panels: Sequence[Region | LevelSets]) -> str:
    """A whole SVG file, the panels side by side."""
    parts: list[str] = []
    for k, panel in enumerate(panels):
        left = LEFT + k * (SIDE + GAP)
        ticks = linear_axis([panel.low, panel.high], about=4).ticks
        axis = Axis(panel.low, panel.high, ticks)
        frame = Frame(axis, axis, left, HEAD, left + SIDE, HEAD + SIDE)
        parts += [clip(f"panel{k}", frame), frame.draw(panel.names[0])]
        parts.append(label(left - 8, HEAD + SIDE / 2 - 21, panel.names[1], anchor="end"))
        parts.append(f'<path class="axis" d="M{left:.1f} {frame.at_y(0.0):.1f}H{frame.right:.1f}"/>')
        parts.append(f'<path class="axis" d="M{frame.at_x(0.0):.1f} {HEAD:.1f}V{frame.bottom:.1f}"/>')
        parts.append(label(left + SIDE / 2, 15, panel.caption, anchor="middle"))
        parts += panel.draw(frame, f"panel{k}")
    width = LEFT + len(panels) * (SIDE + GAP) - GAP + 12.0
    return picture(title, description, width, HEAD + SIDE + FOOT, parts)


def _along(start: Point, angle: float, length: float) -> Point:
    return start[0] + length * math.cos(angle), start[1] + length * math.sin(angle)


def _angles() -> list[float]:
    return [2.0 * math.pi * k / DIRECTIONS for k in range(DIRECTIONS + 1)]
