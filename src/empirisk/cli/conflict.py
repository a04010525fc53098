"""The points of a conflict: where they stand in the file, as JSON and as lines of a summary."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from empirisk.models.examples import Examples

SHOWN_POINTS = 20  # lines of the summary; --json has them all
SHOWN_DIGITS = 24  # of a weight
MOST_DECIMAL_BITS = 2000  # of a weight: Python refuses to write 4300 decimal digits and more


def conflict_points(data: str, format: str | None, examples: Examples, verdict: Any) -> list[dict[str, Any]]:
    """The points of an inseparability: row from 0, line from 1 (None where there is none), label and weight."""
    from empirisk.data.lines import lines_of

    assert examples.labels is not None
    rows = examples.rows_in_file(verdict.rows)
    lines = lines_of(data, _format(data, format, examples), rows)
    labels = examples.labels[list(verdict.rows)].tolist()
    return [
        {"row": row, "line": lines.get(row), "label": label, "weight": _digits(weight)}
        for row, label, weight in zip(rows, labels, verdict.weights, strict=True)
    ]


def sentence_of(verdict: Any, points: list[dict[str, Any]]) -> str:
    """The verdict in words; of a conflict by the lines of the file, where it has them, as the points are then named."""
    lines = [point["line"] for point in points]
    return str(verdict.sentence("line", lines) if lines and None not in lines else verdict.sentence())


def conflict_rows(points: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """A line each; of many the first."""
    rows = []
    for point in points[:SHOWN_POINTS]:
        place = f"row {point['row']}" if point["line"] is None else f"line {point['line']}"
        weight = point["weight"]
        if len(weight) > SHOWN_DIGITS:
            size = f"{len(weight) - 2} hexadecimal" if weight.startswith("0x") else str(len(weight))
            weight = f"a number of {size} digits"
        rows.append(("Point", f"{place}, label {point['label']}, weight {weight}"))
    if len(points) > SHOWN_POINTS:
        rows.append(("", f"... and {len(points) - SHOWN_POINTS} more; --json lists them all"))
    return rows


def _digits(weight: int) -> str:
    """In decimal digits, or in hexadecimal ones where these are more than Python converts."""
    return str(weight) if weight.bit_length() <= MOST_DECIMAL_BITS else hex(weight)


def _format(data: str, asked: str | None, examples: Examples) -> str:
    """What the file was read as: only svmlight data know their first index, only tables and npz names of columns."""
    from empirisk.data.sources import format_of, opened

    if examples.first_index is not None:
        return "svmlight"
    if asked is not None or examples.columns is None or not os.path.isfile(data):
        return asked or "npy"
    with opened(data) as source:
        return format_of(data, source) or "csv"
