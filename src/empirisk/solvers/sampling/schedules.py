"""Lengths of steps that need no line search: schedules of the theory, and trials for the first step."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from empirisk.arithmetic import TINY
from empirisk.capabilities import offers
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import shares, squared_column_norms
from empirisk.update_rules.subgradient import Schedule

SCHEDULES = {"constant": 0, "inverse_sqrt": 1, "inverse": 2}
FACTOR, MOST_TRIALS = 4.0, 40  # of trial steps
TRIAL_ROWS, TRIAL_BATCHES = 1000, 50


def check_alpha(alpha: object) -> None:
    """A number >= 0; zero asks for trials."""
    if not (isinstance(alpha, numbers.Real) and 0.0 <= float(alpha) < math.inf):
        raise ValueError(f"alpha must be a finite number >= 0, got {alpha!r}")


def check_schedule(schedule: Any, m: float) -> None:
    """One of the names, which suits the strong convexity m."""
    if schedule not in ("auto", *SCHEDULES):
        names = ", ".join(("auto", *SCHEDULES))
        raise ValueError(f"schedule must be one of {names}, got {schedule!r}")
    if schedule == "inverse" and not m > 0.0:
        raise ValueError("schedule 'inverse' needs l2 > 0; take 'inverse_sqrt'")


def named_schedule(name: str, m: float, first: float, soon: float) -> Schedule:
    """The schedule of this name; for "auto" that of "inverse" where its steps halve within `soon` of them."""
    if name == "auto":
        name = "inverse" if m * first * soon >= 1.0 else "inverse_sqrt"
    return Schedule(SCHEDULES[name], first, m)


def first_guess(problem: EmpiricalRisk) -> tuple[float, float]:
    """A step that fits the curvature in a row of mean size; the intercept's in such steps, as of the largest column."""
    squares = squared_column_norms(problem, shares(problem))
    bend = (float(problem.loss.smoothness()) if offers(problem.loss, "smoothness") else 0.0) or 1.0
    return 1.0 / max(bend * (float(squares.sum()) or 1.0), TINY), float(squares.max()) or 1.0


def trial_rows(random: np.random.Generator, order: Any, batch: int = 1) -> Any:
    """A sample of rows for trials, which is a few steps at least."""
    return random.permutation(order)[: max(TRIAL_ROWS, TRIAL_BATCHES * batch)]


def best_step(value_after: Callable[[float], float], first: float) -> tuple[float, float, int]:
    """The least value among powers of four around the first step, the step that leads to it, the number of trials."""

    def tried(step: float) -> tuple[float, float]:
        value = value_after(step)
        return (value if math.isfinite(value) else math.inf), step

    best, trials = tried(first), 1
    for factor in (FACTOR, 1.0 / FACTOR):
        while trials < MOST_TRIALS:
            new = tried(best[1] * factor)
            trials += 1
            if not new[0] < best[0]:
                break
            best = new
    return *best, trials
