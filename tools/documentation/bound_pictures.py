"""Pictures of what a bound on the future error is about; the numbers are those of the examples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import empirisk as er
from empirisk.report.axes import Axis, linear_axis, log_axis
from empirisk.report.charts import Frame
from examples import consistency, drifting_rows, risk_and_its_bound
from tools.documentation.drawing import Point, clip, dot, label, line, picture

WIDTH, HEIGHT = 460.0, 260.0
LEFT, TOP, RIGHT, BOTTOM = 46.0, 28.0, WIDTH - 14.0, HEIGHT - 44.0
ROWS, FIXED = 150, 0.6
SIZES = tuple(dict.fromkeys(round(10.0 ** (k / 12.0)) for k in range(37)))  # 1 to 1000, evenly on the axis
STYLE = "<style>.band{stroke:none;fill:#808a96;fill-opacity:.3}.dashed{stroke-dasharray:6 3}</style>"
MOST_SINES = 12  # points for which a double holds theta


def bound_pictures() -> dict[str, str]:
    """The files by name."""
    return {
        "risk_and_bound": risk_picture(),
        "large_numbers": large_numbers_picture(),
        "consistency": consistency_picture(),
        "drifting_rows": drift_picture(),
    }


def risk_picture() -> str:
    """R, R_emp and J over theta, with the theta that the rows pick and the best one."""
    x, y = risk_and_its_bound.draw(ROWS, seed=6)
    thetas = risk_and_its_bound.steps(x).tolist()
    counts = [risk_and_its_bound.errors(theta, x, y) for theta in thetas]
    bounds = {k: er.bounds.vc_tail(k, ROWS, risk_and_its_bound.H) for k in set(counts)}
    ends = [0.0, *np.sort(x).tolist(), 1.0]
    frame = _frame(linear_axis([0.0, 1.0]), linear_axis([0.0, *bounds.values()]))
    known = [(theta, float(risk_and_its_bound.risk(theta))) for theta in (0.0, risk_and_its_bound.BEST, 1.0)]
    found = thetas[counts.index(min(counts))]
    parts = [clip("plot", frame), frame.draw("theta")]
    parts += [_vertical(frame, at, name, row) for at, name, row in _marks(found)]
    parts += [
        line(frame, _stairs(ends, [bounds[k] for k in counts]), "second", "plot"),
        line(frame, _stairs(ends, [k / ROWS for k in counts]), "move", "plot"),
        line(frame, known, "first", "plot"),
        dot(frame, (found, min(counts) / ROWS), "mark"),
        dot(frame, known[1]),
        *_legend([("R, the true risk", "first"), (f"R_emp on {ROWS} rows", "move"), ("J, proven", "second")]),
    ]
    said = f"R is least at theta* = {risk_and_its_bound.BEST}, R_emp and J at theta-hat = {found:.3f}; J is above R."
    return picture("Risk, empirical risk and bound", said, WIDTH, HEIGHT, parts)


def large_numbers_picture() -> str:
    """R_emp of a fixed theta over the number of rows, in its band."""
    x, y = risk_and_its_bound.draw(SIZES[-1], seed=1)
    bands = [risk_and_its_bound.band(n, FIXED) for n in SIZES]
    shares = [risk_and_its_bound.errors(FIXED, x[:n], y[:n]) / n for n in SIZES]
    frame = _frame(log_axis([1.0, float(SIZES[-1])]), linear_axis([0.0, 1.0]))
    sizes = [float(n) for n in SIZES]
    low = [(n, least / n) for n, (least, _) in zip(sizes, bands, strict=True)]
    high = [(n, most / n) for n, (_, most) in zip(sizes, bands, strict=True)]
    true = float(risk_and_its_bound.risk(FIXED))
    parts = [
        clip("plot", frame),
        frame.draw("rows"),
        line(frame, low + high[::-1], "band", "plot", closed=True),
        line(frame, [(1.0, true), (sizes[-1], true)], "first"),
        line(frame, list(zip(sizes, shares, strict=True)), "move", "plot"),
        *_legend([("R", "first"), ("R_emp", "move"), ("95 % at each number of rows", "band")]),
    ]
    said = f"The share of errors of theta = {FIXED} nears its risk {true:.3g} as rows are added."
    return picture("The law of large numbers", said, WIDTH, HEIGHT, parts)


def consistency_picture() -> str:
    """sup |R - R_emp| over the rows: of a memory and of sines 1/2 for ever, of thresholds falling."""
    falling = [(float(n), consistency.thresholds_gap(n, seed=0)) for n in SIZES]
    memory = [(float(n), consistency.memory_gap(n, seed=0)) for n in (SIZES[0], SIZES[-1])]
    frame = _frame(log_axis([1.0, float(SIZES[-1])]), linear_axis([0.0, 0.6]))
    parts = [
        clip("plot", frame),
        frame.draw("rows"),
        line(frame, memory, "second", "plot"),
        *(dot(frame, (float(n), consistency.sines_gap(n, seed=0)), "mark") for n in range(1, MOST_SINES + 1)),
        line(frame, falling, "first", "plot"),
        *_legend([("thresholds", "first"), ("memory; dots: sign(sin(theta x))", "second")]),
    ]
    said = f"sup |R - R_emp| stays 1/2 for a memory and for sines, and ends at {falling[-1][1]:.3g} for thresholds."
    return picture("Consistent and not consistent", said, WIDTH, HEIGHT, parts)


def drift_picture() -> str:
    """The errors in later rows beside the bound from the first: in the order of time, and mixed."""
    X, y = drifting_rows.drifting(seed=0)
    orders = {"first": np.random.default_rng(1).permutation(len(y)), "move": np.arange(len(y))}
    watched = {style: drifting_rows.watched(X[rows], y[rows]) for style, rows in orders.items()}
    heights = [value for bound, shares in watched.values() for value in (bound.value, *shares)]
    last = float(drifting_rows.BLOCKS)
    frame = _frame(linear_axis([0.0, last], about=8), linear_axis(heights, from_zero=True))
    parts = [clip("plot", frame), frame.draw("later rows, in blocks")]
    for style, (bound, shares) in watched.items():
        points = [(k + 0.5, share) for k, share in enumerate(shares)]
        parts += [line(frame, points, style), *(dot(frame, at, "dot" if style == "first" else "mark") for at in points)]
        parts.append(line(frame, [(0.0, bound.value), (last, bound.value)], f"{style} dashed"))
    parts += _legend([("in random order", "first"), ("in the order of time", "move"), ("bounds", "axis dashed")])
    bound, shares = watched["move"]
    said = f"In the order of time the bound is {bound.value:.3g}, and the last rows have {shares[-1]:.3g} errors."
    return picture("A bound on rows that drift", said, WIDTH, HEIGHT, parts)


def _frame(x: Axis, y: Axis) -> Frame:
    return Frame(x, y, LEFT, TOP, RIGHT, BOTTOM)


def _stairs(ends: Sequence[float], heights: Sequence[float]) -> list[Point]:
    """A function that is constant between one end and the next."""
    return [(x, height) for k, height in enumerate(heights) for x in (ends[k], ends[k + 1])]


def _marks(found: float) -> list[tuple[float, str, float]]:
    """Where theta-hat and theta* are, and how far above the axis their names stand."""
    return [(found, "theta-hat", 24.0), (risk_and_its_bound.BEST, "theta*", 8.0)]


def _vertical(frame: Frame, at: float, name: str, above: float) -> str:
    """A line up from a place of the horizontal axis, with its name."""
    x = frame.at_x(at)
    drawn = f'<path class="grid" d="M{x:.1f} {frame.top:.1f}V{frame.bottom:.1f}"/>'
    return drawn + label(x + 5.0, frame.bottom - above, name)


def _legend(entries: Sequence[tuple[str, str]]) -> list[str]:
    """Above the plot, from left to right, with the styles that only these pictures have."""
    parts, at = [STYLE], LEFT
    for name, style in entries:
        sign = f"M{at:.1f} 7h22v10h-22z" if style == "band" else f"M{at:.1f} 12h22"
        parts.append(f'<path class="{style}" d="{sign}"/>{label(at + 27.0, 16.0, name)}')
        at += 48.0 + 5.6 * len(name)
    return parts
