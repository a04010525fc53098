"""Is there a plane with every point on its side? The plane, or the points that forbid it, each with its proof.

Quick tries first (`quick_tries`). Then a working set of rows: a sample that grows by points on the wrong side. On it an
active-set method for the widest gap (`active_rows`) ends with a plane, or with points of which positive multiples sum
to zero; where it cannot tell, the linear program of `margin_program` does. Columns that nearly depend on others are
replaced by what is left of them, computed exactly, so that floats see it too (`frame`). A conflict within the working
set is one of the data: most of a million rows are then never looked at. A plane for it is tried on all rows, and those
on the wrong side come in. By Clarkson's argument the widest plane of s rows drawn at random leaves about (d + 1) n / s
others wrong, so that few rounds are needed. Only what a certificate proves in exact arithmetic is said; else the answer
is `Undecided`. References: Clarkson (1995); Joachims (2006).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.long_products import LongVector, long_vector
from empirisk.blas_threads import one_blas_thread
from empirisk.capabilities import name_of
from empirisk.designs.transposed import scaled_rows
from empirisk.parameters import check_seed, check_time_limit
from empirisk.problems.passes import scores_of
from empirisk.protocols import Vector
from empirisk.rows.threads import available_threads
from empirisk.separation.active_set.active_rows import RUNNING, SOLVED, UNBOUNDED, Program, ascend, empty_active, start
from empirisk.separation.conflicts.minimal_conflict import Conflict, exact_verdict
from empirisk.separation.fine_plane import FineSeparation, fine_margins, fine_separation_from
from empirisk.separation.inseparability import Inseparability, inseparability_from, inseparability_of
from empirisk.separation.plane import Separation, separation_from
from empirisk.separation.points import Points, points_of
from empirisk.separation.search.margin_program import solve_margin_program
from empirisk.separation.search.quick_tries import correct, opposite_points
from empirisk.separation.search.views import View, Views
from empirisk.separation.search.working_set import WorkingSet
from empirisk.separation.watch import Callback, Watch

LEAST_ROWS = 1000  # of a working set
ROWS_A_COLUMN = 10  # of the first working set
MOST_ROUNDS = 300
MOST_PASSES = 20  # of the quick tries
SLACK = 0.5  # how far below 1 the active-set method may leave a point
ROUNDS_AT_ONCE = 8  # of the active-set method, between two looks at the clock
MOST_ACTIVE = 4000  # rows at hand of the active-set method: its triangle takes the square of it
DOUBTFUL = 1e-6  # a value of the linear program that may be zero
NONE = np.empty(0, np.int64)
ROWS_OF_INTEGERS = 3  # a coordinate, of the first exact try

PRECISION = "neither a plane nor a conflict could be proven at this precision"
ROUNDS = "the working set of rows did not settle"


class Undecided(NamedTuple):
    """No verdict, and why."""

    reason: str
    seconds: float

    @property
    def is_separable(self) -> None:
        """Unknown."""
        return

    def sentence(self) -> str:
        """The reason in words."""
        return f"Undecided after {self.seconds:.3g} s: {self.reason}."

    def to_json(self) -> dict[str, Any]:
        """The reason; there is no claim to verify."""
        return {"kind": name_of(self), "reason": self.reason, "seconds": self.seconds}


Verdict = Separation | FineSeparation | Inseparability | Undecided


def separate(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    time_limit: float | None = None,
    seed: int = 0,
    callback: Callback | None = None,
) -> Verdict:
    """A plane with y_i (<w, x_i> + b) >= 1 for all rows, or rows that make one impossible.

    `Separation` and `Inseparability` are certificates: `er.verify(verdict, X, y)` recomputes them, `is_separable` tells
    them apart.
    `time_limit` in seconds; it is looked at between steps, and does not stop a proof once a candidate is found. With
    zero only the immediate checks are made (a point of both classes). `seed` draws the first working set. The callback
    is called between steps, at most fifty times a second, with the progress (rows looked at, seconds); returning True
    ends the search undecided.
    """
    return separate_points(points_of(X, y, fit_intercept), time_limit=time_limit, seed=seed, callback=callback)


def separate_points(
    points: Points, *, time_limit: float | None = None, seed: int = 0, callback: Callback | None = None
) -> Verdict:
    """`separate` for points that are already checked."""
    return verdict_on(points, Watch("separate", check_time_limit(time_limit), callback), check_seed(seed))


@np.errstate(all="ignore")  # what overflows is not decided
def verdict_on(points: Points, watch: Watch, seed: int) -> Verdict:
    """`separate` for points that are already checked, under a watch that may have begun earlier."""
    opposite = opposite_points(points)
    if opposite.size:
        verdict = inseparability_from(points, opposite, np.ones(opposite.size))
        if verdict is not None:
            return verdict
    if watch.is_over():
        return Undecided(watch.reason, watch.seconds())
    with one_blas_thread():  # small systems, on which a second thread mostly waits
        return _Search(points, watch, seed).run()


class _Plane(NamedTuple):
    """A plane for the working set, and the rows that hold it with their weights, for the interval of B."""

    w: Vector
    b: float
    rows: NDArray[np.int64]
    weights: Vector
    exactly: LongVector | None = None  # (w, b), where floats may be too coarse for it


class _Suspects(NamedTuple):
    """Rows of which about these multiples sum to about zero."""

    rows: NDArray[np.int64]
    weights: Vector


Found = _Plane | _Suspects | Conflict
Method = Callable[[WorkingSet], Iterator[Found]]


class _Search:
    """Grows the working set until a verdict is proven."""

    def __init__(self, points: Points, watch: Watch, seed: int) -> None:
        self.points, self.watch, self.rng = points, watch, np.random.default_rng(seed)
        self.is_in = np.zeros(points.n_rows, np.bool_)
        self.n_threads = available_threads()
        self.held, self.weights = NONE, np.empty(0)  # places in the working set where the active-set method goes on
        self.tight = NONE  # the same, in the order of the linear program's margins

    def run(self) -> Verdict:
        """The verdict, or why there is none. A method that could not tell is not asked again."""
        views = Views(self.points, self._first_rows())
        methods = self._methods(views)
        for _ in range(MOST_ROUNDS):
            wrong = NONE
            while not wrong.size:
                if self._is_over(0) or not methods:
                    return Undecided(self.watch.reason or PRECISION, self.watch.seconds())
                view, method = methods[0]
                chosen = views.seen(view)
                for found in () if chosen is None else method(chosen):
                    verdict, wrong = self._judged(found)
                    if verdict is not None:
                        return verdict
                if not wrong.size or method == self._by_passes:
                    del methods[0]
                    self.held, self.weights = NONE, np.empty(0)
            views = Views(self.points, self._grown(views.rows, wrong))
        return Undecided(ROUNDS, self.watch.seconds())

    def _methods(self, views: Views) -> list[tuple[View, Method]]:
        """In their order. Columns that nearly depend on others are first left out, then replaced by what is left."""
        framed: list[tuple[View, Method]] = [(View.FRAMED, self._by_active_rows), (View.FRAMED, self._by_program)]
        if views.is_near_singular():
            plain: list[tuple[View, Method]] = [(View.REDUCED, self._by_plane_of_active_rows), *framed]
        else:
            plain = [(View.SCALED, self._by_active_rows), (View.SCALED, self._by_program), *framed]
        return [(View.SCALED, self._by_passes), *plain, (View.SCALED, self._by_integers)]

    def _is_over(self, n_support: int) -> bool:
        """Whether to end here; `n_support` rows hold the plane of the working set."""
        return self.watch.is_over(rows=float(np.count_nonzero(self.is_in)), support=float(n_support))

    def _judged(self, found: Found) -> tuple[Verdict | None, NDArray[np.int64]]:
        """The certificate, where there is one; else the rows outside of the working set that are wrong, worst first."""
        if isinstance(found, Conflict):
            return inseparability_of(self.points, found), NONE
        if isinstance(found, _Suspects):
            return inseparability_from(self.points, found.rows, found.weights), NONE
        if not (math.isfinite(found.b) and np.all(np.isfinite(found.w))):
            return None, NONE
        if found.exactly is None:
            values = self.points.y * scores_of(self.points.design, found.w, found.b, self.n_threads)
        else:
            values = fine_margins(self.points, found.exactly.parts(self.points.n_columns + 1))
        is_wrong = ~(values > 0.0)
        wrong = np.flatnonzero(is_wrong & ~self.is_in)
        if wrong.size:
            return None, wrong[np.argsort(values[wrong], kind="stable")]
        verdict = separation_from(self.points, *found[:-1])
        exactly = long_vector([*found.w.tolist(), found.b]) if found.exactly is None else found.exactly
        return verdict or fine_separation_from(self.points, exactly), NONE

    def _first_rows(self) -> NDArray[np.int64]:
        """All rows where they are few, else a sample."""
        n = self.points.n_rows
        size = max(LEAST_ROWS, ROWS_A_COLUMN * (self.points.n_columns + 1))
        rows = np.arange(n) if 2 * size >= n else self.rng.choice(n, size, replace=False, shuffle=False)
        self.is_in[rows] = True
        return rows

    def _grown(self, rows: NDArray[np.int64], wrong: NDArray[np.int64]) -> NDArray[np.int64]:
        """These rows and some of the wrong ones: half of them the worst, which are much alike, the rest by lot."""
        room = max(LEAST_ROWS, rows.size) // 2
        worst, others = wrong[:room], wrong[room:]
        drawn = self.rng.choice(others, min(others.size, room), replace=False, shuffle=False)
        new = np.concatenate([worst, drawn])
        self.is_in[new] = True
        return np.concatenate([rows, new])

    def _by_passes(self, chosen: WorkingSet) -> Iterator[Found]:
        """Dual coordinate steps: a plane or nothing."""
        order = self.rng.permutation(chosen.y.size)
        done = correct(chosen.design, chosen.y, chosen.lift, order, MOST_PASSES, lambda: self._is_over(0))
        if done.is_right:
            held = np.flatnonzero(done.a)
            yield _Plane(*chosen.plane(done.w, done.b), chosen.rows[held], done.a[held])

    def _by_active_rows(self, chosen: WorkingSet) -> Iterator[Found]:
        """The widest gap of the working set, from where the last round left it."""
        n = chosen.y.size
        program = Program(chosen.y, np.ones(n), chosen.lift, False, 0.0)
        active = empty_active(n, int(chosen.design.n_columns()), MOST_ACTIVE)
        status = start(chosen.design, program, active, self.held, self.weights) if self.held.size else RUNNING
        while status == RUNNING and not self._is_over(int(active.numbers[0])):
            status = ascend(chosen.design, program, active, SLACK, ROUNDS_AT_ONCE)
        k = active.numbers[0]
        self.held, self.weights = active.rows[:k].copy(), active.a[:k].copy()
        if status == SOLVED:
            plane = chosen.plane(active.w, float(active.values[0]))
            yield _Plane(*plane, chosen.rows[self.held], self.weights, chosen.long_plane(active.w))
        elif status == UNBOUNDED:
            used = np.flatnonzero(active.ray)
            yield _Suspects(chosen.rows[active.ray_rows[used]], active.ray[used])

    def _by_plane_of_active_rows(self, chosen: WorkingSet) -> Iterator[Found]:
        """The same where a conflict says nothing, as columns were left out."""
        return (found for found in self._by_active_rows(chosen) if isinstance(found, _Plane))

    def _by_program(self, chosen: WorkingSet) -> Iterator[Found]:
        """The linear program; near zero its value decides nothing, and both answers are tried."""
        solved = solve_margin_program(chosen, self.watch.left())
        if solved is None:
            return
        self.tight = np.argsort(chosen.y * scores_of(chosen.design, solved.w, solved.b), kind="stable")
        held = np.flatnonzero(solved.multipliers)
        rows, weights = chosen.rows[held], solved.multipliers[held]
        if solved.value < DOUBTFUL:
            yield _Suspects(rows, weights)
        yield _Plane(*chosen.plane(solved.w, solved.b), rows, weights, chosen.long_plane(solved.w))

    def _by_integers(self, chosen: WorkingSet) -> Iterator[Found]:
        """Exact pivots on few rows: those that the linear program left nearest, then also the ones still wrong."""
        n, few = chosen.rows.size, ROWS_OF_INTEGERS * (self.points.n_columns + 2)
        order = self.tight if self.tight.size == n else np.arange(n)
        design = scaled_rows(self.points.design, chosen.rows, np.ones(self.points.n_columns))
        tried = order[:few]
        while not self._is_over(0):
            decided = exact_verdict(self.points, chosen.rows[tried].tolist())
            if isinstance(decided, Conflict):
                yield decided
            if decided is None or isinstance(decided, Conflict):
                return
            *w, b = decided.parts(self.points.n_columns + 1, 1)[0].tolist()
            values = chosen.y * scores_of(design, np.array(w), b)
            values[tried] = math.inf
            wrong = np.flatnonzero(values <= 0.0)
            if not wrong.size:
                yield _Plane(np.array(w), b, NONE, np.empty(0), decided)
                return
            tried = np.concatenate([tried, wrong[np.argsort(values[wrong], kind="stable")][:few]])
