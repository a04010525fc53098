"""Points that come close to the minimum of a problem, in ball arithmetic.

Any allowed point is an upper bound of the minimum, so that nothing here has to be trusted but the objective: a claim is
false where some point is lower than it says. Points are polished by Newton's method on the coordinates that are free,
with the rows on a kink held there, which is exact for piecewise linear and quadratic parts after one step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from flint import arb, arb_mat

import empirisk as er
from empirisk.capabilities import name_of
from empirisk.protocols import Unsupported
from tools.torture.draw import DEGREES, WIDTHS
from tools.torture.formulas import ONE, ZERO, Ball

PRECISION = 700  # bits
STEP = arb(2) ** -160  # of difference quotients, relative: half the digits are left
NEAR = (1e-3, 1e-7)  # how close to a kink, or to a bound, a polished point is put onto it
ROUNDS = 12

Balls = list[Ball]  # weights, of one score after the other, and the intercepts last


class Exact(Protocol):
    """A problem in ball arithmetic."""

    def objective(self, x: Balls) -> Ball:
        """P at weights and intercepts; the constraint is not looked at."""

    def allowed(self, x: Balls) -> Balls:
        """The point, moved into the constraint."""

    def has_corners(self) -> bool:
        """Whether a point may belong onto a kink or a bound."""

    def newton_step(self, x: Balls, near: float) -> Balls | None:
        """To the least of the model at x, with what is near a kink or a bound put there; None where none is found."""

    def sizes(self, x: Balls) -> tuple[Ball, Ball]:
        """Of weights and intercepts, as the radii of a claim measure them."""


def best(truth: Exact, starts: Sequence[Balls], is_thorough: bool = True) -> list[tuple[Ball, Balls]]:
    """Allowed points with their objectives, polished from each start, or from the first alone."""
    found = [(truth.objective(x), x) for x in map(truth.allowed, starts)]
    for near in NEAR if is_thorough and truth.has_corners() else NEAR[:1]:
        found += [_polished(truth, x, near) for _, x in found[: len(starts) if is_thorough else 1]]
    return found


def _polished(truth: Exact, x: Balls, near: float) -> tuple[Ball, Balls]:
    """Newton's method from x, each step as long as is best."""
    here = truth.objective(x)
    for _ in range(ROUNDS):
        step = truth.newton_step(x, near)
        if step is None:
            break
        tries = [
            truth.allowed([v + t * p for v, p in zip(x, step, strict=True)])
            for t in (ONE, ONE / 2, ONE / 16, ONE / 1024)
        ]
        value, new = min(((truth.objective(y), y) for y in tries), key=lambda pair: _float_key(pair[0], here))
        if not value < here:
            break
        is_small = here - value <= abs(here) * (arb(2) ** -200)
        here, x = value, new
        if is_small:
            break
    return here, x


def solved(gradient: Balls, hessian: list[Balls], lines: list[tuple[Balls, Ball]], free: list[int]) -> Balls | None:
    """The step on the free coordinates that minimises the model where the lines hold; None where none is found."""
    n, m = len(free), len(lines)
    largest = max((float(abs(hessian[j][j])) for j in free), default=0.0)
    ridge = arb(2) ** -150 * (largest if 0.0 < largest < math.inf else 1.0)
    matrix = [
        [hessian[j][k] + (ridge if j == k else ZERO) for k in free] + [line[j] for line, _ in lines] for j in free
    ]
    matrix += [[line[j] for j in free] + [ZERO] * m for line, _ in lines]
    right = [[-gradient[j]] for j in free] + [[rest] for _, rest in lines]
    try:
        found = arb_mat(matrix).solve(arb_mat(right), nonstop=False)
    except (ZeroDivisionError, ValueError):
        return None
    return [middle(found[j, 0]) for j in range(n)]


def middle(x: Ball) -> Ball:
    """The midpoint, as an exact ball."""
    return x.mid()


def length(x: Balls) -> Ball:
    """The Euclidean norm."""
    return sum((v * v for v in x), ZERO).sqrt()


def _float_key(x: Ball, unit: Ball) -> float:
    """For a comparison of objectives that need not be right."""
    ratio = float((x / unit).mid()) if unit > 0 else float(x.mid())
    return ratio if math.isfinite(ratio) else math.inf


def as_balls(weights: Any, intercept: Any, powers: tuple[int, int] = (0, 0)) -> Balls:
    """A point of the package, weights and intercepts each times a power of two."""
    parts = zip((weights, intercept), powers, strict=True)
    return [arb(float(v)) * arb(2) ** power for part, power in parts for v in np.ravel(part)]


def healthy_start(case: Any) -> Balls | None:
    """The solution of the same problem in units in which its numbers are about one, in the units of the case."""
    columns, labels, losses = case.unit
    if columns == labels == losses == 0:
        return None
    name, size = name_of(case.loss), labels - columns
    loss_size = losses + DEGREES.get(name, 0) * labels
    options = dict(case.options)
    try:
        fields = {"scale": math.ldexp(case.loss.scale, -losses)}
        if name in WIDTHS:
            fields[WIDTHS[name]] = math.ldexp(getattr(case.loss, WIDTHS[name]), -labels)
        options["l1"] = math.ldexp(options["l1"], size - loss_size)
        options["l2"] = math.ldexp(options["l2"], 2 * size - loss_size)
        for key, power in (("constraint", -size), ("regularizer", size - loss_size)):
            part = options.get(key)
            if part is not None:
                options[key] = type(part)(*(math.ldexp(field, power) for field in part))
        X, y = np.ldexp(case.X, -columns), np.ldexp(case.y, -labels) if labels else case.y
        loss = case.loss._replace(**fields)
        problem = case._replace(X=X, y=y, loss=loss, options=options, storage="dense").problem()
        solution = er.minimize(problem, tol=1e-9, max_passes=100)
    except (OverflowError, ValueError, Unsupported):
        return None
    if not np.all(np.isfinite(solution.weights)):
        return None
    return as_balls(solution.weights, solution.intercept, (size, labels))
