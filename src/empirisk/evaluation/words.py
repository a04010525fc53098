"""What measures are called, and numbers as people read them."""

from __future__ import annotations

import math

from empirisk.evaluation.measures import Measure

NAMES = {
    "error": "error",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "auc_roc": "AUC ROC",
    "auc_pr": "AUC PR",
    "log_loss": "log loss",
    "brier": "Brier score",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "root_mean_squared_error": "RMSE",
    "mean_absolute_error": "MAE",
    "r_squared": "R^2",
    "pinball_loss": "pinball loss",
}
DIGITS, MOST_DIGITS = 4, 17


def told(x: float) -> str:
    """Four digits; more where these would call something zero or one that is not."""
    if math.isnan(x):
        return "-"
    if math.isinf(x):
        return "infinite" if x > 0.0 else "minus infinity"
    digits = DIGITS
    while digits < MOST_DIGITS and x not in (0.0, 1.0) and float(f"{x:.{digits}g}") in (0.0, 1.0):
        digits += 1
    return f"{x:.{digits}g}"


def ends_of(measure: Measure) -> str:
    """The interval in words; empty where there is none."""
    interval = measure.interval
    return "" if interval is None else f"{told(interval.low)} to {told(interval.high)}"


def remark_on(measure: Measure) -> str:
    """How the interval was made, and what a reader must know."""
    method = "" if measure.interval is None else measure.interval.method
    return "; ".join(filter(None, (method, measure.note)))


def percent(level: float) -> str:
    """A level as a percentage."""
    return f"{100.0 * level:.4g} %"
