"""Points in exact arithmetic: the z_i as integers, and margins y_i (<w, x_i> + b) as fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from empirisk.arithmetic.floats_as_integers import times_power_of_two, to_integers
from empirisk.arithmetic.integer_points import IntegerPoints
from empirisk.designs import CSR
from empirisk.separation.points import Points

ROWS_AT_A_TIME = 1000


def row_entries(points: Points, i: int) -> tuple[list[int], list[float]]:
    """Columns and values of the stored entries of x_i that are not zero."""
    design = points.design
    if isinstance(design, CSR):
        start, stop = int(design.starts[i]), int(design.starts[i + 1])
        columns, values = design.indices[start:stop], design.values[start:stop]
        is_stored = values != 0.0
        return columns[is_stored].tolist(), values[is_stored].tolist()
    columns = np.flatnonzero(design.values[i])
    return columns.tolist(), design.values[i, columns].tolist()


def exact_margins(points: Points, rows: Sequence[int], w: Any, b: float) -> list[Fraction]:
    """y_i (<w, x_i> + b) of these rows."""
    weights = np.asarray(w, dtype=np.float64)
    margins = []
    for first in range(0, len(rows), ROWS_AT_A_TIME):
        block = [(i, *row_entries(points, i)) for i in rows[first : first + ROWS_AT_A_TIME]]
        met = sorted(set().union(*(columns for _, columns, _ in block)))  # of wide sparse data, few
        (*integers, intercept), exponent = to_integers([*weights[met].tolist(), float(b)])
        of_column = dict(zip(met, integers, strict=True))
        for i, columns, values in block:
            (*entries, one), scale = to_integers([*values, 1.0])
            total = sum((x * of_column[j] for j, x in zip(columns, entries, strict=True)), one * intercept)
            margins.append(int(points.y[i]) * times_power_of_two(total, exponent + scale))
    return margins


def integer_points(points: Points, rows: Sequence[int]) -> IntegerPoints:
    """The z_i of these rows as integers."""
    entries = [row_entries(points, i) for i in rows]
    stored: dict[int, list[float]] = {}
    for columns, values in entries:
        for j, x in zip(columns, values, strict=True):
            stored.setdefault(j, []).append(x)
    columns_met = sorted(stored)
    place = {j: k for k, j in enumerate(columns_met)}
    scaled = {j: to_integers(stored[j]) for j in columns_met}
    remaining = {j: iter(scaled[j][0]) for j in columns_met}
    coordinates, integers = [], []
    for i, (columns, _) in zip(rows, entries, strict=True):
        sign = int(points.y[i])
        places, signed = [place[j] for j in columns], [sign * next(remaining[j]) for j in columns]
        if points.fit_intercept:
            places.append(len(columns_met))
            signed.append(sign)
        coordinates.append(tuple(places))
        integers.append(tuple(signed))
    exponents = tuple(scaled[j][1] for j in columns_met)
    count = len(columns_met) + points.fit_intercept
    return IntegerPoints(tuple(coordinates), tuple(integers), count, tuple(columns_met), exponents)
