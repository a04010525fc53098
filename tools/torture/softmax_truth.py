"""The objective of a softmax problem in ball arithmetic, and steps towards its minimum.

A point has the weights of one class after the other and then the intercepts, which sum to zero.
"""

from __future__ import annotations

from flint import arb

from tools.torture.draw_scores import ManyScores
from tools.torture.formulas import ONE, ZERO, Ball
from tools.torture.polish import Balls, length, middle, solved
from tools.torture.truth import Truth


class SoftmaxTruth:
    """The problem of a case, exactly; rows, shares and strengths are those of its first class."""

    def __init__(self, case: ManyScores) -> None:
        one = Truth(case.one(0))
        self.rows, self.shares, self.l1, self.l2, self.d = one.rows, one.shares, one.l1, one.l2, one.d
        self.has_intercept, self.n_classes, self.scale = one.has_intercept, case.n_scores, arb(case.loss.scale)
        self.labels = [int(k) for k in case.kept_labels()]

    def objective(self, x: Balls) -> Ball:
        """P at weights and intercepts."""
        risk = ZERO
        for share, z, k in zip(self.shares, self._scores(x), self.labels, strict=True):
            top = max(z, key=lambda score: float(score - z[0]))
            risk += share * (sum(((score - top).exp() for score in z), ZERO).log() + top - z[k])
        w = self._weights(x)
        return self.scale * risk + self.l1 * sum(map(abs, w), ZERO) + self.l2 / 2 * sum((v * v for v in w), ZERO)

    def allowed(self, x: Balls) -> Balls:
        """The point with intercepts that sum to zero."""
        w, b = self._weights(x), x[self.n_classes * self.d :]
        mean = sum(b, ZERO) / self.n_classes
        return [*w, *(middle(v - mean) if self.has_intercept else ZERO for v in b)]

    def has_corners(self) -> bool:
        """Whether weights may belong onto zero."""
        return bool(self.l1 > 0)

    def sizes(self, x: Balls) -> tuple[Ball, Ball]:
        """Of all weights, and of the largest intercept after they are made to sum to zero."""
        w, b = self._weights(x), self.allowed(x)[self.n_classes * self.d :]
        return length(w), max(map(abs, b), key=float)

    def newton_step(self, x: Balls, near: float) -> Balls | None:
        """To the least of the model at x, with weights near zero put there where l1 is positive."""
        count = self.n_classes * self.d
        size = max((float(abs(v)) for v in x[:count]), default=0.0)
        held = [j for j in range(count) if self.l1 > 0 and float(abs(x[j])) <= near * size]
        free = [j for j in range(len(x) if self.has_intercept else count) if j not in held]
        step = solved(*self._model(x), [], free)
        if step is None:
            return None
        whole = [-x[j] if j in held else ZERO for j in range(len(x))]
        for j, move in zip(free, step, strict=True):
            whole[j] = move
        return whole

    def _model(self, x: Balls) -> tuple[Balls, list[Balls]]:
        """Gradient and Hessian: scale (p - e_k) and scale (diag(p) - p p^T) in the scores of a row."""
        gradient, hessian = [ZERO] * len(x), [[ZERO] * len(x) for _ in x]
        for share, row, z, k in zip(self.shares, self.rows, self._scores(x), self.labels, strict=True):
            top = max(z, key=lambda score: float(score - z[0]))
            terms = [(score - top).exp() for score in z]
            total = sum(terms, ZERO)
            p = [term / total for term in terms]
            full, factor = [*row, ONE], self.scale * share
            for c in range(self.n_classes):
                for j, place in enumerate(self._places(c)):
                    gradient[place] += factor * (p[c] - (ONE if c == k else ZERO)) * full[j]
                    for e in range(self.n_classes):
                        curvature = factor * p[c] * ((ONE if c == e else ZERO) - p[e]) * full[j]
                        for m, other in enumerate(self._places(e)):
                            hessian[place][other] += curvature * full[m]
        for j in range(self.n_classes * self.d):
            sign = ONE if x[j] > 0 else (-ONE if x[j] < 0 else ZERO)
            gradient[j] += self.l1 * sign + self.l2 * x[j]
            hessian[j][j] += self.l2
        return gradient, hessian

    def _scores(self, x: Balls) -> list[Balls]:
        """The scores of each row, one a class."""
        return [
            [
                sum((x[j] * a for j, a in zip(self._places(c), [*row, ONE], strict=True)), ZERO)
                for c in range(self.n_classes)
            ]
            for row in self.rows
        ]

    def _places(self, c: int) -> list[int]:
        """Of the weights of a class, and of its intercept."""
        return [*range(c * self.d, (c + 1) * self.d), self.n_classes * self.d + c]

    def _weights(self, x: Balls) -> Balls:
        return x[: self.n_classes * self.d]
