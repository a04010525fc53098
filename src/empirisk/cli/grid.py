"""Tables of several columns for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from empirisk.cli.output import emit

GAP = "  "


def emit_grid(rows: Sequence[Sequence[str]], right: Sequence[int] = (), indent: str = "") -> None:
    """Rows of cells as wide as the widest of their column; the columns in `right` end together."""
    emit("".join(f"{line}\n" for line in grid_lines(rows, right, indent)))


def grid_lines(rows: Sequence[Sequence[str]], right: Sequence[int] = (), indent: str = "") -> list[str]:
    """The same as lines; what files and names bring is made safe for a terminal."""
    from empirisk.texts import visible

    shown = [[visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = []
    for row in shown:
        cells = [c.rjust(w) if j in right else c.ljust(w) for j, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append((indent + GAP.join(cells)).rstrip())
    return lines
