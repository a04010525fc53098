"""A run of the perceptron: what determines it, and the loop that can be run again to the last bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT
from empirisk.designs import CSR, n_entries
from empirisk.progress import Event
from empirisk.protocols import Vector
from empirisk.separation.perceptron_runs import kernels
from empirisk.separation.perceptron_runs.kernels import Buffers, Rules, Watched
from empirisk.separation.perceptron_runs.mistake_trace import MOST_LINES, N_COLUMNS, MistakeTrace, allowances_of
from empirisk.separation.perceptron_runs.sure_sides import (
    SLACK,
    SUBNORMAL,
    largest_point,
    margins_of,
    mark_sides,
    squared_norm,
)
from empirisk.separation.plane import Separation
from empirisk.separation.points import Points
from empirisk.separation.points_as_integers import exact_margins
from empirisk.stopwatch import work_clock
from empirisk.update_rules.perceptron import INTERCEPT

ENTRIES_A_CALL = 1 << 25  # about a tenth of a second: an interrupt or a time limit waits no longer (but for a pass)
LOGGED_A_CALL = 1 << 20
CHECK_SHARE, FULL_SHARE = (
    0.05,
    1.0,
)  # of the visits, to find the best plane seen; the latter where it costs nothing much
SMALL = 1 << 15  # entries
CACHE = 1 << 25  # bytes of values that may still be found there
WORD = (1 << 64) - 1


class Course(NamedTuple):
    """What determines a run on given points: from (w_0, b_0), w <- w + step * (the wrong z_i)."""

    is_batch: bool  # all wrong points at once, or one after the other
    order: str  # "cyclic" or "random"; batch has none
    step: float
    seed: int
    start_weights: Vector
    start_intercept: float


def is_shuffled(is_batch: bool, order: str) -> bool:
    """Whether a run draws the order of its rows."""
    return order == "random" and not is_batch


def visits_and_passes(visits: int, n_rows: int) -> str:
    """How long a run was, in words."""
    return f"{visits} visits of rows ({visits / n_rows:.4g} passes)"


class Counts(NamedTuple):
    """What a run has done."""

    visits: int  # of rows
    mistakes: int  # M, the sum of the m_t
    squares: int  # Q, the sum of the m_t^2; online the same
    steps: int  # changes of the weights; online the same


class PerceptronProgress(NamedTuple):
    """What a callback gets."""

    passes: float
    mistakes: int
    errors: int | None  # the fewest of a plane that were counted so far
    seconds: float

    def event(self) -> Event:
        """As every long run tells it; nobody knows how long it takes."""
        errors = math.nan if self.errors is None else self.errors
        numbers = {"pass": float(round(self.passes)), "mistakes": self.mistakes, "errors": errors}
        return Event("perceptron", math.nan, numbers, self.seconds)


class Runner:
    """A run that stands somewhere."""

    def __init__(
        self, points: Points, course: Course, *, epsilon: float = 0.0, form: str = "", keeps_best: bool = True
    ):
        d, n = points.n_columns, points.n_rows
        square, entries = largest_point(points.design, 1.0 if points.fit_intercept else 0.0)
        self.points, self.course = points, course
        self.overflows = not math.isfinite(square)
        is_drawn = is_shuffled(course.is_batch, course.order)
        share = FULL_SHARE if form == "pocket" or n_entries(points.design) <= SMALL else CHECK_SHARE
        self.rules = Rules(
            has_intercept=points.fit_intercept,
            is_shuffled=is_drawn,
            reads_ahead=is_drawn and isinstance(points.design, CSR) and points.design.values.nbytes > CACHE,
            is_pocket=form == "pocket",
            is_averaged=form == "averaged",
            is_voted=form == "voted",
            check_share=share if keeps_best else 0.0,
            step=float(course.step),
            epsilon=float(epsilon),
            largest_square=SLACK * float(square),
            reach=SLACK * (entries + 4) * UNIT * math.sqrt(square),
            least=(entries + 4) * SUBNORMAL,
        )
        counts, numbers = np.zeros(kernels.N_COUNTS, np.int64), np.zeros(kernels.N_NUMBERS)
        counts[kernels.BEST_ERRORS] = n + 1
        numbers[INTERCEPT] = course.start_intercept
        w = np.array(course.start_weights, dtype=np.float64)
        self.buffers = Buffers(
            w=w,
            numbers=numbers,
            counts=counts,
            order=np.arange(n if self.rules.is_shuffled else 0, dtype=np.int32 if n < 2**31 else np.int64),
            generator=np.array([course.seed & WORD], np.uint64),
            step_sum=np.zeros(d if course.is_batch else 0),
            behind=np.zeros(d if form == "averaged" else 0),
            wrong=np.zeros(n, np.int64),
            best=np.append(w, course.start_intercept),
            saved=np.zeros(d + 1),
            saved_wrong=np.zeros(n, np.int64),
            log_rows=np.zeros(0, np.int64),
            log_visits=np.zeros(0, np.int64),
        )
        self.watched = Watched(np.zeros(0), 0.0, np.zeros(0), 0.0, 0.0, 0.0, 0.0, np.zeros((0, N_COLUMNS)), np.zeros(4))

    @property
    def weights(self) -> Vector:
        """Where the run stands; not a copy."""
        return self.buffers.w

    @property
    def intercept(self) -> float:
        """Where the run stands."""
        return float(self.buffers.numbers[INTERCEPT])

    @property
    def counts(self) -> Counts:
        """What it has done so far."""
        at = self.buffers.counts
        return Counts(*(int(at[k]) for k in (kernels.VISITS, kernels.MISTAKES, kernels.SQUARES, kernels.STEPS)))

    @property
    def checked(self) -> int:
        """Visits of rows to count the errors of a plane."""
        return int(self.buffers.counts[kernels.CHECKED])

    def wrong_rows(self) -> tuple[NDArray[np.int64], Vector]:
        """The rows that were ever wrong, and how often."""
        return _numbered(self.buffers.wrong)

    def wrong_rows_of_circle(self) -> tuple[NDArray[np.int64], Vector]:
        """The same for the part of the run after which it stood where it had stood before: their sum is zero."""
        return _numbered(self.buffers.wrong - self.buffers.saved_wrong)

    def watch(self, plane: Separation) -> None:
        """Keep a trace, compared with a plane that has y (<w*, x> + b*) >= 1 everywhere; before the run."""
        points, course = self.points, self.course
        norm = math.sqrt(math.fsum([*(plane.weights**2).tolist(), plane.intercept**2]))
        inner = math.fsum([*(plane.weights * course.start_weights).tolist(), plane.intercept * course.start_intercept])
        self.buffers.numbers[kernels.INNER] = inner
        self.watched = Watched(
            plane=np.array(plane.weights, dtype=np.float64),
            intercept=float(plane.intercept),
            margins=margins_of(points.design, points.y, plane.weights, float(plane.intercept)),
            radius=float(plane.radius),
            norm=norm,
            start_inner=inner,
            start_square=float(squared_norm(np.asarray(course.start_weights), float(course.start_intercept))),
            lines=np.zeros((MOST_LINES, N_COLUMNS)),
            worst=np.array([math.inf, math.inf, math.inf, 0.0]),
        )

    def run(
        self,
        visit_limit: int,
        budget: int,
        deadline: float = math.inf,
        callback: Callable[[PerceptronProgress], Any] | None = None,
        goes_on: Callable[[Counts], bool] | None = None,
    ) -> int:
        """Go on until all points are right or a limit is reached; how it ended is one of the kernels' endings.

        The callback is called after each pass; returning True stops. `goes_on` is asked about ten times a second.
        """
        if self.overflows:
            return kernels.OVERFLOWED
        points, loop = self.points, kernels.run_batch if self.course.is_batch else kernels.run_online
        passes = max(1, ENTRIES_A_CALL // max(1, n_entries(points.design) + points.n_rows))
        if self.rules.is_voted:
            passes = max(1, min(passes, LOGGED_A_CALL // points.n_rows))
        passes, began = 1 if callback is not None else passes, work_clock()
        while work_clock() < deadline:
            before = self.counts.visits
            if before >= visit_limit or before + self.checked >= budget:
                break
            if self.rules.is_voted:
                self._make_room(self.counts.mistakes + passes * points.n_rows)
            with np.errstate(all="ignore"):  # only the interpreter would warn
                parts = self.rules, self.buffers, self.watched
                ending = int(loop(points.design, points.y, *parts, passes, visit_limit, budget))
            is_stopped = callback is not None and bool(callback(self._progress(work_clock() - began)))
            if ending != kernels.GOES_ON:
                return ending
            if is_stopped or not (goes_on is None or goes_on(self.counts)):
                return kernels.STOPPED
        return kernels.GOES_ON

    def mean(self) -> tuple[Vector, float]:
        """The mean of the weights after each visit (the averaged form)."""
        visits = max(1, self.counts.visits)
        behind = float(self.buffers.numbers[kernels.BEHIND]) if self.rules.has_intercept else 0.0
        return self.weights - self.buffers.behind / visits, self.intercept - behind / visits

    def best(self, errors: int) -> tuple[Vector, float, int]:
        """The plane with the fewest errors that was looked at, the present one, which makes `errors`, included."""
        fewest = int(self.buffers.counts[kernels.BEST_ERRORS])
        if errors <= fewest and np.all(np.isfinite(self.weights)):
            return self.weights.copy(), self.intercept, errors
        w, b = self.buffers.best[:-1].copy(), float(self.buffers.best[-1])
        return w, b, self._wrong(w, b)  # what the run could not prove to be right it counted as wrong

    def errors_of(self, w: Vector, b: float) -> int:
        """How many points have y (<w, x> + b) <= 0, exactly. Costs n visits, which are counted."""
        self.buffers.counts[kernels.CHECKED] += self.points.n_rows
        return self._wrong(w, b)

    def _wrong(self, w: Vector, b: float) -> int:
        if not (np.all(np.isfinite(w)) and math.isfinite(b)):
            return self.points.n_rows  # no plane
        points, sides = self.points, np.empty(self.points.n_rows, np.int8)
        with np.errstate(all="ignore"):
            tau = self.rules.reach * math.sqrt(squared_norm(w, b)) + self.rules.least
            mark_sides(points.design, points.y, w, b, tau, sides)
        doubtful = exact_margins(points, np.flatnonzero(sides == 0).tolist(), w, b)
        return int(np.count_nonzero(sides < 0)) + sum(margin <= 0 for margin in doubtful)

    def trace(self) -> MistakeTrace:
        """The three inequalities on the way, and at the end."""
        watched, counts, step = self.watched, self.counts, self.course.step
        lines = watched.lines[: int(watched.worst[3])]
        if counts.mistakes and (not lines.size or lines[-1, 1] < counts.mistakes):
            inner = float(watched.plane @ self.weights + watched.intercept * self.intercept)
            square = float(squared_norm(self.weights, self.intercept))
            last = [counts.visits, counts.mistakes, counts.squares, inner, square]
            lines = np.vstack([lines, last])
        whole = lines[:, :3].astype(np.int64)
        inner, square = lines[:, 3], lines[:, 4]
        size = abs(watched.start_inner) + step * lines[:, 1]
        lower = watched.start_inner + step * lines[:, 1]
        upper = watched.start_square + step * step * lines[:, 2] * watched.radius * watched.radius
        # The noted steps are taken from the weights themselves, all others from running sums.
        cosine_slack = np.where(lower >= 0.0, (inner - lower * np.sqrt(square / upper)) / size, math.inf)
        slacks = (inner - lower) / size, (upper - square) / upper, cosine_slack
        worst = [min([float(watched.worst[k]), *slack.tolist()]) for k, slack in enumerate(slacks)]
        allowances = allowances_of(
            counts, step, self.points.n_columns + 1, watched.radius, watched.norm, watched.start_inner,
            watched.start_square,
        )  # fmt: skip
        return MistakeTrace(
            visits=whole[:, 0],
            mistakes=whole[:, 1],
            squares=whole[:, 2],
            inner=inner,
            squared_norm=square,
            least_inner=lower,
            largest_squared_norm=upper,
            plane_norm=watched.norm,
            worst_inner=worst[0],
            worst_norm=worst[1],
            worst_cosine=worst[2],
            allowances=allowances,
        )

    def _progress(self, seconds: float) -> PerceptronProgress:
        counts, fewest = self.counts, int(self.buffers.counts[kernels.BEST_ERRORS])
        passes = (counts.visits + self.checked) / self.points.n_rows
        return PerceptronProgress(passes, counts.mistakes, fewest if fewest <= self.points.n_rows else None, seconds)

    def _make_room(self, mistakes: int) -> None:
        """Let the log of the voted form hold this many."""
        if self.buffers.log_rows.size < mistakes:
            grown = max(mistakes, 2 * self.buffers.log_rows.size)
            longer = {name: np.resize(getattr(self.buffers, name), grown) for name in ("log_rows", "log_visits")}
            self.buffers = self.buffers._replace(**longer)


def _numbered(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], Vector]:
    rows = np.flatnonzero(counts)
    return rows, counts[rows].astype(np.float64)
