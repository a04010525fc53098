"""The minimiser of a quadratic model plus a regularizer, to a gap that is asked for, on many columns.

The steps are those of `mirror_maps.quadratic_models`, which goes on to the limit of rounding on few columns; here the
systems are solved by LAPACK.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from empirisk.mirror_maps.quadratic_models import (
    FIRST_STEPS,
    MORE_STEPS,
    MOST_NEWTON,
    MOST_STEPS,
    RIDGE,
    ROUNDING,
    accelerate,
    derivatives,
    is_better,
    metric_of,
    proximal_step,
)
from empirisk.protocols import Matrix, Regularizer, Vector

LEAST_NEWTON = 10  # Newton steps on one model, however many columns
MOST_WORK = 1e9  # operations in either kind of steps: half a second


class Model(NamedTuple):
    """<g, x - start> + 1/2 (x - start)^T H (x - start), and the metric of its proximal steps."""

    matrix: Matrix
    slope: Vector  # g
    start: Vector
    metric: Vector  # h


def model_of(matrix: Matrix, least: Vector, slope: Vector, start: Vector) -> Model:
    """With the metric from the matrix, whose diagonal counts as `least` where it is less."""
    h = np.empty(start.size)
    metric_of(matrix, least, h)
    return Model(matrix, slope, start, h)


class _Found(NamedTuple):
    """What one proximal step tells about a point."""

    smooth: float  # the model without Omega
    value: float  # and with it
    moved: float  # the size of T(x) - x, relative to that of x

    def is_better_than(self, other: _Found) -> bool:
        """Lower, or as low and closer to a fixed point."""
        return bool(is_better(self.value, self.moved, other.value, other.moved))


def minimize_model(
    regularizer: Regularizer, model: Model, gap_at: Callable[[Vector, float, Vector], float], tol: float
) -> Vector:
    """A point whose gap, by gap_at(x, the model without Omega, its gradient), is at most tol, if it finds one."""
    slope, shifted, ahead = np.empty((3, model.start.size))

    def look(x: Vector) -> _Found:
        return _Found(*proximal_step(regularizer, *model, x, slope, shifted, ahead))

    x, count, taken, d = model.start.copy(), FIRST_STEPS, 0, model.start.size
    now = look(x)
    most_steps = min(MOST_STEPS, MOST_WORK / (2.0 * d**2))
    for _ in range(int(min(MOST_NEWTON, max(LEAST_NEWTON, MOST_WORK / (3.0 * d**3))))):
        if not now.moved > ROUNDING or gap_at(x, now.smooth, slope) <= tol:
            break
        look(_newton_point(regularizer, model, x, shifted, ahead))
        new = ahead.copy()  # inside the constraint
        found = look(new)
        if not found.is_better_than(now):
            new = x.copy()
            accelerate(regularizer, *model, new, count)
            found = look(new)
            count, taken = MORE_STEPS * count, taken + count
            if not found.is_better_than(now) or taken > most_steps:
                break
        x, now = new, found
    return x


def _newton_point(regularizer: Regularizer, model: Model, x: Vector, shifted: Vector, ahead: Vector) -> Vector:
    """x + p with (I - J (I - H / h)) p = T(x) - x, J the derivative of the prox at the shifted point.

    In the units sqrt(h) x, in which J is symmetric and neither exceeds 1.
    """
    roots = np.sqrt(model.metric)
    J = np.empty((x.size, x.size))
    derivatives(regularizer, model.metric, roots, shifted, ahead, J)
    scaled = model.matrix / roots / roots[:, None]
    scaled[np.diag_indices(x.size)] += RIDGE - 1.0
    system = J.T @ scaled
    system[np.diag_indices(x.size)] += 1.0
    try:
        p = np.linalg.solve(system, roots * (ahead - x))
    except np.linalg.LinAlgError:
        return ahead.copy()
    return x + p / roots if np.all(np.isfinite(p)) else ahead.copy()
