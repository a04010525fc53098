"""The objective of a problem in ball arithmetic, and points that come close to its minimum.

Any allowed point is an upper bound of the minimum, so that nothing here has to be trusted but the objective: a claim is
false where some point is lower than it says. Points are polished by Newton's method on the coordinates that are free,
with the rows on a kink held there, which is exact for piecewise linear and quadratic parts after one step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx

import empirisk as er
from empirisk.capabilities import name_of
from empirisk.protocols import Unsupported
from tools.torture.draw import Case
from tools.torture.formulas import ONE, ZERO, Ball, formula

PRECISION = 700  # bits
STEP = arb(2) ** -160  # of difference quotients, relative: half the digits are left
NEAR = (1e-3, 1e-7)  # how close to a kink, or to a bound, a polished point is put onto it
ROUNDS = 12
KINKS = ("absolute", "quantile", "epsilon_insensitive", "hinge", "perceptron")

Balls = list[Ball]  # weights, and the intercept last


class Truth:
    """The problem of a case, exactly."""

    def __init__(self, case: Case) -> None:
        ctx.prec = PRECISION
        self.loss, self.value, self.name = case.loss, formula(case.loss), name_of(case.loss)
        weights = case.options.get("sample_weight")
        kept = np.arange(len(case.y)) if weights is None else np.flatnonzero(weights)
        self.rows = [[arb(x) for x in row] for row in case.X[kept].tolist()]
        self.labels = [arb(y) for y in case.y[kept].tolist()]
        shares = [ONE] * len(kept) if weights is None else [arb(float(s)) for s in weights[kept]]
        total = sum(shares, ZERO)
        self.shares = [share / total for share in shares]
        self.l1, self.l2 = arb(case.options["l1"]), arb(case.options["l2"])
        self.constraint = case.options.get("constraint")
        entropy = case.options.get("regularizer")
        self.entropy = None if entropy is None else arb(entropy.strength)
        self.has_intercept = bool(case.options["fit_intercept"])
        self.d = case.X.shape[1]

    def objective(self, x: Balls) -> Ball:
        """P at weights and intercept; the constraint is not looked at."""
        data = zip(self.shares, self.scores(x), self.labels, strict=True)
        risk = sum((s * self.value(z, y) for s, z, y in data), ZERO)
        w = x[:-1]
        penalty = self.l1 * sum(map(abs, w), ZERO) + self.l2 / 2 * sum((v * v for v in w), ZERO)
        if self.entropy is not None:
            radius = arb(self.constraint.radius)
            penalty += self.entropy * sum((v * (v * self.d / radius).log() for v in w if v > 0), ZERO)
        return risk + penalty

    def scores(self, x: Balls) -> Balls:
        """<w, x_i> + b."""
        return [sum((v * a for v, a in zip(x, row, strict=False)), x[-1]) for row in self.rows]

    def allowed(self, x: Balls) -> Balls:
        """The point, moved into the constraint."""
        w, c = list(x[:-1]), self.constraint
        name = "" if c is None else name_of(c)
        if name == "box":
            low, high = (arb(end) if math.isfinite(end) else None for end in (c.low, c.high))
            w = [v if low is None else v.max(low) for v in w]
            w = [v if high is None else v.min(high) for v in w]
        elif name == "simplex":
            w = [v.max(ZERO) for v in w]
            total = sum(w, ZERO)
            w = [v * arb(c.radius) / total for v in w] if total > 0 else [arb(c.radius) / self.d] * self.d
        elif name in ("l2_ball", "l1_ball"):
            length = sum((v * v for v in w), ZERO).sqrt() if name == "l2_ball" else sum(map(abs, w), ZERO)
            if not length <= arb(c.radius):
                w = [v * arb(c.radius) / length for v in w]
        return [*(_middle(v) for v in w), x[-1] if self.has_intercept else ZERO]

    def best(self, starts: Sequence[Balls], is_thorough: bool = True) -> list[tuple[Ball, Balls]]:
        """Allowed points with their objectives, polished from each start, or from the first alone."""
        found = [(self.objective(x), x) for x in map(self.allowed, starts)]
        for near in NEAR if is_thorough and self.has_corners() else NEAR[:1]:
            found += [self.polished(x, near) for _, x in found[: len(starts) if is_thorough else 1]]
        return found

    def has_corners(self) -> bool:
        """Whether a point may belong onto a kink or a bound."""
        return self.constraint is not None or bool(self.l1 > 0) or self.name in KINKS

    def polished(self, x: Balls, near: float) -> tuple[Ball, Balls]:
        """Newton's method from x, each step as long as is best."""
        here = self.objective(x)
        for _ in range(ROUNDS):
            step = self._newton_step(x, near)
            if step is None:
                break
            tries = [
                self.allowed([v + t * p for v, p in zip(x, step, strict=True)])
                for t in (ONE, ONE / 2, ONE / 16, ONE / 1024)
            ]
            value, new = min(((self.objective(y), y) for y in tries), key=lambda pair: _float_key(pair[0], here))
            if not value < here:
                break
            is_small = here - value <= abs(here) * (arb(2) ** -200)
            here, x = value, new
            if is_small:
                break
        return here, x

    def _newton_step(self, x: Balls, near: float) -> Balls | None:
        free, moves, sums = self._held(x, near)
        if self.has_intercept:
            free = [*free, self.d]
        if not free:
            return None
        scores = self.scores(x)
        lines: list[tuple[Balls, Ball]] = []  # equalities that the step keeps, or reaches
        slopes, curvatures = [], []
        for row, z, y in zip(self.rows, scores, self.labels, strict=True):
            kink = self._kink(z, y, near)
            if kink is not None:
                lines.append(([*row, ONE], kink - z))
                slopes.append(ZERO)
                curvatures.append(ZERO)
                continue
            h = STEP * (abs(z) + abs(y) + (ONE if y == 0 and z == 0 else ZERO))
            above, middle, below = (self.value(z + t, y) for t in (h, ZERO, -h))
            slopes.append((above - below) / (2 * h))
            curvatures.append((above + below - 2 * middle) / (h * h))
        if sums is not None:
            lines.append((sums, ZERO))
        gradient, hessian = self._model(x, slopes, curvatures)
        for count in range(min(len(lines), len(free)), -1, -1):
            step = _solve(gradient, hessian, lines[:count], free)
            if step is not None:
                break
        else:
            return None
        whole = [ZERO] * (self.d + 1)
        for j, move in moves.items():
            whole[j] = move
        for j, move in zip(free, step, strict=True):
            whole[j] = move
        return whole

    def _model(self, x: Balls, slopes: Balls, curvatures: Balls) -> tuple[Balls, list[Balls]]:
        full = [[*row, ONE] for row in self.rows]
        size = self.d + 1
        gradient = [
            sum((s * g * row[j] for s, g, row in zip(self.shares, slopes, full, strict=True)), ZERO)
            for j in range(size)
        ]
        hessian = [
            [
                sum((s * c * row[j] * row[k] for s, c, row in zip(self.shares, curvatures, full, strict=True)), ZERO)
                for k in range(size)
            ]
            for j in range(size)
        ]
        for j in range(self.d):
            sign = ONE if x[j] > 0 else (-ONE if x[j] < 0 else ZERO)
            gradient[j] += self.l1 * sign + self.l2 * x[j]
            hessian[j][j] += self.l2
            if self.entropy is not None and x[j] > 0:
                gradient[j] += self.entropy * ((x[j] * self.d / arb(self.constraint.radius)).log() + 1)
                hessian[j][j] += self.entropy / x[j]
        return gradient, hessian

    def _held(self, x: Balls, near: float) -> tuple[list[int], dict[int, Ball], Balls | None]:
        """Coordinates that are free, the moves of the others onto their bounds, and a sum that must stay."""
        size = max((float(abs(v)) for v in x[:-1]), default=0.0)
        name = "" if self.constraint is None else name_of(self.constraint)
        bounds = [ZERO] if self.l1 > 0 or name in ("simplex", "l1_ball") else []
        if name == "box":
            bounds += [arb(end) for end in (self.constraint.low, self.constraint.high) if math.isfinite(end)]
        moves = {}
        for j in range(self.d):
            for bound in bounds:
                if float(abs(x[j] - bound)) <= near * size:
                    moves[j] = bound - x[j]
        free = [j for j in range(self.d) if j not in moves]
        sums = None
        if name == "simplex" or (
            name == "l1_ball" and float(sum(map(abs, x[:-1]), ZERO)) >= (1 - near) * self.constraint.radius
        ):
            sums = [ONE if x[j] > 0 else -ONE for j in range(self.d)] + [ZERO]
        return free, moves, sums

    def _kink(self, z: Ball, y: Ball, near: float) -> Ball | None:
        name = self.name
        kinks: Balls = []
        if name in ("absolute", "quantile"):
            kinks = [y]
        elif name == "epsilon_insensitive":
            kinks = [y - arb(self.loss.epsilon), y + arb(self.loss.epsilon)]
        elif name == "hinge":
            kinks = [ONE / y]
        elif name == "perceptron":
            kinks = [ZERO]
        for kink in kinks:
            if abs(z - kink) <= near * (abs(z) + abs(kink) + abs(y)):
                return kink
        return None


