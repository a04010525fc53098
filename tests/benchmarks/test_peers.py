"""Every peer minimises our objective: the point of its strictest setting has our minimum, evaluated by us."""

import warnings

import numpy as np
import pytest

import empirisk as er
from benchmarks import peers
from benchmarks.data_sets import DataSet
from benchmarks.huber_scale import EPSILON, huber_scale
from benchmarks.objective import Objective, largest_l1
from benchmarks.peers.ours import problem_of

pytestmark = pytest.mark.interpreted

RNG = np.random.default_rng(0)
X = RNG.standard_normal((120, 6)) * (RNG.random((120, 6)) < 0.7)
SCORES = X @ RNG.standard_normal(6)
CLASSES = DataSet("classes", X, np.where(SCORES + RNG.standard_normal(120) > 0.0, 1.0, -1.0))
TARGETS = DataSet("targets", X, SCORES + RNG.standard_normal(120))
OBJECTIVES = [
    *((CLASSES, Objective(loss, l2=0.1)) for loss in ("logistic", "squared_hinge", "hinge")),
    *((CLASSES, Objective(loss, l1=0.02)) for loss in ("logistic", "squared_hinge")),
    (TARGETS, Objective("squared", l1=0.02)),
    (TARGETS, Objective("squared", l2=0.1)),
    (TARGETS, Objective(f"huber:delta={EPSILON * huber_scale(X, TARGETS.y, 0.1, False)!r}", l2=0.1)),
    (TARGETS, Objective("quantile:level=0.3", fit_intercept=True)),
]
SOLVERS, _ = peers.available()
# skglm compiles for half a minute; the race itself checks every point that it returns.
QUICK = [one for one in SOLVERS.values() if one.compiling is None and one.peer != peers.OURS]
PAIRS = [(solver, *pair) for solver in QUICK for pair in OBJECTIVES if solver.refusal(pair[1], 6) is None]


def minimum(data: DataSet, objective: Objective) -> float:
    solution = er.minimize(problem_of(data.X, data.y, objective), tol=1e-8, max_passes=5000)
    return solution.objective


@pytest.mark.parametrize(
    ("solver", "data", "objective"), PAIRS, ids=[f"{one.label}, {objective.kind}" for one, _, objective in PAIRS]
)
def test_a_peer_minimises_our_objective(solver, data, objective):
    for representation in solver.representations:
        prepared = solver.prepare(data.rows(representation), data.y, objective)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            point, _ = solver.fit(prepared, {**solver.ladders[-1][-1], **solver.variants[0]})
        value = objective.value(data, np.asarray(point).squeeze())
        assert value == pytest.approx(minimum(data, objective), rel=1e-4)


def test_the_largest_l1_is_the_least_whose_minimiser_is_zero():
    for loss, data in (("logistic", CLASSES), ("squared_hinge", CLASSES), ("squared", TARGETS)):
        largest = largest_l1(loss, data)
        for factor, is_zero in ((1.001, True), (0.99, False)):
            problem = er.EmpiricalRisk(X, data.y, loss, l1=factor * largest, l2=0.0, fit_intercept=False)
            weights = er.minimize(problem, tol=1e-9).weights
            assert bool(np.all(np.abs(weights) < 1e-12)) == is_zero
