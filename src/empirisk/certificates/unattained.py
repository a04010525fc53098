"""The certificate that there is no minimiser: a direction along which the objective falls forever."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import NDArray

from empirisk.arithmetic import SMALLEST, UNIT, norm
from empirisk.arithmetic.linear_programs import solve_linear_program
from empirisk.capabilities import is_quadratic, name_of, offers
from empirisk.certificates.fields import array_of, check_names, count_of, number_of, number_text, text_of
from empirisk.certificates.registry import register
from empirisk.certificates.verification import OTHER_POINT, OTHER_PROBLEM, digest
from empirisk.designs import matrix_of
from empirisk.losses.on_vectors import values_and_slopes
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import hessian, risk_gradient
from empirisk.protocols import Headline, Vector, Verification, Words
from empirisk.rows.protocol import RowBlock
from empirisk.rows.row_kernels import measure_rows, squared_norms

DENOMINATORS = (1, 12, 5040)  # of the fractions to which a direction is rounded: zero margins must be exact
BOUND = 1e3  # times the norm of the gradient, above which the pull of a row says that it stays where it is
NULL = 1e-11  # of the largest eigenvalue
MOST_COLUMNS = 2000  # for which the null space is computed


@register
class UnattainedInfimum(NamedTuple):
    """The infimum is not attained: along the direction no loss rises, and at least one falls forever.

    The direction (d, e) has y_i (<d, x_i> + e) >= 0 for every example and > 0 for some. The loss falls in its margin
    without end (logistic, exponential) and nothing penalises the weights, so P(w + t d, b + t e) strictly falls as t
    grows, from any point: no point is a minimiser. Strict separation makes the infimum that of the loss itself.
    """

    objective: float  # at the point where the run stopped
    n_positive: int  # examples with a positive margin along the direction
    n_zero: int
    direction: Vector  # d, and e as the last entry
    subject: str = ""

    @property
    def gap(self) -> float:
        """Unknown, as there is no minimum."""
        return math.inf

    @property
    def relative_gap(self) -> float:
        """Unknown, as there is no minimum."""
        return math.inf

    @property
    def scale(self) -> float:
        """That of the objective."""
        return abs(self.objective)

    def is_within(self, tol: float) -> bool:
        """Never: there is nothing to be close to."""
        return False

    def is_rounding_only(self) -> bool:
        """Never."""
        return False

    def about(self, point: LinearPoint) -> UnattainedInfimum:
        """The same certificate, bound to this point."""
        return self._replace(subject=digest(point))

    def with_evidence(self, point: LinearPoint) -> LinearPoint:
        """The point itself: the direction says all."""
        return point._replace(evidence=None)

    def sentence(self) -> str:
        """The claim in words."""
        kind = "separates all examples" if self.n_zero == 0 else f"separates {self.n_positive}, none on the wrong side"
        return (
            f"There is no minimiser: a plane {kind}, so the objective falls forever along its direction "
            f"({self.objective:.6g} where the run stopped). Set l1 or l2 above 0, or a constraint."
        )

    def words(self, tol: float) -> Words:
        """Why there is nothing to be close to."""
        return Words(
            meaning="Fitting a model is a search for the weights that make one number, the objective, as small as it "
            "can be. Here there are no such weights: a plane has every row on its right side (or exactly on it), and "
            "making the weights longer along it lowers the objective, for as long as one goes on. The certificate is "
            "that plane. The weights are those at which the search was stopped; they separate the rows, but their "
            "size means nothing.",
            headline=(
                Headline("Objective reached", self.objective, "it falls forever"),
                Headline("Relative gap", "none", "there is no minimum"),
            ),
            checked="the margins of the plane",
            shortfall=f"there is no minimum to be close to, and the objective had come to {self.objective:.3g}",
        )

    def verify(self, problem: EmpiricalRisk, point: LinearPoint) -> Verification:
        """Recompute every margin of the direction, those near zero in exact arithmetic."""
        if not isinstance(problem, EmpiricalRisk) or not isinstance(point, LinearPoint):
            return OTHER_PROBLEM
        if self.subject != digest(point):
            return OTHER_POINT
        d = problem.rows.n_columns
        said = ""
        if not may_recede(problem):
            said = "The objective of this problem has a minimiser."
        elif self.direction.shape != (d + 1,) or not np.all(np.isfinite(self.direction)):
            said = "The direction does not have the columns of these data."
        elif self.direction[-1] != 0.0 and not problem.fit_intercept:
            said = "The direction moves an intercept, in a problem without one."
        elif point.weights.shape != (d,):
            said = "The weights do not fit the problem."
        if said:
            return Verification(False, said)
        objective = risk_gradient(problem, point.stacked(), problem.rows.blank()).objective
        if not abs(objective - self.objective) <= 1e-9 * abs(objective):
            said = f"The recomputed objective {objective:.12g} is not the claimed {self.objective:.12g}."
            return Verification(False, said)
        counts = _count_margins(problem, self.direction)
        if counts != (self.n_positive, self.n_zero) or self.n_positive < 1:
            return Verification(False, "The direction has other margins on these data.")
        said = f"Recomputed from the data: no margin is negative, {self.n_positive} are positive, {self.n_zero} zero."
        return Verification(True, said, {"n_positive": counts[0], "n_zero": counts[1]})

    def to_json(self) -> dict[str, Any]:
        """The numbers; the direction is in `arrays`."""
        numbers = {"objective": number_text(self.objective), "n_positive": self.n_positive, "n_zero": self.n_zero}
        return {"kind": name_of(self), **numbers, "subject": self.subject}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The direction."""
        return {"direction": self.direction}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> UnattainedInfimum:
        """What `to_json` and `arrays` gave."""
        check_names(cls, data, ("objective", "n_positive", "n_zero", "subject"), arrays, ("direction",))
        counts = count_of(data, "n_positive"), count_of(data, "n_zero")
        direction = array_of(arrays, "direction", least=2)
        return cls(number_of(data, "objective"), *counts, direction, text_of(data, "subject"))


