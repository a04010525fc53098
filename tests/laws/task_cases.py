"""Every operation that runs tasks over rows, as a case: a function of a setting whose rows live somewhere.

A case gives back all that the operation says; `tests/laws/test_tasks.py` compares its bytes between residences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

import empirisk as er
from empirisk.certificates import certify, refute
from empirisk.certificates.stationarity import stationarity
from empirisk.certificates.unattained import separating_point
from empirisk.losses import Logistic
from empirisk.models.scaling import scaling_of
from empirisk.problems import multiclass_passes, one_score_passes
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.moments import moments_of
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import (
    blank_scores,
    extrapolated_gradient,
    gradient,
    hessian,
    hessian_products,
    line_slope,
    loss_at,
    mean_row_norm,
    scores_at,
    shares,
    squared_column_norms,
    squared_row_norms,
    sum_of_rows,
    to_curvatures,
)
from empirisk.problems.units import units_of
from empirisk.rows import tiles, tree
from empirisk.rows.fingerprint import fingerprint_of
from empirisk.rows.vectors import (
    are_equal,
    nonzero_count,
    nonzero_rows,
    row_dot,
    row_max,
    row_sum,
    with_entries,
)
from empirisk.solvers import FISTA
from empirisk.solvers.linear_systems.multiclass_hessian import softmax_hessian, whole_direction
from empirisk.solvers.linear_systems.multiclass_preconditioner import mean_diagonal, preconditioner
from empirisk.solvers.smoothing.dual_proximal import begin
from empirisk.solvers.smoothing.envelope import Envelope, evaluate, first_strength, slope_along, unsettled
from empirisk.vector_losses import OneVersusRest, Softmax
from tests.own_losses import Plain, Welsch

N, D, CLASSES = 72, 3, 3
W, B = np.array([0.8, -0.5, 0.25]), 0.125
_draw = np.random.default_rng(7)
X = np.round(_draw.normal(size=(N, D)), 3)
X[_draw.random((N, D)) < 0.3] = 0.0
MIXED = np.where(X @ W + 0.5 * _draw.normal(size=N) > 0.0, 1.0, -1.0)
SEPARATED = np.where(X @ W + B > 0.0, 1.0, -1.0)
TARGETS = 3.0 * (X @ W) + _draw.normal(size=N)
NAMES = _draw.integers(0, CLASSES, N)
WEIGHTS = np.where(_draw.random(N) < 0.15, 0.0, _draw.uniform(0.5, 2.0, N))
WEIGHTS[0] = 1.0
WIDE = scipy.sparse.random_array((30, 80), density=0.05, rng=_draw, format="csr")


class Setting(NamedTuple):
    """How rows are stored, what counts, and where they live."""

    is_sparse: bool
    dtype: Any
    has_weights: bool
    fit_intercept: bool
    live: Callable[[Any], Any]  # from a matrix to rows

    def rows(self, X: Any = X) -> Any:
        stored = scipy.sparse.csr_array(X) if self.is_sparse else np.ascontiguousarray(X)
        return self.live(stored.astype(self.dtype))

    def common(self, l2: float) -> dict[str, Any]:
        weights = WEIGHTS if self.has_weights else None
        return {"sample_weight": weights, "fit_intercept": self.fit_intercept, "l2": l2}

    def one_score(self, loss: Any = "logistic", y: Any = MIXED, l2: float = 0.1, **more: Any) -> Any:
        return er.EmpiricalRisk(self.rows(), y, loss, **self.common(l2), **more)

    def classes(self, loss: Any = None, l2: float = 0.1, **more: Any) -> Any:
        return MulticlassRisk(self.rows(), NAMES, CLASSES, loss or Softmax(), **self.common(l2), **more)

    def x(self) -> Any:
        return np.append(W, B if self.fit_intercept else 0.0)

    def x_of_classes(self, d: int = D) -> Any:
        x = np.random.default_rng(3).normal(size=(d + 1, CLASSES))
        x[-1] = x[-1] - x[-1].mean() if self.fit_intercept else 0.0
        return x


Case = Callable[[Setting], Any]
CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    CASES[function.__name__] = function
    return function


def shrink(monkeypatch: Any) -> None:
    """Cells, leaves, blocks, tiles and ranges of classes so small that tiny data have several of each."""
    for place, name, value in (
        (tree, "CELL", 8),
        (tree, "COST_PER_LEAF", 8),
        (tree, "BLOCK_CELLS", 2),
        (one_score_passes, "COST_PER_LEAF", 8),
        (multiclass_passes, "CLASSES_AT_A_TIME", 2),
        (tiles, "TILE_ENTRIES", 30),
    ):
        assert hasattr(place, name)
        monkeypatch.setattr(place, name, value)


@case
def gradients(s: Setting) -> Any:
    problem = s.one_score()
    scores, other = blank_scores(problem, s.x()), blank_scores(problem, s.x())
    first = gradient(problem, s.x(), scores)
    return first, scores, extrapolated_gradient(problem, 0.5 * s.x(), 0.75, scores, other), other


@case
def losses_on_scores(s: Setting) -> Any:
    problem = s.one_score("squared_hinge")
    scores, change = scores_at(problem, s.x()), scores_at(problem, s.x()[::-1].copy())
    at = loss_at(problem, scores)
    sums = sum_of_rows(problem, at.slopes), line_slope(problem, scores, change, 0.5)
    duals = one_score_passes.implied_duals(problem, scores)
    return at, sums, duals, to_curvatures(problem, scores), shares(problem)


@case
def curvature(s: Setting) -> Any:
    problem = s.one_score()
    curvatures = to_curvatures(problem, scores_at(problem, s.x()))
    products = hessian_products(problem, curvatures)
    columns = squared_column_norms(problem, curvatures), squared_row_norms(problem), mean_row_norm(problem)
    return products.active_share, products.apply(s.x()), hessian(problem, curvatures), columns


@case
def products_that_visit_few_rows(s: Setting) -> Any:
    problem = s.one_score("squared_hinge")
    curvatures = to_curvatures(problem, scores_at(problem, 30.0 * s.x()))
    return hessian_products(problem, curvatures).apply(s.x())


@case
def moments(s: Setting) -> Any:
    problem = s.one_score("squared", TARGETS)
    found = moments_of(problem)
    return found, certify(problem, LinearPoint(W, evidence=found), 1.0).to_json()


@case
def units(s: Setting) -> Any:
    found = units_of(s._replace(live=lambda X: s.live(X * X.dtype.type(1024.0))).one_score("squared", 1e6 * TARGETS))
    assert found is not None
    return found[1:], found.problem.labels, gradient(found.problem, s.x(), found.problem.rows.blank())


@case
def copies(s: Setting) -> Any:
    problem = s.one_score()
    other = problem.with_weights(problem.rows.place(np.linspace(0.0, 1.0, N)))
    few = problem.with_rows(np.array([3, 50, 51, N - 1]))
    return other.weights, other.total_weight, gradient(few, s.x(), few.rows.blank())


@case
def fingerprints(s: Setting) -> Any:
    problem = s.one_score()
    return fingerprint_of(problem.rows, problem.labels, problem.weights)


@case
def row_vectors(s: Setting) -> Any:
    problem = s.one_score()
    rows, vector = problem.rows, one_score_passes.implied_duals(problem, scores_at(problem, s.x()))
    other = with_entries(rows, vector, np.array([0, 40, 41, N - 1]), np.array([0.0, 1.0, 2.0, -1.0]))
    numbers = row_sum(rows, vector), row_dot(rows, vector, other), row_max(rows, other), nonzero_count(rows, other)
    return numbers, other, nonzero_rows(rows, other), [are_equal(rows, vector, one) for one in (vector, other)]


@case
def gaps(s: Setting) -> Any:
    problems = s.one_score(), s.one_score("huber", TARGETS, l1=0.01), s.one_score(Plain(), TARGETS)
    return [certify(problem, LinearPoint.of(s.x())).to_json() for problem in problems]


@case
def gaps_with_dual_points(s: Setting) -> Any:
    problem = s.one_score("hinge")
    u = problem.rows.place(0.4 * MIXED)
    return certify(problem, LinearPoint(W, s.x()[-1], u)).to_json()


@case
def gaps_without_a_penalty(s: Setting) -> Any:
    return certify(s.one_score(l2=0.0), LinearPoint.of(s.x())).to_json()


@case
def slopes_of_what_is_not_convex(s: Setting) -> Any:
    return stationarity(s.one_score(Welsch(), TARGETS), LinearPoint.of(s.x()))


@case
def directions_without_end(s: Setting) -> Any:
    problem, point = s.one_score(y=SEPARATED, l2=0.0), LinearPoint.of(s.x())
    return separating_point(problem, point, 0.5), refute(problem, LinearPoint.of(0.1 * s.x()), 0.5, True)


@case
def envelopes(s: Setting) -> Any:
    problem = s.one_score("hinge")
    rows = problem.rows
    around = Envelope(rows.filled(0.0), 0.5)
    z, change, u, curvatures, changes = scores_at(problem, s.x()), shares(problem), *(rows.filled(0.25),) * 3
    u, curvatures, changes = (vector.copy() for vector in (u, curvatures, changes))
    sums = evaluate(problem, around, z, u, curvatures, changes)
    rest = unsettled(problem, 0.5, z, u, 0.1 * change), slope_along(problem, around, z, change, 0.3)
    return sums, u, curvatures, changes, rest, first_strength(problem)


@case
def smoothed_problems(s: Setting) -> Any:
    problem = s.one_score("hinge")
    state = begin(FISTA(), problem, problem.zero())
    return state.labels, state.u, state.gap


@case
def gradients_of_classes(s: Setting) -> Any:
    said = []
    for problem in (s.classes(), s.classes(OneVersusRest(Logistic()))):
        x = s.x_of_classes()
        scores, other = blank_scores(problem, x), blank_scores(problem, x)
        said.append((gradient(problem, x, scores), scores))
        said.append((extrapolated_gradient(problem, 0.5 * x, 0.75, scores, other), other))
    return said


@case
def losses_on_scores_of_classes(s: Setting) -> Any:
    problem, x = s.classes(), s.x_of_classes()
    scores, change = scores_at(problem, x), scores_at(problem, x[::-1].copy())
    at = loss_at(problem, scores)
    return at, sum_of_rows(problem, at.slopes), line_slope(problem, scores, change, 0.5), to_curvatures(problem, scores)


@case
def strongest_strengths(s: Setting) -> Any:
    found = [er.strongest(problem, of) for problem in (s.one_score("hinge"), s.classes()) for of in ("l1", "l2")]
    return [*found, er.strongest(s.one_score("squared", TARGETS))]


@case
def scales_of_columns(s: Setting) -> Any:
    problem = s.one_score()
    return scaling_of(problem.rows, problem.weights, center=True)


@case
def curvature_of_classes(s: Setting) -> Any:
    problem, x = s.classes(), s.x_of_classes()
    curvatures = to_curvatures(problem, scores_at(problem, x))
    product = hessian_products(problem, curvatures).apply(x)
    one = s.classes(OneVersusRest(Logistic()))
    of_one = to_curvatures(one, scores_at(one, x))
    kinds = [preconditioner(risk, bent).apply(x) for risk, bent in ((problem, curvatures), (one, of_one))]
    kinds.append(mean_diagonal(problem, curvatures).apply(x))
    return product, softmax_hessian(problem, curvatures), whole_direction(one, of_one, x), kinds


@case
def ranges_of_classes(s: Setting) -> Any:
    """A sum too wide for more than one leaf, of sparse rows."""
    rows = s._replace(is_sparse=True).rows(WIDE)
    problem, x = MulticlassRisk(rows, NAMES[:30], CLASSES, Softmax(), l2=0.1), s.x_of_classes(80)
    scores, other = blank_scores(problem, x), blank_scores(problem, x)
    at = gradient(problem, x, scores), extrapolated_gradient(problem, x, 0.75, scores, other)
    curvatures = to_curvatures(problem, scores)
    return at, other, hessian_products(problem, curvatures).apply(x), sum_of_rows(problem, curvatures)


@case
def gaps_of_classes(s: Setting) -> Any:
    x = s.x_of_classes()
    point = LinearPoint.of(x)
    found = [certify(s.classes(), point), certify(s.classes(l1=0.3, l2=0.0), point)]
    split = s.classes(OneVersusRest(Logistic()))
    alone = split.of_class(1)
    return [one.to_json() for one in (*found, certify(split, point))], alone.labels
