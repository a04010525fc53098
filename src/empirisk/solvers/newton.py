"""Newton's method with a line search."""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from empirisk.capabilities import missing, offers
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import Gradient, blank_scores, gradient
from empirisk.protocols import Array, Progress, Vector
from empirisk.solvers.linear_systems.multiclass_hessian import whole_is_cheap
from empirisk.solvers.linear_systems.multiclass_preconditioner import blocks_are_cheap, whole_sample
from empirisk.solvers.linear_systems.newton_system import NewtonSystem, newton_system, uses_cholesky
from empirisk.solvers.linear_systems.one_score_system import jumps
from empirisk.solvers.many_classes.sdca import MulticlassSDCA
from empirisk.solvers.sampling.row_sample import Risk, sample_of, stride_of
from empirisk.solvers.steps.line_search import PASSES, best_constant, exact_step
from empirisk.solvers.steps.smooth_progress import balance_of, norm, smooth_gap, smooth_progress

ARMIJO, CURVATURE = 1e-4, 0.5  # of the full step: how much it must gain, and flatten the slope
SAMPLED_ROWS, SAMPLED_ENTRIES = 24, 400_000  # for each column, in a sample, and of the data
SAMPLED_STRENGTH = 2.0  # of those times n l2: below, the weights that the penalty leaves free lead astray
SAMPLE_LEFT, SAMPLE_STEPS = 0.03, 15  # the relative gap where it has told what it can, and the most steps
DUAL_PASSES = 10  # of dual ascent, to start hard systems of many classes near the minimum


class NewtonState(NamedTuple):
    """Where Newton's method stands."""

    x: Array
    gradient: Gradient
    scores: Array  # at x; consumed by the next step
    system: NewtonSystem
    balance: float  # for the estimate of the gap
    passes: float
    stalled: bool