def may_recede(problem: EmpiricalRisk) -> bool:
    """Whether the objective may fall forever: the loss does, and nothing holds the weights."""
    loss, regularizer = problem.loss, problem.regularizer
    recedes = offers(loss, "recedes") and bool(loss.recedes())
    return recedes and is_quadratic(regularizer) and regularizer.strong_convexity() == 0.0


def separating_point(problem: EmpiricalRisk, point: LinearPoint, objective: float) -> UnattainedInfimum | None:
    """The certificate whose direction is the point itself, where that separates every example; one pass."""
    if not np.any(point.weights):
        return None
    return _certificate(problem, np.append(point.weights, point.intercept), objective)


def receding_direction(problem: EmpiricalRisk, point: LinearPoint, objective: float) -> UnattainedInfimum | None:
    """Search for a direction where one may still be: among those that leave the scores of the bound rows alone.

    Near the infimum sum_i s_i |u_i| y_i x_i is nearly zero, so a row with a sizeable u_i has margin zero along every
    receding direction. The null space of those rows is nothing, as a rule; else a linear program maximises the margins
    of the others there, each kept in [0, 1]. None where there is none, where there are too many columns, or where no
    rounding of the answer has margins that are exactly zero or positive.
    """
    d = problem.rows.n_columns
    if d > MOST_COLUMNS:
        return None
    data, is_bound = problem.rows, problem.rows.blank()
    scores = data.blank()
    at = risk_gradient(problem, point.stacked(), scores)
    least = BOUND * math.hypot(norm(at.weights), at.intercept)
    args, given = (problem.loss, 1.0 / problem.total_weight, least), (problem.labels, problem.weights, scores)
    free = np.concatenate(data.each(_free_rows, *args, rows=given, writes=(is_bound,)))
    gram = hessian(problem, is_bound)
    if not np.all(np.isfinite(gram)):
        return None
    basis = _null_space(gram)
    if free.size == 0 or basis.shape[1] == 0:
        return None
    rows = matrix_of(data.take(free))
    rows = np.asarray(rows.toarray() if scipy.sparse.issparse(rows) else rows, dtype=np.float64)
    rows = np.column_stack([rows, np.ones(free.size)]) if problem.fit_intercept else rows
    margins = data.pick(problem.labels, free)[:, None] * (rows @ basis)
    found = solve_linear_program(
        -margins.sum(axis=0),
        A_ub=np.vstack([margins, -margins]),
        b_ub=np.append(np.ones(free.size), np.zeros(free.size)),
        bounds=(None, None),
        method="highs",
    )
    if found.status != 0 or not -found.fun > 1e-7:
        return None
    direction = basis @ found.x
    direction /= np.max(np.abs(direction))
    candidates = [[float(Fraction(x).limit_denominator(k)) for x in direction.tolist()] for k in DENOMINATORS]
    for candidate in (*map(np.array, candidates), direction):
        complete = candidate if problem.fit_intercept else np.append(candidate, 0.0)
        certificate = _certificate(problem, complete, objective)
        if certificate is not None:
            return certificate
    return None


