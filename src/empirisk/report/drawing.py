"""What charts are drawn with: the rectangle of a plot, texts, and the picture itself."""

from __future__ import annotations

from typing import NamedTuple

from empirisk.report.axes import Axis
from empirisk.report.markup import safe, width

WIDTH = 440  # in units of the viewBox; about as many pixels on a phone, so text stays readable there
HEIGHT = 250
LETTER = 6.6  # the width of an average letter of a label


class Frame(NamedTuple):
    """The rectangle of a plot and its axes."""

    x: Axis
    y: Axis
    left: float
    top: float = 12.0
    right: float = WIDTH - 14.0
    bottom: float = HEIGHT - 42.0

    def at_x(self, value: float) -> float:
        """The horizontal place of a value."""
        return self.left + self.x.share(value) * (self.right - self.left)

    def at_y(self, value: float) -> float:
        """The vertical place of a value."""
        return self.bottom - self.y.share(value) * (self.bottom - self.top)

    def draw(self, x_label: str) -> str:
        """Grid, ticks and the name of the horizontal axis."""
        parts = []
        for tick in self.y.ticks:
            y = self.at_y(tick.value)
            parts.append(f'<path class="grid" d="M{self.left:.1f} {y:.1f}H{self.right:.1f}"/>')
            parts.append(text(self.left - 6, y + 4, tick.label, "end"))
        for tick in self.x.ticks:
            x = self.at_x(tick.value)
            parts.append(f'<path class="axis" d="M{x:.1f} {self.bottom:.1f}v4"/>')
            parts.append(text(x, self.bottom + 17, tick.label, "middle"))
        parts.append(f'<path class="axis" d="M{self.left:.1f} {self.bottom:.1f}H{self.right:.1f}"/>')
        parts.append(text((self.left + self.right) / 2, self.bottom + 34, x_label, "middle", "label"))
        return "".join(parts)


def gutter(y: Axis) -> float:
    """The room that the labels of the vertical axis take."""
    return 14 + LETTER * max(width(tick.label) for tick in y.ticks)


def text(x: float, y: float, said: str, anchor: str, style: str = "tick") -> str:
    """A text at a place: its start, middle or end."""
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{safe(said)}</text>'


def svg(title: str, height: float, inside: str, across: float = WIDTH) -> str:
    """The picture, `title` being what a reader who cannot see it is told."""
    return f'<svg viewBox="0 0 {across:g} {height:g}" role="img" aria-label="{safe(title, 400)}">{inside}</svg>'
