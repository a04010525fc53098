"""The rules that rebuild a plane, and whether a plane is what they rebuild.

Perceptron: rows without a mistake never change the weights, so that a run over the rows with mistakes alone, in the
order in which all rows were visited, makes the same steps, to the last bit. The run is made again. That is so for the
online and the averaged form; from zero the batch forms have every row wrong at their first step, the pocket counts the
errors of all rows, and a vote is no plane.

Widest gap: rows that touch no side of the gap do not matter, and the plane of the others is the same in exact
arithmetic. Rows with the dual variable 0 of a convex risk: their loss is flat at their score, so the minimiser over
the other m rows with l1 and l2 times n / m is the same. What a solver returns for the kept rows is one of the planes
that are within rounding of it: that is checked, by the gap of the kept rows alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.convex_shares import is_convex_combination
from empirisk.bounds.compression.bound import passes_cost
from empirisk.bounds.labelled_rows import LabelledRows
from empirisk.certificates.duality_gap import duality_gap
from empirisk.designs import as_design, matrix_of
from empirisk.parameters import MOST_SEED
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Vector
from empirisk.separation.least_norm import norm_from_plane, norm_from_shares, parts_of_one
from empirisk.separation.perceptron_runs import kernels
from empirisk.separation.perceptron_runs.answer import answer_of
from empirisk.separation.perceptron_runs.claimed_run import MOST_VISITS, ORDERS, is_too_long
from empirisk.separation.perceptron_runs.run import Course, Runner
from empirisk.separation.plane import separation_from
from empirisk.separation.points import Points

FORMS = ("online", "averaged")
MOST_GAP = 1e-4  # relative, of a plane that is taken for what a rule rebuilds


class RunAgain(NamedTuple):
    """What a run of the perceptron does when it is run again."""

    weights: Vector
    intercept: float
    kept: NDArray[np.int64]  # rows with mistakes
    log_messages: float


def points_of_rows(rows: LabelledRows, fit_intercept: object) -> Points:
    """Rows of two classes as points; ValueError for others."""
    if len(rows.classes) > 2 or not np.all(rows.labels):
        raise ValueError("a plane is rebuilt from rows of two classes, and these have others")
    if not isinstance(fit_intercept, bool):
        raise ValueError("whether the planes are affine must be said by True or False")
    return Points(rows.design, rows.labels, fit_intercept, np.array(rows.classes))


def some_points(points: Points, kept: NDArray[np.int64]) -> Points:
    """Those of these rows, which must be some, in order."""
    if not kept.size or kept[0] < 0 or kept[-1] >= points.n_rows or np.any(np.diff(kept) <= 0):
        raise ValueError("the kept rows must be numbers of rows in rising order")
    return points._replace(design=as_design(matrix_of(points.design)[kept]), y=points.y[kept])


def perceptron_again(points: Points, form: str, order: str, seed: int, visits: int) -> RunAgain:
    """The run from zero with these settings until it ends by itself, or has visited so many rows."""
    if form not in FORMS or order not in ORDERS:
        raise ValueError(f"a perceptron of the form {form!r} cannot be rebuilt; these can: {', '.join(FORMS)}")
    if seed != 0 and order == "cyclic":
        raise ValueError("a run in the order of the rows draws nothing: its seed is 0")
    if not (0 <= visits <= MOST_VISITS and 0 <= seed <= MOST_SEED) or is_too_long(visits, points):
        raise ValueError("the run is too long to be run again")
    course = Course(False, order, 1.0, seed, np.zeros(points.n_columns), 0.0)
    runner = Runner(points, course, form=form, keeps_best=False)
    ending = runner.run(visits, MOST_VISITS)
    passes, rest = divmod(visits, points.n_rows)
    if runner.counts.visits != visits or (ending != kernels.ALL_RIGHT and rest):
        raise ValueError(f"the run does not end after {visits} visits")
    answer = answer_of(runner, form, 0)
    cost = passes_cost(0 if ending == kernels.ALL_RIGHT else passes)
    return RunAgain(answer.weights, answer.intercept, runner.wrong_rows()[0], cost)


def ends_of_widest_gap(points: Points, shares: Vector, w: Vector, b: float) -> tuple[float, float]:
    """The interval of the least norm of a plane of these points, which plane and shares prove; it must be narrow."""
    plane = separation_from(points, w, b)
    rows = np.arange(points.n_rows)
    if plane is None or (points.fit_intercept and np.unique(points.y).size < 2):
        raise ValueError("the plane does not separate the kept rows")
    if not all(is_convex_combination(shares[part]) for part in parts_of_one(points, rows, False)):
        raise ValueError("the shares of the kept rows are not >= 0 with the sum 1")
    low, high = norm_from_shares(points, rows, shares, False, 1.0), norm_from_plane(plane, False)
    _check_gap(1.0 - (low / high) ** 2)
    return low, high


def ends_of_minimum(
    points: Points, loss: str, l1: float, l2: float, w: Vector, b: float, dual: Vector | None
) -> tuple[float, float]:
    """The interval of the minimum over these points, which plane and dual variables prove; it must be narrow."""
    problem = EmpiricalRisk(points.design, points.y, loss, l1=l1, l2=l2, fit_intercept=points.fit_intercept)
    found = duality_gap(problem, LinearPoint(w, b, dual))
    _check_gap(found.relative_gap)
    return found.dual_value, found.objective


def _check_gap(gap: float) -> None:
    if not gap <= MOST_GAP:
        raise ValueError(f"the plane is not what the kept rows give: its relative gap there is {gap:.3g}")
