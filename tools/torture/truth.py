"""The objective of a problem with one score a row in ball arithmetic, and steps towards its minimum."""

from __future__ import annotations

import math

import numpy as np
from flint import arb, ctx

from empirisk.capabilities import name_of
from tools.torture.draw import Case
from tools.torture.formulas import ONE, ZERO, Ball, formula
from tools.torture.polish import PRECISION, STEP, Balls, length, middle, solved

KINKS = ("absolute", "quantile", "epsilon_insensitive", "hinge", "perceptron")


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
            size = length(w) if name == "l2_ball" else sum(map(abs, w), ZERO)
            if not size <= arb(c.radius):
                w = [v * arb(c.radius) / size for v in w]
        return [*(middle(v) for v in w), x[-1] if self.has_intercept else ZERO]

    def sizes(self, x: Balls) -> tuple[Ball, Ball]:
        """Of weights and intercept, as the radii of a claim measure them."""
        return length(x[:-1]), abs(x[-1])

    def has_corners(self) -> bool:
        """Whether a point may belong onto a kink or a bound."""
        return self.constraint is not None or bool(self.l1 > 0) or self.name in KINKS

    def newton_step(self, x: Balls, near: float) -> Balls | None:
        """To the least of the model at x, with rows near a kink and weights near a bound put there."""
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
            step = solved(gradient, hessian, lines[:count], free)
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
