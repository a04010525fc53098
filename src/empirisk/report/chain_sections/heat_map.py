"""A table of numbers as a picture: a row and a column a name, shaded by size, blue above zero and orange below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.report.axes import SUPERSCRIPTS
from empirisk.report.drawing import WIDTH, svg, text
from empirisk.report.markup import safe, width
from empirisk.report.names import told_apart

WIDE = 900
FEW = 6  # names of which there is room on half of the page
MOST_TOLD = 30  # names up to which each cell says what it is when the pointer rests on it
NAME_COLUMNS = 14
WIDEST, HIGHEST = 64.0, 34.0  # of a cell
MANY = 300  # cells, from which on a few very large ones do not set the scale
WRITTEN = 33.0  # the width from which on numbers are written into cells
LEAST_SHADE, MOST_SHADE, SHADES = 0.05, 0.85, 16
SMALL = 13.0  # the height of a cell below which names are set in smaller letters
UPRIGHT = 7.6  # the width of a letter in names that stand one beside the other
APART = 7.0  # what the last row and the last column are set apart by


class HeatMap(NamedTuple):
    """What is drawn: a row and a column a name, and where the table is larger one more of each, set apart."""

    values: NDArray[np.float64]  # nan where there is none
    is_barred: NDArray[np.bool_]  # cells that are crossed out
    said: list[list[str]]  # of each cell; of many names nobody asks
    names: Sequence[str]
    last_row: str = ""
    last_column: str = ""


class Grid(NamedTuple):
    """Where the cells are."""

    x: list[float]  # their left sides
    y: list[float]
    size: float
    high: float

    def cell(self, i: int, j: int) -> str:
        """The outline of one."""
        return f"M{self.x[j]:.1f} {self.y[i]:.1f}h{self.size:.1f}v{self.high:.1f}h{-self.size:.1f}z"

    def cross(self, i: int, j: int) -> str:
        """A stroke through one."""
        return f"M{self.x[j]:.1f} {self.y[i]:.1f}l{self.size:.1f} {self.high:.1f}"


def heat_map(drawn: HeatMap, *, title: str, x_label: str, y_label: str) -> str:
    """The picture; where there is room the numbers are in their cells."""
    n_rows, n_columns = drawn.values.shape
    names, k = told_apart(drawn.names, NAME_COLUMNS), len(drawn.names)
    beside, above = [*names, drawn.last_row][:n_rows], [*names, drawn.last_column][:n_columns]
    across = WIDTH if k <= FEW else WIDE
    left = 38.0 + UPRIGHT * max(map(width, beside))
    size = min(WIDEST, (across - left - APART - 4.0) / n_columns)
    high = min(size, HIGHEST)
    longest = UPRIGHT * max(map(width, above))
    is_level = size >= longest + 4.0
    top = 42.0 if is_level else 34.0 + longest
    grid = Grid(
        [left + j * size + APART * (j >= k) for j in range(n_columns)],
        [top + i * high + APART * (i >= k) for i in range(n_rows)],
        size,
        high,
    )
    scale, power = shade_limit(drawn.values), _power(float(np.nanmax(np.abs(drawn.values), initial=0.0)) or 1.0)
    is_written = size >= WRITTEN and k <= MOST_TOLD
    if is_written and power:
        x_label += f" (numbers: times 10{str(power).translate(SUPERSCRIPTS)})"
    style = "name" if high >= SMALL else "name tiny"
    parts = [text(left + k * size / 2.0, 14.0, x_label, "middle", "label")]
    parts += [
        text(left - 8.0, y + high / 2.0 + 4.0, name, "end", style) for y, name in zip(grid.y, beside, strict=True)
    ]
    parts += [_above(x + size / 2.0, top - 7.0, name, style, is_level) for x, name in zip(grid.x, above, strict=True)]
    parts += (
        _told(drawn, grid, scale, power if is_written else None) if k <= MOST_TOLD else _grouped(drawn, grid, scale)
    )
    barred = "".join(grid.cross(i, j) for i, j in np.argwhere(drawn.is_barred).tolist())
    parts.append(f'<path class="grid" d="{barred}"/>' if barred else "")
    parts.append(f'<path class="grid" d="M{left:.1f} {top:.1f}h{k * size:.1f}v{k * high:.1f}h{-k * size:.1f}z"/>')
    middle = top + k * high / 2.0
    parts.append(
        f'<text class="label" x="12" y="{middle:.1f}" text-anchor="middle" '
        f'transform="rotate(-90 12 {middle:.1f})">{safe(y_label)}</text>'
    )
    return svg(title, grid.y[-1] + high + 8.0, "".join(parts), across)


def _above(x: float, y: float, name: str, style: str, is_level: bool) -> str:
    if is_level:
        return text(x, y, name, "middle", style)
    return (
        f'<text class="{style}" x="{x + 4.0:.1f}" y="{y:.1f}" '
        f'transform="rotate(-90 {x + 4.0:.1f} {y:.1f})">{safe(name)}</text>'
    )


def shade_limit(values: NDArray[np.float64]) -> float:
    """The size from which on cells have the strongest shade: the largest, or of many the one below the largest 1 %."""
    sizes = np.abs(values[~np.isnan(values)])
    size = float(np.quantile(sizes, 0.99) if sizes.size >= MANY else sizes.max(initial=0.0))
    return size or float(sizes.max(initial=0.0)) or 1.0


def _told(drawn: HeatMap, grid: Grid, scale: float, power: int | None) -> list[str]:
    """Each cell by itself, with what it is; numbers as multiples of a power of ten, where that is given."""
    parts = []
    for i, j in np.argwhere(~np.isnan(drawn.values)).tolist():
        value = float(drawn.values[i, j])
        style = "plus" if value > 0.0 else "minus"
        parts.append(
            f'<g><title>{safe(drawn.said[i][j], 400)}</title><path class="cell {style}" '
            f'fill-opacity="{_shade(value, scale):.2f}" d="{grid.cell(i, j)}"/>'
        )
        if power is not None:
            x, y = grid.x[j] + grid.size / 2.0, grid.y[i] + grid.high / 2.0 + 4.0
            parts.append(text(x, y, _short(value, power), "middle", "inked"))
        parts.append("</g>")
    return parts


def _grouped(drawn: HeatMap, grid: Grid, scale: float) -> list[str]:
    """Cells of about the same shade as one path: thousands by themselves would be the larger part of the page."""
    groups: dict[tuple[str, int], list[str]] = {}
    for i, j in np.argwhere(~np.isnan(drawn.values)).tolist():
        value = float(drawn.values[i, j])
        level = round(_shade(value, scale) * SHADES)
        if level:
            groups.setdefault(("plus" if value > 0.0 else "minus", level), []).append(grid.cell(i, j))
    return [
        f'<path class="{style}" fill-opacity="{level / SHADES:.3f}" d="{"".join(cells)}"/>'
        for (style, level), cells in sorted(groups.items())
    ]


def _shade(value: float, scale: float) -> float:
    share = min(1.0, abs(value) / scale)
    return 0.0 if share == 0.0 else LEAST_SHADE + (MOST_SHADE - LEAST_SHADE) * share


def _power(scale: float) -> int:
    """Of which numbers of this size are written as multiples; 0 where they are short as they are."""
    power = int(np.floor(np.log10(scale)))
    return 0 if 0 <= power <= 2 else power


def _short(value: float, power: int) -> str:
    """A number in few letters, as a multiple of this power of ten."""
    x = value / 10.0**power
    written = f"{x:.{1 if abs(x) < 100.0 else 0}f}"
    return "0" if float(written) == 0.0 else written.replace("-", "\u2212")
