"""The trace of a run: objective and gap against passes and against time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from empirisk.report.axes import DRAWABLE
from empirisk.report.charts import line_chart
from empirisk.report.markup import count, duration, number, safe
from empirisk.solution import Check, Solution

LOG = " (logarithmic)"
MOST_POINTS = 240  # of a line: more cannot be seen


class Clock(NamedTuple):
    """A unit of time for an axis."""

    name: str
    seconds: float


def trace_section(solution: Solution, asked: float, measure: str = "gap") -> str:
    """Objective and gap against passes and against time; `asked` is the gap that was to be reached.

    `measure` says what the checks recorded.
    """
    checks = solution.trace.checks
    clock = _clock(max((check.seconds for check in checks if math.isfinite(check.seconds)), default=1.0))
    scales: list[tuple[str, str, Callable[[Check], float]]] = [
        ("passes", "passes over the data", lambda check: check.passes),
        ("time", clock.name, lambda check: check.seconds / clock.seconds),
    ]
    target = asked if asked > 1.0 / DRAWABLE else None
    figures = []
    for what, label, place in scales:
        points = _points([(place(check), check.objective) for check in checks])
        # A fall over orders of magnitude is a corner on a linear axis.
        low, high = min((y for _, y in points), default=1.0), max((y for _, y in points), default=1.0)
        is_log = low > 0.0 and high > 100.0 * low
        title = f"Objective against {what}" + (LOG if is_log else "")
        figures.append(_figure(title, line_chart(points, title=title, x_label=label, is_log=is_log)))
    for what, label, place in scales:
        points = _points([(place(check), _known_gap(check)) for check in checks])
        title = f"{measure.capitalize()} against {what}{LOG}"
        drawn = line_chart(
            points,
            title=title,
            x_label=label,
            is_log=True,
            target=target,
            target_label=f"target {number(asked, 3)}",
        )
        figures.append(_figure(title, drawn))
    return (
        f'<section><h2>The run</h2><p class="soft">{_trace_text(solution, measure)}</p>'
        f'<div class="pair">{"".join(figures)}</div></section>'
    )


def _trace_text(solution: Solution, measure: str) -> str:
    checks = solution.trace.checks
    known = [check.gap for check in checks if not math.isnan(check.gap)]
    said = f"The {measure} costs time to compute"
    said += f", so it is proven at {len(known):,} of {count(len(checks), 'recorded point')}."
    if any(math.isnan(check.gap) and not math.isnan(check.estimate) for check in checks):
        said += " Elsewhere the line shows the solver's own estimate of it."
    if any(math.isinf(gap) for gap in known):
        said += " Where it was infinite it is not drawn."
    if any(gap <= 0.0 for gap in known):
        said += " Zero is drawn at the lower edge."
    if any(math.isnan(check.objective) for check in checks) and not any(
        math.isnan(check.gap) and not math.isnan(check.objective) for check in checks
    ):
        said += " The objective is known there only: this solver does not know it for free."
    if solution.compile_seconds > 0.0:
        said += f" The time is that of work: {duration(solution.compile_seconds)} of compiling are not in it."
    return said


def _known_gap(check: Check) -> float:
    return check.estimate if math.isnan(check.gap) else check.gap


def _points(pairs: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """What can be drawn, thinned out evenly with both ends kept."""
    drawable = [(x, y) for x, y in pairs if abs(x) < DRAWABLE and abs(y) < DRAWABLE]
    flat = [(x, y if abs(y) > 1.0 / DRAWABLE else 0.0) for x, y in drawable]
    if len(flat) <= MOST_POINTS:
        return flat
    kept = np.unique(np.linspace(0, len(flat) - 1, MOST_POINTS).round().astype(int))
    return [flat[k] for k in kept]


def _clock(longest: float) -> Clock:
    clocks = [Clock("hours", 3600.0), Clock("minutes", 60.0), Clock("seconds", 1.0), Clock("milliseconds", 1e-3)]
    return next((c for c in clocks if longest >= (3.0 if c.seconds > 1.0 else 0.5) * c.seconds), clocks[-1])


def _figure(title: str, drawn: str) -> str:
    return f"<figure><h3>{safe(title)}</h3>{drawn}</figure>"
