"""The picture of an online learner: its regret over the rounds of one game, beside the bound of its theorem."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import name_of
from empirisk.online import RegretAt, learn
from empirisk.protocols import Unsupported
from empirisk.report.axes import log_axis
from empirisk.report.charts import Frame
from tools.documentation.drawing import clip, dot, label, line, picture

WIDTH, HEIGHT = 420.0, 240.0
LEFT, TOP, RIGHT, BOTTOM = 52.0, 26.0, WIDTH - 14.0, HEIGHT - 44.0
ROUNDS = 512
N_COLUMNS = 3
LEAST = 0.1  # regret below it, such as a negative one, lies on the lower edge
BALL = "l2_ball:radius=2"
# What is tried in turn: the first game that the learner can play is shown.
SETTINGS: tuple[dict[str, Any], ...] = (
    {"constraint": BALL, "fit_intercept": False},
    {"constraint": "l1_ball:radius=2", "fit_intercept": False},
    {"fit_intercept": False},
    {"loss": "squared", "fit_intercept": False},
)


class Shown(NamedTuple):
    """A game and the regret of a learner in it."""

    setting: dict[str, Any]
    curve: list[RegretAt]

    @property
    def has_bound(self) -> bool:
        """Whether its theorem says something of this game."""
        return not math.isnan(self.curve[-1].bound)


def rows() -> tuple[Any, Any]:
    """Rows of length one, whose labels a plane tells apart but for noise."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(ROUNDS, N_COLUMNS))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, np.where(X @ [1.0, -0.5, 0.25] + 0.5 * draws.normal(size=ROUNDS) > 0.0, 1.0, -1.0)


def shown_game(learner: Any) -> Shown:
    """The first game that it can play, against the best point of a ball where it has no set."""
    X, y = rows()
    for setting in SETTINGS:
        try:
            run = learn(X, y, learner, **setting)
        except Unsupported:
            continue
        return Shown(setting, run.regret_curve(X, y, against=None if "constraint" in setting else BALL))
    raise ValueError(f"{name_of(learner)} plays none of the games that could be shown")


def learner_picture(name: str, shown: Shown) -> str:
    """A whole SVG file."""
    regret = [(float(at.rounds), max(at.most, LEAST)) for at in shown.curve]
    curves = [("regret", "first", regret)]
    if shown.has_bound:
        curves.append(("bound", "second", [(float(at.rounds), max(at.bound, LEAST)) for at in shown.curve]))
    heights = [y for _, _, points in curves for _, y in points]
    frame = Frame(log_axis([1.0, float(ROUNDS)]), log_axis([LEAST, *heights]), LEFT, TOP, RIGHT, BOTTOM)
    parts, at = [clip("plot", frame), frame.draw("rounds")], LEFT
    for what, style, points in curves:
        mark = "dot" if style == "first" else "mark"
        parts += [line(frame, points, style, "plot"), *(dot(frame, point, mark) for point in points)]
        parts.append(f'<path class="{style}" d="M{at:.1f} 12h22"/>{label(at + 27, 16, what, style)}')
        at += 44 + 7 * len(what)
    last = shown.curve[-1]
    said = f"After {last.rounds} rounds the regret is {last.most:.3g}"
    said += f", and the bound {last.bound:.3g}." if shown.has_bound else "; no bound is claimed."
    return picture(f"Regret of {name}", said, WIDTH, HEIGHT, parts)
