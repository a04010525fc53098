"""The Frank-Wolfe method: linear problems over the constraint instead of projections onto it."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from empirisk.capabilities import name_of, offers
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import (
    Gradient,
    line_slope,
    maximizer,
    penalty,
    project,
    risk_gradient,
    scored,
    shares,
    to_curvatures,
)
from empirisk.problems.polytopes import CoordinateAtoms, Intervals, Segment, polytope_of
from empirisk.protocols import Progress, Unsupported, Vector
from empirisk.rows.protocol import RowVector
from empirisk.rows.row_kernels import add_rows
from empirisk.rows.vectors import row_dot, row_sum
from empirisk.solvers.steps.line_search import root_of_slope
from empirisk.solvers.steps.proximal_step import MOST_FLAT, NOISE_LEFT, gap_estimate

STEPS = ("exact", "short", "diminishing")
VARIANTS = ("auto", "plain", "away", "pairwise")
FEW_COLUMNS = 8  # a strided read of a column moves as much memory as eight columns of a pass
SLOPE_LEFT, LEAST_ROOM = 0.01, 1e-9  # of the gap, of the objective: what a wrong intercept may cost
MOST_ROUNDS = 10  # of the search for the intercept, each of which divides its slope by a hundred or more


class FrankWolfeState(NamedTuple):
    """Where the method stands: at (w, b), b being the best intercept for w."""

    w: Vector
    b: float
    scores: RowVector  # at (w, b); overwritten by the next step
    at: Gradient  # mean loss and its gradient
    objective: float
    gap: float  # the Frank-Wolfe gap
    step_count: int
    best_objective: float
    best_gap: float  # to within a percent, so that slow progress adds up
    flat: int  # steps since either got better
    passes: float


class FrankWolfe(NamedTuple):
    """w <- w + t (s - w), where s minimises <grad, s> + l1 ||s||_1 over the constraint; grad includes the l2 term.

    `steps`: "exact" minimises along the segment, "short" minimises the quadratic bound along it, "diminishing" is
    t = 2 / (k + 2). `variant`: "plain" is the above, whose gap falls like 1/k. On the polytopes (l1 ball, simplex, box)
    "away" may also move away from the worst atom that w is made of, and "pairwise" may move the share of that to the
    best one: whichever falls faster for its length. Both converge linearly where the objective is strongly convex.
    "auto" is pairwise on the l1 ball and the simplex, away on the box, else plain. The intercept is minimised over in
    every step. References: Frank and Wolfe (1956); Jaggi (2013); Lacoste-Julien and Jaggi (2015); for l1, Bredies,
    Lorenz and Maass (2009).
    """

    steps: str = "exact"
    variant: str = "auto"

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        general = ("loss.derivative", "no kinks", "convex", "regularizer.maximizer", "bounded constraint")
        return (*general, "loss.smoothness") if self.steps == "short" else general

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> FrankWolfeState:
        """Evaluate the start."""
        w, b = point.weights, point.intercept
        polytope = self._polytope(problem)
        passes, scores = 1.0, problem.rows.blank()
        at = risk_gradient(problem, np.append(w, b), scores)
        start = polytope.start(w, at.weights + _l2(problem) * w) if polytope is not None else w
        if problem.fit_intercept or start is not w:
            if start is not w:
                scores = scored(problem.rows, start, b)
                passes += 1.0
            b += _best_shift(problem, scores, 0.0, b) if problem.fit_intercept else 0.0
            at = risk_gradient(problem, np.append(start, b), scores)
            passes += 1.0
        omega, gap = gap_estimate(problem, np.append(start, b), at)
        objective = at.objective + omega
        return FrankWolfeState(start, b, scores, at, objective, gap, 0, objective, gap, 0, passes)

    def step(self, problem: EmpiricalRisk, state: FrankWolfeState) -> FrankWolfeState:
        """One segment, and where to stop on it."""
        g = state.at.weights + _l2(problem) * state.w
        polytope = self._polytope(problem)
        if polytope is None:
            segment = _towards(problem, state.w, g)
        else:
            is_pairwise = self.variant == "pairwise" or (self.variant == "auto" and polytope.favours_pairwise())
            segment = polytope.segment(state.w, g, is_pairwise)
        change, read = _change(problem, state, segment)
        t, shift = self._length(problem, state, g, segment, change)
        w = segment.end if t == 1.0 else state.w + t * (segment.end - state.w)
        w = project(problem, w)  # where roundings added up
        b = state.b + shift
        if problem.fit_intercept:
            # In a set that is far larger than it need be, the gap says little about what is left to gain.
            room = min(SLOPE_LEFT * state.gap, LEAST_ROOM * abs(state.objective))
            b += _best_shift(problem, state.scores + t * change + shift, room, b)
        x = np.append(w, b)
        at = risk_gradient(problem, x, state.scores)
        omega, gap = gap_estimate(problem, x, at)
        objective = at.objective + omega
        is_flat = state.best_objective - objective <= NOISE_LEFT * abs(objective) and gap >= 0.99 * state.best_gap
        is_flat &= self.steps != "diminishing"  # which may rise for long before it falls again
        return FrankWolfeState(
            w,
            b,
            state.scores,
            at,
            objective,
            gap,
            state.step_count + 1,
            min(objective, state.best_objective),
            gap if gap < 0.99 * state.best_gap else state.best_gap,
            state.flat + 1 if is_flat else 0,
            state.passes + read + 1.0,
        )

    def point(self, state: FrankWolfeState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint(state.w, state.b)

    def progress(self, problem: EmpiricalRisk, state: FrankWolfeState) -> Progress:
        """The Frank-Wolfe gap is the duality gap at the derivatives of the losses."""
        return Progress(state.passes, state.objective, state.gap, state.flat >= MOST_FLAT, is_sure=True)

    def _polytope(self, problem: EmpiricalRisk) -> CoordinateAtoms | Intervals | None:
        """The atoms for away and pairwise steps; None for plain ones."""
        for name, value, known in (("steps", self.steps, STEPS), ("variant", self.variant, VARIANTS)):
            if value not in known:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {value!r}")
        if self.variant == "plain" or (self.variant == "auto" and self.steps == "diminishing"):
            return None
        if self.steps == "diminishing":
            raise ValueError(f"steps 'diminishing' go with variant 'plain', got {self.variant!r}; take steps 'exact'")
        polytope = polytope_of(problem.regularizer)
        if polytope is None and self.variant != "auto":
            found = name_of(getattr(problem.regularizer, "constraint", problem.regularizer))
            raise Unsupported(
                f"{self.variant} steps need a polytope: an l1_ball, a simplex or a box, each with l1 and l2 at most; "
                f"for {found} take variant 'plain'"
            )
        return polytope

    def _length(
        self, problem: EmpiricalRisk, state: FrankWolfeState, g: Vector, segment: Segment, change: RowVector
    ) -> tuple[float, float]:
        """How much of the segment to go, at most 1, and what to add to the intercept on the way."""
        if self.steps == "diminishing":
            return 2.0 / (state.step_count + 2.0), 0.0
        bends = _bends(problem, state.scores, self.steps == "short")
        rows = problem.rows
        total = row_sum(rows, bends)
        # The best intercept moves with the weights: along its first derivative no step has to cross a valley.
        shift = -row_dot(rows, bends, change) / total if problem.fit_intercept and total > 0.0 else 0.0
        change = change + shift
        p, l2 = segment.end - state.w, _l2(problem)
        along, squared = float(state.w @ p), float(p @ p)
        # What is left of Omega without l2 is convex: on the segment it stays below the chord.
        chord = penalty(problem, segment.end) - penalty(problem, state.w) - l2 * (along + 0.5 * squared)
        gain = -(float(g @ p) + state.at.intercept * shift + chord)
        if not gain > 0.0:
            return 0.0, 0.0
        curvature = row_dot(rows, bends, change * change) + l2 * squared
        first = min(1.0, gain / curvature) if curvature > 0.0 else 1.0
        if self.steps == "short":
            return first, first * shift

        @functools.cache
        def slope(t: float) -> float:
            far = first * t
            return line_slope(problem, state.scores, change, far) + l2 * (along + far * squared) + chord

        t = min(1.0, first * root_of_slope(slope)) if slope(0.0) < 0.0 else 0.0
        return t, t * shift


def _l2(problem: EmpiricalRisk) -> float:
    """The strength of the part of Omega that counts as smooth."""
    return float(getattr(problem.regularizer, "l2", 0.0))


def _towards(problem: EmpiricalRisk, w: Vector, g: Vector) -> Segment:
    """To the s that minimises <g, s> + Omega(s) without its l2 term."""
    omega = problem.regularizer
    end = np.empty(w.size)
    maximizer(omega._replace(l2=0.0) if _l2(problem) > 0.0 else omega, -g, end)
    return Segment(end, 0.0)


def _change(problem: EmpiricalRisk, state: FrankWolfeState, segment: Segment) -> tuple[RowVector, float]:
    """The change of the scores along the whole segment, and how much of a pass it took to read."""
    rest = segment.end - segment.keep * state.w
    columns = np.flatnonzero(rest)
    read = columns.size / rest.size
    if FEW_COLUMNS * read > 1.0:
        scores, read = scored(problem.rows, rest, 0.0), 1.0
    else:
        few = np.zeros(problem.rows.n_rows)
        add_rows(problem.rows.take_columns(columns), rest[columns], few[None])
        scores = problem.rows.place(few)
    return scores + (segment.keep - 1.0) * (state.scores - state.b), read


def _bends(problem: EmpiricalRisk, scores: RowVector, is_bound: bool) -> RowVector:
    """(s_i / S) loss''(z_i), or its bound; where the loss tells neither, s_i / S."""
    if not is_bound and offers(problem.loss, "second_derivative"):
        return to_curvatures(problem, scores.copy())
    bound = float(problem.loss.smoothness()) if offers(problem.loss, "smoothness") else 1.0
    return bound * shares(problem)


def _best_shift(problem: EmpiricalRisk, scores: RowVector, room: float, b: float) -> float:
    """What to add to all scores for the least mean loss, of whose slope there `room` may be left."""
    rows, shift, last = problem.rows, 0.0, math.inf
    ones = rows.filled(1.0)
    for _ in range(MOST_ROUNDS):
        moved = scores + shift
        slope = line_slope(problem, moved, ones, 0.0)
        if abs(slope) * max(1.0, abs(b + shift)) <= room or not abs(slope) < last:
            break
        last, total = abs(slope), row_sum(rows, _bends(problem, moved, False))
        direction = -slope / total if total > 0.0 else -math.copysign(1.0, slope)
        along = functools.cache(functools.partial(line_slope, problem, moved, direction * ones))
        if not along(0.0) < 0.0:  # rounding
            break
        shift += direction * root_of_slope(along)
    return shift
