"""How good a regression is on rows with labels."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.evaluation.answers import Answers
from empirisk.evaluation.measures import UNEQUAL, Interval, Measure, at_least_zero, mean_of, student, unknown
from empirisk.protocols import Vector


class RegressionScore(NamedTuple):
    """On `rows` rows of positive weight."""

    rows: int
    root_mean_squared_error: Measure
    mean_absolute_error: Measure
    r_squared: Measure  # 1 - the squared error / the variance of the labels
    pinball_loss: Measure  # the mean of max(q r, (q - 1) r) for r = label - prediction, q the quantile
    quantile: float  # that the model is for; 0.5 unless its loss names another

    @property
    def task(self) -> str:
        """What was judged."""
        return "regression"

    def measures(self) -> dict[str, Measure]:
        """What was measured, by name."""
        return {name: value for name, value in self._asdict().items() if isinstance(value, Measure)}

    def to_json(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        told = {name: measure.to_json() for name, measure in self.measures().items()}
        return {"task": self.task, "rows": self.rows, **told, "quantile": self.quantile}


def regression_score(answers: Answers, labels: Vector, weights: Vector | None, level: float) -> RegressionScore:
    """`weights` are None where all are equal."""
    with np.errstate(over="ignore"):
        residuals = labels - answers.predicted
        squares = residuals * residuals
        pinball = np.maximum(answers.quantile * residuals, (answers.quantile - 1.0) * residuals)
    return RegressionScore(
        rows=labels.size,
        root_mean_squared_error=_root(at_least_zero(mean_of(squares, weights, level))),
        mean_absolute_error=at_least_zero(mean_of(np.abs(residuals), weights, level)),
        r_squared=_explained(squares, labels, weights, level),
        pinball_loss=at_least_zero(mean_of(pinball, weights, level)),
        quantile=answers.quantile,
    )


def _root(measure: Measure) -> Measure:
    """The square root, and that of the ends of Student's interval of the mean square: it rises, so they stay ends."""
    interval = measure.interval
    if interval is not None:
        low, high = math.sqrt(interval.low), math.sqrt(interval.high)
        interval = Interval(low, high, interval.level, "Student, of the mean square")
    return Measure(math.sqrt(measure.value), interval, measure.note)


def _explained(squares: Vector, labels: Vector, weights: Vector | None, level: float) -> Measure:
    """R^2 = 1 - M / V, M the mean of r^2, V the variance of the labels (both with 1/n).

    Interval by the delta method: R^2 is close to a mean of psi_i = -(r_i^2 - M) / V + M ((y_i - mean)^2 - V) / V^2 plus
    its true value, so that R^2 +- t s(psi) / sqrt(n).
    """
    with np.errstate(all="ignore"):
        deviations = (labels - np.average(labels, weights=weights)) ** 2
        mean, variance = (float(np.average(terms, weights=weights)) for terms in (squares, deviations))
    if not 0.0 < variance < math.inf:
        return unknown("the labels are all equal" if variance == 0.0 else "the labels overflow")
    value = 1.0 - mean / variance
    if weights is not None:
        return Measure(value, None, UNEQUAL)
    with np.errstate(all="ignore"):
        influence = (mean * (deviations / variance) - squares) / variance
        half = student(level, labels.size) * float(np.std(influence, ddof=1)) / math.sqrt(labels.size)
    if not math.isfinite(half):
        return Measure(value, None, "no interval: the squares overflow")
    return Measure(value, Interval(value - half, min(1.0, value + half), level, "delta method"))
