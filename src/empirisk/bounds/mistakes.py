"""The rows that a plane, or one plane a class, predicts wrong: what is counted is what exact arithmetic says."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT
from empirisk.bounds.labelled_rows import UNKNOWN, LabelledRows
from empirisk.designs import matrix_of
from empirisk.protocols import Matrix, Vector
from empirisk.separation.points import Points
from empirisk.zero_one.recount import signs_of_margins

AT_A_TIME = 1 << 14  # rows


def mistakes(rows: LabelledRows, weights: Matrix, intercept: Vector) -> NDArray[np.bool_]:
    """Which rows are predicted wrong, given one plane (1 x d) of two classes or one a class (K x d).

    Two classes: +1 is predicted where <w, x> + b >= 0, decided exactly. More: the class of the largest score; a row
    whose own score is not surely above all others, ties included, counts as wrong.
    """
    if len(rows.classes) == 2:
        y = rows.labels
        points = Points(rows.design, np.where(y == 0.0, 1.0, y), True, np.array(rows.classes))
        signs = signs_of_margins(points, weights[0], float(intercept[0]))
        return (signs < 0) | ((signs == 0) & (y < 0.0)) | (y == 0.0)
    return _mistakes_of_many(rows, weights, intercept)


def _mistakes_of_many(rows: LabelledRows, weights: Matrix, intercept: Vector) -> NDArray[np.bool_]:
    matrix: Any = matrix_of(rows.design)
    is_wrong = np.ones(rows.n_rows, dtype=bool)
    for first in range(0, rows.n_rows, AT_A_TIME):
        some = matrix[first : first + AT_A_TIME]
        own = rows.numbers[first : first + AT_A_TIME]
        at = np.arange(own.size)
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is not surely right
            scores = np.asarray(some @ weights.T, dtype=np.float64) + intercept
            sizes = np.asarray(abs(some) @ np.abs(weights.T), dtype=np.float64) + np.abs(intercept)
            off = 2.0 * (weights.shape[1] + 4) * UNIT * sizes + 1e-300
            least = (scores - off)[at, own]
            most = scores + off
            most[at, own] = -np.inf
            is_wrong[first : first + AT_A_TIME] = ~(least > most.max(axis=1)) | (own == UNKNOWN)
    return is_wrong
