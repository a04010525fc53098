"""Regularisation paths: one problem under many strengths, each answer started from its neighbour's and certified.

With g the gradient of the mean loss in w at w = 0 and the best constant score b, all weights are zero from l1 =
||g||_inf on. No finite l2 makes them zero, but at a given one the objective falls by at most ||g||^2 / (2 l2) below
that of the constant: P is strongly convex with modulus l2 (Friedman, Hastie and Tibshirani 2010, section 2.5, for l1).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import optional
from empirisk.certificates.conjugates import zero_conjugate
from empirisk.certificates.constant_scores import label_masses, tangent_at
from empirisk.driver import minimize
from empirisk.losses.on_vectors import to_shares, values_and_slopes
from empirisk.parameters import check_callback, check_count, check_share, check_time_limit
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import blank_scores, penalty, project, risk_gradient, weighted_sum
from empirisk.problems.passes import shares as row_shares
from empirisk.problems.several_targets import SeveralTargets
from empirisk.protocols import Point, Problem, Solver, Unsupported, Vector
from empirisk.regularizers import strength
from empirisk.rows.protocol import RowBlock
from empirisk.rows.scratch import scratch
from empirisk.solution import Solution, Trace
from empirisk.stopwatch import work_clock

OF = ("l1", "l2")
RATIOS = {"l1": 1e-3, "l2": 1e-6}  # of the smallest strength of a grid to its largest
LEAST_FALL = 0.1  # of the mean loss, which weights under the largest l2 of a grid cannot exceed


class ProblemWithStrengths(Problem, Protocol):
    """A problem that can be posed again under other strengths."""

    def with_strengths(self, l1: float | None = None, l2: float | None = None) -> Self:
        """The same under other strengths; None keeps one."""


Posed = TypeVar("Posed", bound=ProblemWithStrengths)
Solve = Callable[[Posed, Point | None], Solution]  # of a problem and a start


class Path(NamedTuple):
    """The solutions for a list of strengths, in the order of that list."""

    of: str  # "l1" or "l2"
    strengths: Vector
    solutions: tuple[Solution, ...]

    @property
    def weights(self) -> NDArray[np.float64]:
        """A row of weights for each strength; for many classes a K x d matrix."""
        return np.array([solution.weights for solution in self.solutions])

    @property
    def intercepts(self) -> NDArray[np.float64]:
        """The intercept for each strength; for many classes K of them."""
        return np.array([solution.intercept for solution in self.solutions])

    @property
    def objectives(self) -> Vector:
        """The objective for each strength."""
        return np.array([solution.objective for solution in self.solutions])

    @property
    def certified(self) -> bool:
        """Whether every solution is."""
        return all(solution.certified for solution in self.solutions)


def path(
    problem: ProblemWithStrengths,
    strengths: Any = None,
    *,
    of: str = "l2",
    solver: str | Solver = "auto",
    tol: float = 1e-6,
    max_passes: float = 1000,
    seed: int | None = None,
    callback: Callable[[Trace], Any] | None = None,
    time_limit: float | None = None,
) -> Path:
    """Minimise the problem for each strength, from the largest to the smallest, each started where the last one ended.

    `of` says which strength is meant, and the other one stays that of the problem. `strengths` is `strength_grid`
    unless given. The other arguments are those of `minimize`, for each strength; once the callback stops a run, those
    that are left stop at their first check. So they do once all of them have taken `time_limit` seconds of work, each
    with the point that was reached before it, and its gap.
    """
    chosen = strength_grid(problem, of) if strengths is None else _checked(strengths, _which(of))
    callback, ends = sticky(callback), work_clock() + check_time_limit(time_limit)

    def solve(problem: Problem, start: Point | None) -> Solution:
        left = max(0.0, ends - work_clock())
        return minimize(
            problem,
            solver,
            tol=tol,
            max_passes=max_passes,
            callback=callback,
            start=start,
            seed=seed,
            time_limit=left,
        )

    found = dict(follow(problem, chosen, of, solve))
    return Path(of, chosen, tuple(found[k] for k in range(chosen.size)))


def follow(problem: Posed, strengths: Vector, of: str, solve: Solve[Posed]) -> Iterator[tuple[int, Solution]]:
    """The place of each strength in the list and its solution, from the largest strength to the smallest."""
    start: Point | None = None
    for k in np.argsort(-strengths, kind="stable").tolist():
        # From the problem before, and not from the first: what a solver attached to it is kept.
        problem = problem.with_strengths(**{of: float(strengths[k])})
        solution = solve(problem, start)
        start = solution.point
        yield k, solution


def strength_grid(problem: Problem, of: str = "l2", *, n: int = 20, ratio: float | None = None) -> Vector:
    """n strengths, evenly spaced in the logarithm, from the `strongest` down to `ratio` times it.

    `ratio` is 1e-3 for l1 and 1e-6 for l2 unless given.
    """
    ratio = RATIOS[_which(of)] if ratio is None else ratio
    n, ratio = check_count("n", n, 2), check_share("ratio", ratio)
    top = strongest(problem, of)
    if not (top * ratio >= np.finfo(float).tiny and math.isfinite(top)):
        why = "no column changes the mean loss" if top == 0.0 else "numbers overflow or vanish; scale the columns of X"
        raise ValueError(f"there is no grid for {of}: {why}")
    return np.asarray(top * np.geomspace(1.0, ratio, int(n)), dtype=np.float64)


@functools.singledispatch
def strongest(problem: Problem, of: str = "l1") -> float:
    """The strength that leaves nothing, or next to nothing, of the weights.

    "l1": the smallest one for which w = 0 is a minimiser, ||g||_inf; for losses with kinks an upper bound of it.
    "l2": the one under which the mean loss can fall by no more than a tenth of what the best constant leaves above its
    infimum; larger ones change little. A problem brings its own, or its type is registered here.
    """
    own = optional(problem, "strongest")
    if own is None:
        raise Unsupported(f"{type(problem).__name__} has no strengths l1 and l2")
    return float(own(of))


@strongest.register
def _(problem: MulticlassRisk, of: str = "l1") -> float:
    if problem.loss.splits():
        return max(strongest(problem.of_class(j), of) for j in range(problem.n_classes))
    with np.errstate(all="ignore"):
        risk, g = _softmax_constant(problem)
        return float(np.abs(g).max()) if _which(of) == "l1" else _strongest_l2(risk, g)


@strongest.register
def _(problem: SeveralTargets, of: str = "l1") -> float:
    return max(strongest(part, of) for part in problem.parts)


@strongest.register
def _(problem: EmpiricalRisk, of: str = "l1") -> float:
    with np.errstate(all="ignore"):
        b, g = _best_constant(problem)
        if _which(of) == "l2":
            return _strongest_l2(_mean_loss(problem, b) + zero_conjugate(problem, label_masses(problem)), g)
        if not math.isfinite(penalty(problem, np.zeros(g.size))):
            raise Unsupported("l1 has no strength that makes all weights zero, since the constraint excludes w = 0")
        # Where the constraint leaves a weight no room on the side of descent, it stays zero whatever l1 is.
        leaves = project(problem, -g) != 0.0
        return float(np.abs(g[leaves]).max(initial=0.0))


def sticky(callback: Callable[[Trace], Any] | None) -> Callable[[Trace], bool] | None:
    """The callback for several runs: once it said stop, or raised, it is not asked again and every run stops."""
    check_callback(callback)
    if callback is None:
        return None
    stopped = False

    def once(trace: Trace) -> bool:
        nonlocal stopped
        if not stopped:
            stopped = True  # should it raise
            stopped = bool(callback(trace))
        return stopped

    return once


def _which(of: object) -> str:
    if not isinstance(of, str) or of not in OF:
        raise ValueError(f"of must be 'l1' or 'l2', got {of!r}")
    return of


def _checked(strengths: object, of: str) -> Vector:
    said = f"strengths must be a list of numbers >= 0, got {strengths!r}"
    if isinstance(strengths, str) or not isinstance(strengths, Iterable):
        raise TypeError(said)
    values = list(strengths)
    if not values:
        raise ValueError(f"{said}, which is empty")
    return np.array([strength(of, value) for value in values])


def _strongest_l2(excess: float, g: NDArray[np.float64]) -> float:
    """||g||^2 / (2 LEAST_FALL excess), where `excess` is the mean loss of the best constant above its infimum."""
    squared = float(np.vdot(g, g))
    return squared / (2.0 * LEAST_FALL * excess) if squared > 0.0 and excess > 0.0 else 0.0


def _best_constant(problem: EmpiricalRisk) -> tuple[float, Vector]:
    """The score b that, given to every row, makes the mean loss least, and the gradient in w there; b = 0 if not free.

    By bisection between two floats at which the slope in b has opposite signs. The derivatives of the rows are the mean
    of those at the two ends for which the slope is zero: at a kink, a subgradient that proves b optimal.
    """
    loss, rows, masses = problem.loss, problem.rows, label_masses(problem)
    low = high = 0.0
    if problem.fit_intercept:
        low, high = _bracket(lambda b: tangent_at(problem, masses, b).slope)
    at_low, at_high = (tangent_at(problem, masses, b).slope for b in (low, high))
    share = -at_low / (at_high - at_low) if at_low < 0.0 < at_high else 0.0
    args = loss, 1.0 / problem.total_weight, low, high, share
    return low, weighted_sum(problem, rows.vector(_mean_slopes, *args, rows=(problem.labels, problem.weights)))[0]


def _mean_slopes(
    block: RowBlock,
    loss: Any,
    scale: float,
    low: float,
    high: float,
    share: float,
    y: Vector,
    weights: Vector,
    out: Vector,
) -> None:
    """s_i / S times the mean of the derivatives at the two scores."""
    scores, values, slopes = scratch(3, y.size)
    scores[:] = high
    values_and_slopes(loss, scores, y, values, slopes)
    scores[:] = low
    values_and_slopes(loss, scores, y, values, out)
    if share > 0.0:
        out *= 1.0 - share
        out += share * slopes
    to_shares(weights, scale, out)


def _bracket(slope: Callable[[float], float]) -> tuple[float, float]:
    """Neighbouring floats low <= high, at which a growing function is <= 0 and >= 0; an end where it is never so."""
    first = slope(0.0)
    if first == 0.0:
        return 0.0, 0.0
    near, far = 0.0, -math.copysign(1.0, first)
    while slope(far) * first > 0.0 and math.isfinite(2.0 * far):
        near, far = far, 2.0 * far
    while (middle := 0.5 * (near + far)) not in (near, far):
        if slope(middle) * first > 0.0:
            near = middle
        else:
            far = middle
    return min(near, far), max(near, far)


def _mean_loss(problem: EmpiricalRisk, b: float) -> float:
    return tangent_at(problem, label_masses(problem), b).level


def _softmax_constant(problem: MulticlassRisk) -> tuple[float, NDArray[np.float64]]:
    """The mean softmax loss and its gradient in W at W = 0 and the best intercepts, log of the share of each class."""
    x = problem.zero().stacked()
    if problem.fit_intercept:
        parts = problem.rows.each(_class_shares, problem.n_classes, rows=(problem.labels, row_shares(problem)))
        shares = np.sum(parts, axis=0)
        x[-1] = np.log(np.maximum(shares, np.finfo(np.float64).tiny))
    found = risk_gradient(problem, x, blank_scores(problem, x))
    return found.objective, found.weights


def _class_shares(block: RowBlock, n_classes: int, labels: NDArray[np.int64], shares: Vector) -> Vector:
    return np.bincount(labels, shares, n_classes).astype(np.float64, copy=False)
