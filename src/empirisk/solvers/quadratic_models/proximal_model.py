"""The minimiser of a quadratic model plus a regularizer that is known by its prox in a diagonal metric.

The model is  m(x) = <g, x - x_0> + 1/2 (x - x_0)^T H (x - x_0) + Omega(x). With D the diagonal of H and h = L D, L a
bound on the eigenvalues of D^-1/2 H D^-1/2, one proximal step is  T(x) = prox_h(x - (g + H (x - x_0)) / h), and the
minimiser is where T(x) = x. A Newton step on that equation, with the derivative of the prox by differences, solves
one system of d equations and lands on the minimiser once the constraints that bind are known, whatever the scales and
correlations of the columns. It is kept where it lowers the model; where not, accelerated proximal steps of d^2
operations each go on. References: Beck and Teboulle (2009); O'Donoghue and Candes (2015); Li, Sun and Toh (2018).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from empirisk.compiled import kernel
from empirisk.protocols import Matrix, Regularizer, Vector

FIRST_STEPS, MORE_STEPS = 10, 2  # accelerated steps where a Newton step fails, and their factor from one to the next
MOST_STEPS = 20_000  # accelerated steps on one model
MOST_NEWTON, LEAST_NEWTON = 100, 10  # Newton steps on one model; of many columns fewer
MOST_WORK = 1e9  # operations in either kind of steps: half a second
NEAR = 1e-7  # of the size of the point: the difference that gives the derivative of the prox
RIDGE = 1e-13  # added to the eigenvalues of the scaled matrix, which are at most 1
ROUNDING = 1e-15  # of the size of the point, and of the value of the model


class Model(NamedTuple):
    """<g, x - start> + 1/2 (x - start)^T H (x - start), and the metric of its proximal steps."""

    matrix: Matrix
    slope: Vector  # g
    start: Vector
    metric: Vector  # h


def model_of(matrix: Matrix, least: Vector, slope: Vector, start: Vector) -> Model:
    """With the metric from the matrix, whose diagonal counts as `least` where it is less."""
    bends = np.maximum(np.diagonal(matrix), least)
    top = float(bends.max())
    bends = np.where(bends > 0.0, bends, top if top > 0.0 else 1.0)
    roots = np.sqrt(bends)
    largest = float((np.abs(matrix) / roots / roots[:, None]).sum(axis=1).max())
    return Model(matrix, slope, start, max(largest, 1.0) * bends)


class _Found(NamedTuple):
    """What one proximal step tells about a point."""

    smooth: float  # the model without Omega
    value: float  # and with it
    moved: float  # the size of T(x) - x, relative to that of x

    def is_better_than(self, other: _Found) -> bool:
        """Lower; or as low up to rounding, and closer to a fixed point."""
        if self.value < other.value:
            return True
        return self.value <= other.value + ROUNDING * abs(other.value) and self.moved < 0.5 * other.moved


def minimize_model(
    regularizer: Regularizer, model: Model, gap_at: Callable[[Vector, float, Vector], float], tol: float
) -> Vector:
    """A point whose gap, by gap_at(x, the model without Omega, its gradient), is at most tol, if it finds one."""
    slope, shifted, ahead = np.empty((3, model.start.size))

    def look(x: Vector) -> _Found:
        return _Found(*_step(regularizer, *model, x, slope, shifted, ahead))

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
            _accelerate(regularizer, *model, new, count)
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
    _derivatives(regularizer, model.metric, roots, shifted, ahead, J)
    scaled = model.matrix / roots / roots[:, None]
    scaled[np.diag_indices(x.size)] += RIDGE - 1.0
    system = J.T @ scaled
    system[np.diag_indices(x.size)] += 1.0
    try:
        p = np.linalg.solve(system, roots * (ahead - x))
    except np.linalg.LinAlgError:
        return ahead.copy()
    return x + p / roots if np.all(np.isfinite(p)) else ahead.copy()


@kernel
def _step(regularizer, H, g, start, h, x, slope, shifted, out):
    """T(x) in `out`; the model without and with Omega, and the size of T(x) - x relative to that of x."""
    size = x.size
    change = x - start
    smooth = 0.0
    for j in range(size):
        total = g[j]
        line = H[j]
        for k in range(size):
            total += line[k] * change[k]
        slope[j] = total
        shifted[j] = x[j] - total / h[j]
        smooth += 0.5 * (g[j] + total) * change[j]
    regularizer.prox_scaled(shifted, h, out)
    moved = 0.0
    length = 0.0
    for j in range(size):
        moved += h[j] * (out[j] - x[j]) * (out[j] - x[j])
        length += h[j] * max(x[j] * x[j], out[j] * out[j])
    return smooth, smooth + regularizer.value(x), math.sqrt(moved / length) if length > 0.0 else 0.0


@kernel
def _accelerate(regularizer, H, g, start, h, x, count):
    """FISTA from x in place, with a restart wherever the momentum points uphill."""
    size = x.size
    base = x.copy()
    shifted = np.empty(size)
    new = np.empty(size)
    theta = 1.0
    for _ in range(count):
        for j in range(size):
            total = g[j]
            line = H[j]
            for k in range(size):
                total += line[k] * (base[k] - start[k])
            shifted[j] = base[j] - total / h[j]
        regularizer.prox_scaled(shifted, h, new)
        uphill = 0.0
        for j in range(size):
            uphill += h[j] * (base[j] - new[j]) * (new[j] - x[j])
        theta = 1.0 if uphill > 0.0 else theta
        after = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * theta * theta))
        beta = (theta - 1.0) / after
        theta = after
        for j in range(size):
            base[j] = new[j] + beta * (new[j] - x[j])
            x[j] = new[j]


@kernel
def _derivatives(regularizer, h, roots, shifted, here, out):
    """Row j: the derivative of sqrt(h) prox_h(p) in sqrt(h_j) p_j, at p = `shifted`, where the prox is `here`."""
    size = shifted.size
    length = 0.0
    for j in range(size):
        length += h[j] * max(shifted[j] * shifted[j], here[j] * here[j])
    near = NEAR * math.sqrt(length)
    p = shifted.copy()
    for j in range(size):
        p[j] = shifted[j] + near / roots[j]
        step = (p[j] - shifted[j]) * roots[j]
        regularizer.prox_scaled(p, h, out[j])
        for k in range(size):
            out[j, k] = roots[k] * (out[j, k] - here[k]) / step
        p[j] = shifted[j]