def _solve(gradient: Balls, hessian: list[Balls], lines: list[tuple[Balls, Ball]], free: list[int]) -> Balls | None:
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
    return [_middle(found[j, 0]) for j in range(n)]


def _middle(x: Ball) -> Ball:
    """The midpoint, as an exact ball."""
    return x.mid()


def _float_key(x: Ball, unit: Ball) -> float:
    """For a comparison of objectives that need not be right."""
    ratio = float((x / unit).mid()) if unit > 0 else float(x.mid())
    return ratio if math.isfinite(ratio) else math.inf


def as_balls(solution_weights: Any, intercept: float) -> Balls:
    """A point of the package."""
    return [*(arb(float(v)) for v in solution_weights), arb(float(intercept))]


def healthy_start(case: Case) -> Balls | None:
    """The solution of the same problem in units in which its numbers are about one, in the units of the case."""
    columns, labels, losses = case.unit
    if columns == labels == losses == 0:
        return None
    from tools.torture.draw import DEGREES, WIDTHS

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
        X, y = np.ldexp(case.X, -columns), np.ldexp(case.y, -labels)
        problem = er.EmpiricalRisk(X, y, case.loss._replace(**fields), n_threads=1, **options)
        solution = er.minimize(problem, tol=1e-9, max_passes=100)
    except (OverflowError, ValueError, Unsupported):
        return None
    if not np.all(np.isfinite(solution.weights)):
        return None
    scaled = [arb(float(v)) * arb(2) ** size for v in solution.weights]
    return [*scaled, arb(float(solution.intercept)) * arb(2) ** labels]
