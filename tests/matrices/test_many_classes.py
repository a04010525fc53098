"""Every solver on many classes, with softmax and one class against the rest: certified at 1e-6, or refused."""

import numpy as np
import pytest

import empirisk as er
from empirisk.capabilities import tasks_of
from empirisk.losses import LOSSES
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.protocols import Unsupported
from empirisk.solvers import SOLVERS
from empirisk.vector_losses import OneVersusRest, Softmax
from tests.matrices.problems import FITTED
from tests.matrices.test_solvers_and_problems import REFUSED, SLOW, penalty_for

TOGETHER = ("newton", "lbfgs", "sdca", "fista", "composite_newton")  # those that take softmax
BASES = [name for name in FITTED if "classification" in tasks_of(LOSSES[name]())]
CORNERS = [(False, False), (True, True)]  # intercept, weights


def pose(loss, intercept, weighted, n=60, d=3, n_classes=3, **penalty):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.8)
    y = np.argmax(X @ np.eye(d, n_classes) + 0.5 * rng.normal(size=(n, n_classes)), axis=1)  # a column for each class
    s = rng.integers(0, 3, size=n).astype(float) if weighted else None
    return MulticlassRisk(X, y, n_classes, loss, sample_weight=s, fit_intercept=intercept, **penalty)


def check(problem, solver, refusal):
    if refusal is not None:
        with pytest.raises(Unsupported, match=refusal):
            er.minimize(problem, solver)
        return
    tol = SLOW.get(solver, 1e-6)
    solution = er.minimize(problem, solver, tol=tol, max_passes=3000)
    assert solution.certified, (solution.status, solution.certificate.relative_gap)
    assert solution.certificate.relative_gap <= tol
    assert solution.certificate.verify(problem, solution.point).holds
    assert solution.weights.shape == (3, 3)
    assert problem.fit_intercept or not np.any(solution.intercept)
    assert solution.reason


@pytest.mark.parametrize("weighted", [False, True], ids=["uniform", "weighted"])
@pytest.mark.parametrize("intercept", [False, True], ids=["through0", "intercept"])
@pytest.mark.parametrize("solver", ["auto", *SOLVERS])
def test_softmax(solver, intercept, weighted):
    refusal = None if solver in ("auto", *TOGETHER) else "has no form for softmax"
    check(pose(Softmax(1.0), intercept, weighted, l2=1e-2), solver, refusal)


@pytest.mark.parametrize(("intercept", "weighted"), CORNERS, ids=["through0-uniform", "intercept-weighted"])
@pytest.mark.parametrize("base", ["logistic", "hinge"])
@pytest.mark.parametrize("solver", SOLVERS)
def test_one_class_against_the_rest(solver, base, intercept, weighted):
    """What a solver refuses for two classes, it refuses here."""
    problem = pose(OneVersusRest(LOSSES[base]()), intercept, weighted, **penalty_for(solver))
    check(problem, solver, REFUSED.get((solver, base)))


@pytest.mark.parametrize(("intercept", "weighted"), CORNERS, ids=["through0-uniform", "intercept-weighted"])
@pytest.mark.parametrize("base", BASES)
def test_every_base(base, intercept, weighted):
    check(pose(OneVersusRest(LOSSES[base]()), intercept, weighted, l2=1e-2), "auto", None)


@pytest.mark.parametrize("l2", [0.0, 1e-2])
@pytest.mark.parametrize("solver", ["auto", *TOGETHER])
def test_softmax_under_l1(solver, l2):
    needs = {"newton": "needs l1 = 0", "lbfgs": "needs l1 = 0"} | ({} if l2 else {"sdca": "needs l2 > 0"})
    check(pose(Softmax(1.0), True, True, l1=0.02, l2=l2), solver, needs.get(solver))