class Newton(NamedTuple):
    """Solve H p = -grad and take the full step; where that gains too little, search the line exactly.

    H is the Hessian of the mean loss plus l2 I, for all classes together where there are many. It is factored by
    Cholesky where that is cheap, and used through products in conjugate gradients beyond. Converges quadratically near
    the minimum (semismooth losses included). Systems of many classes that are too wide to factor, even class by class
    from a sample, start after a few passes of dual ascent.
    References: Nocedal and Wright (2006), chapters 3 and 7; Lin, Weng and Keerthi (2008).
    """

    linear_solver: str = "auto"  # or "cholesky", "conjugate_gradient"
    reuse: bool = False  # a Hessian for several steps, where it serves; no longer quadratic, but often faster
    sampling: bool = False  # start from about the answer for a sample of the rows, where there are many for each column
    constant_start: bool = False  # begin at the best constant score, where more rows may have curvature than at zero

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem; all but the first parameter are for one score a row."""
        if self.reuse or self.sampling or self.constant_start:
            return ("loss.derivative", "loss.second_derivative", "no kinks", "l2 alone")
        return ("loss.derivative or loss.gradient", "loss.second_derivative or loss.curvature", "no kinks", "l2 alone")

    def init(self, problem: LinearRisk, point: LinearPoint) -> NewtonState:
        """Evaluate the start, or a better one."""
        x, passes = _better_start(problem, self, point.stacked())
        scores = blank_scores(problem, x)
        system = newton_system(problem, self.linear_solver, self.reuse)
        return NewtonState(x, gradient(problem, x, scores), scores, system, balance_of(problem, x), passes + 1.0, False)

    def step(self, problem: LinearRisk, state: NewtonState) -> NewtonState:
        """One direction and one line search."""
        at = state.gradient
        p, system, passes = state.system.direction(problem, at, state.scores)
        passes += state.passes + 1.0
        noise = 1e-15 * abs(at.objective)  # below, the objective cannot tell a better point: n positive terms round
        slope = float(np.vdot(at.slope, p))
        decrement = -slope
        x = state.x + p
        new = gradient(problem, x, state.scores)
        falls = new.objective <= at.objective + ARMIJO * slope + noise
        if not (falls and abs(float(np.vdot(new.slope, p))) <= CURVATURE * abs(slope)) and -slope > noise:
            x = state.x + exact_step(problem, state.x, p) * p
            new = gradient(problem, x, state.scores)
            passes += PASSES + 1.0
            decrement = 0.0
            falls = new.objective <= at.objective + noise
        if not falls:
            back = gradient(problem, state.x, state.scores)  # the scores belong to the point
            other = system.failed(problem)
            return state._replace(gradient=back, system=other or system, passes=passes + 1.0, stalled=other is None)
        stalled = at.objective - new.objective <= noise and norm(new.slope) > 0.5 * norm(at.slope)
        system = system.moved(x - state.x, new.slope - at.slope, decrement)
        return state._replace(x=x, gradient=new, system=system, passes=passes, stalled=stalled)

    def point(self, state: NewtonState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint.of(state.x)

    def progress(self, problem: LinearRisk, state: NewtonState) -> Progress:
        """The gap of the penalised part is ||grad||^2 / (2 l2)."""
        return smooth_progress(problem, state.gradient, state.x, state.balance, state.passes, state.stalled)


@functools.singledispatch
def _better_start(problem: LinearRisk, solver: Newton, x: Array) -> tuple[Array, float]:
    """Where to start instead of x, and the passes that it took to find."""
    return x, 0.0


@_better_start.register
def _(problem: EmpiricalRisk, solver: Newton, x: Vector) -> tuple[Vector, float]:
    """The best constant, or about the answer for a sample."""
    if np.any(x):
        return x, 0.0
    if solver.constant_start and problem.fit_intercept:
        x[-1] = best_constant(problem)
    if not solver.sampling or x[-1] != 0.0 or not problem.regularizer.l2 > 0.0:
        return x, 0.0
    return (x, 0.0) if jumps(problem) else _from_sample(problem, solver, x)


def _from_sample(problem: Risk, solver: Newton, x: Array, n_classes: int = 1) -> tuple[Array, float]:
    """About the answer for every few rows, and the passes that it took.

    Under a penalty as many times stronger: a sample is fitted too well, and the line is straight from there.
    """
    n, width = problem.rows.n_rows, problem.rows.n_columns * n_classes
    stride = stride_of(problem, SAMPLED_ROWS * n_classes, SAMPLED_ENTRIES)
    tells = stride and n / (stride * width) * n * problem.regularizer.l2 >= SAMPLED_STRENGTH
    smaller = sample_of(problem, stride, 0) if tells else None
    if smaller is None:
        return x, 0.0
    smaller = smaller.with_strengths(l2=stride * problem.regularizer.l2)
    state = solver._replace(sampling=False).init(smaller, LinearPoint.of(x))
    for _ in range(SAMPLE_STEPS):
        least = SAMPLE_LEFT * abs(state.gradient.objective)
        if state.stalled or smooth_gap(smaller, state.gradient, state.x) <= least:
            break
        state = solver.step(smaller, state)
    is_found = math.isfinite(state.gradient.objective)
    return state.x if is_found else x, state.passes / stride


@_better_start.register
def _(problem: MulticlassRisk, solver: Newton, x: Array) -> tuple[Array, float]:
    """After a few dual passes, where systems are hard; about the answer for a sample, where there are rows enough."""
    takes_whole = uses_cholesky(solver.linear_solver, whole_is_cheap(problem))
    if np.any(x):
        return x, 0.0
    if not problem.loss.splits() and whole_sample(problem):
        return _from_sample(problem, solver, x, problem.n_classes)
    is_easy = takes_whole or blocks_are_cheap(problem) or missing(MulticlassSDCA(), problem)
    if is_easy or (problem.loss.splits() and not offers(problem.loss.base, "dual_step")):
        return x, 0.0
    dual = MulticlassSDCA()
    state = dual.init(problem, LinearPoint.of(x))
    for _ in range(DUAL_PASSES):
        state = dual.step(problem, state)
    return dual.point(state).stacked(), state.passes
