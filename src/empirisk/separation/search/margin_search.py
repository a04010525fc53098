"""The search for the plane of least norm with y_i (<w, x_i> + b) >= 1, or for rows that make it impossible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import matrix_of, n_entries
from empirisk.problems.passes import scores_of
from empirisk.protocols import Vector
from empirisk.rows.threads import available_threads
from empirisk.separation.active_set.active_rows import Program
from empirisk.separation.active_set.row_pool import Outcome, centers, centred_rows, maximize, typical_size
from empirisk.separation.near_one import power_to_one, times_power_of_two
from empirisk.separation.points import Points
from empirisk.separation.watch import Watch


def search_margin(
    points: Points,
    slack: float,
    *,
    augmented: bool = False,
    watch: Watch | None = None,
) -> Outcome:
    """Minimise ||w|| (||(w, b)|| where `augmented`), until no y_i (<w, x_i> + b) is below 1 - slack.

    Status SOLVED: w, b, and the rows and multipliers that the plane rests on (sum of multipliers * y_i x_i = w).
    Status UNBOUNDED: positive multiples of these rows, with their labels, sum to zero up to rounding: inseparable.
    """
    # The column of ones of augmented points has its size: there the plane is not that of the points multiplied.
    power = 0 if augmented and points.fit_intercept else power_to_one(points.design)
    design, y, n = times_power_of_two(points.design, power), points.y, points.n_rows
    n_threads = available_threads()
    is_fixed = points.fit_intercept and not augmented
    center = centers(design) if is_fixed else np.zeros(points.n_columns)
    mean = matrix_of(design).T @ (y / n)
    lift = typical_size(design, center) if is_fixed else float(points.fit_intercept)
    first = _first_rows(scores_of(design, mean, 0.0, n_threads), y, is_fixed)
    found = maximize(
        Program(y, np.ones(n), lift, is_fixed, 0.0),
        lambda rows: centred_rows(design, rows, center),
        lambda w, b: 1.0 - y * scores_of(design, w, b - float(w @ center), n_threads),
        first,
        np.zeros(first.size),
        slack,
        n_columns=points.n_columns,
        n_entries=n_entries(design),
        watch=watch,
    )
    return found._replace(w=np.ldexp(found.w, power), b=found.b - float(found.w @ center))


def _first_rows(scores: Vector, y: Vector, is_pair: bool) -> NDArray[np.int64]:
    """Those that a crude plane, the difference of the means, has deepest on the wrong side; one of each class."""
    margins = y * scores
    if not is_pair:
        return np.array([np.argmin(margins)])
    classes = (np.flatnonzero(y == sign) for sign in (-1.0, 1.0))
    return np.array([rows[np.argmin(margins[rows])] for rows in classes])