def _null_space(gram: NDArray[np.float64]) -> NDArray[np.float64]:
    """An orthogonal basis of the directions in which a Gram matrix (its lower triangle) vanishes."""
    scale = np.sqrt(np.maximum(np.diagonal(gram), np.finfo(float).tiny))
    unit = np.where(scale > 1e-150, scale, 1.0)
    values, vectors = scipy.linalg.eigh(gram / np.outer(unit, unit), lower=True)
    return vectors[:, values <= NULL * max(1.0, values[-1])] / unit[:, None]


def _certificate(problem: EmpiricalRisk, direction: Vector, objective: float) -> UnattainedInfimum | None:
    positive, zero = _count_margins(problem, direction)
    return UnattainedInfimum(objective, positive, zero, direction) if positive > 0 else None


def _count_margins(problem: EmpiricalRisk, direction: Vector) -> tuple[int, int]:
    """Rows with a positive and with a zero margin; (0, 0) as soon as one is negative. Exact."""
    parts = problem.rows.each(_margins_of_block, direction, rows=(problem.labels, problem.weights))
    if any(part is None for part in parts):
        return 0, 0
    positive, zero = np.sum(parts, axis=0).tolist()
    return positive, zero


def _margins_of_block(block: RowBlock, direction: Vector, y: Vector, weights: Vector) -> tuple[int, int] | None:
    """The same for a block; None as soon as one is negative."""
    measured = np.empty((4, y.size))
    with np.errstate(all="ignore"):
        measure_rows(block.design, direction[:-1], measured)
    scores, reaches, _, sizes = measured
    with np.errstate(all="ignore"):  # what overflows is decided in exact arithmetic
        margins, counts = y * (scores + direction[-1]), sizes + 3.0
        offs = 1.01 * counts * UNIT * (reaches + abs(direction[-1])) + counts * SMALLEST
    is_present = weights > 0.0 if weights.size else np.ones(y.size, dtype=np.bool_)
    if np.any(is_present & (margins < -offs)):
        return None
    is_clear = margins > offs
    positive, zero = int(np.count_nonzero(is_present & is_clear)), 0
    matrix, exact = matrix_of(block.design), [Fraction(x) for x in direction.tolist()]
    for i in np.flatnonzero(is_present & ~is_clear).tolist():
        margin = int(y[i]) * _exact_score(matrix, i, exact)
        if margin < 0:
            return None
        positive, zero = positive + (margin > 0), zero + (margin == 0)
    return positive, zero


def _free_rows(
    block: RowBlock,
    loss: Any,
    scale: float,
    least: float,
    y: Vector,
    weights: Vector,
    scores: Vector,
    is_bound: Vector,
) -> NDArray[np.int64]:
    """Write 1 for rows whose pull s_i |u_i| ||(x_i, 1)|| exceeds the least, else 0; the others that have weight."""
    values, slopes, squares = np.empty((3, y.size))
    values_and_slopes(loss, scores, y, values, slopes)
    squared_norms(block.design, squares)
    pulls = (scale * weights if weights.size else scale) * np.abs(slopes) * np.sqrt(1.0 + squares)
    is_bound[:] = pulls > least
    return np.flatnonzero((is_bound == 0.0) & (weights > 0.0 if weights.size else True)) + block.first


def _exact_score(matrix: Any, i: int, direction: list[Fraction]) -> Fraction:
    if scipy.sparse.issparse(matrix):
        start, stop = matrix.indptr[i], matrix.indptr[i + 1]
        columns, values = matrix.indices[start:stop].tolist(), matrix.data[start:stop].tolist()
    else:
        columns, values = range(matrix.shape[1]), matrix[i].tolist()
    return direction[-1] + sum(
        (Fraction(x) * direction[j] for j, x in zip(columns, values, strict=True) if direction[j]), Fraction(0)
    )
