"""Every loss under l1, l2 and each constraint: certified at 1e-6 by the solver auto takes, as a conic solver says."""

import numpy as np
import pytest

import empirisk as er
from tests.matrices.conic import minimum
from tests.matrices.problems import FITTED, data

STRENGTHS = [(0.0, 0.0), (0.0, 0.02), (0.02, 0.0), (0.02, 0.02)]
# Without anything that holds the weights these have no minimiser or are least at zero: tests of their own.
UNHELD = {"perceptron"}


@pytest.mark.parametrize("intercept", [False, True], ids=["through0", "intercept"])
@pytest.mark.parametrize(("l1", "l2"), STRENGTHS, ids=["none", "l2", "l1", "elastic"])
@pytest.mark.parametrize("loss", FITTED)
def test_penalties(loss, l1, l2, intercept):
    X, y, s = data(loss, n=60, d=4)
    problem = er.EmpiricalRisk(X, y, loss, l1=l1, l2=l2, sample_weight=s, fit_intercept=intercept)
    solution = er.minimize(problem, tol=1e-6, max_passes=5000)
    assert solution.certified, (solution.solver, solution.status, solution.certificate.relative_gap)
    assert solution.certificate.verify(problem, solution.point).holds
    # Only where nothing bounds the minimisers does the claim need a radius.
    assert np.isfinite(solution.certificate.weights_radius) == (l1 == l2 == 0.0 and loss not in UNHELD)
    least = minimum(loss, X, y, s, l1, l2, intercept)
    slack = 1e-5 * max(abs(least), 0.1)
    assert -slack <= solution.objective - least <= solution.certificate.gap + slack


@pytest.mark.parametrize(
    "constraint", ["l2_ball:radius=0.5", "l1_ball:radius=0.5", "simplex", "box", "box:low=-0.2,high=0.3"]
)
@pytest.mark.parametrize("loss", FITTED)
def test_constraints(loss, constraint):
    X, y, s = data(loss, n=60, d=4)
    for l1, l2 in STRENGTHS:
        problem = er.EmpiricalRisk(X, y, loss, l1=l1, l2=l2, constraint=constraint, sample_weight=s)
        solution = er.minimize(problem, tol=1e-6, max_passes=5000)
        assert solution.certified, (l1, l2, solution.solver, solution.status, solution.certificate.relative_gap)
        assert problem.regularizer.value(solution.weights) < np.inf
        assert solution.certificate.verify(problem, solution.point).holds
        least = minimum(loss, X, y, s, l1, l2, True, constraint)
        slack = 1e-5 * max(abs(least), 0.1)
        assert -slack <= solution.objective - least <= solution.certificate.gap + slack


OTHERS = {
    "half_space": {"l2": 0.02, "constraint": er.HalfSpace(np.array([1.0, 2.0, -1.0, 0.5]), -1.0)},
    "half_space_alone": {"l2": 0.0, "constraint": er.HalfSpace(np.array([1.0, 2.0, -1.0, 0.5]), -1.0)},
    "entropy": {"l2": 0.0, "regularizer": er.NegativeEntropy(0.1), "constraint": "simplex"},
    "groups": {"l2": 0.02, "regularizer": er.group_lasso([[0, 3], [1, 2]], 0.05)},
    "groups_alone": {"l2": 0.0, "regularizer": er.group_lasso([[0, 3], [1, 2]], 0.05)},
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("loss", ["logistic", "hinge", "huber"])
def test_other_regularizers(loss, name):
    options = OTHERS[name]
    X, y, s = data(loss, n=60, d=4)
    problem = er.EmpiricalRisk(X, y, loss, sample_weight=s, **options)
    solution = er.minimize(problem, tol=1e-6, max_passes=5000)
    assert solution.certified, (solution.solver, solution.status, solution.certificate.relative_gap)
    assert solution.certificate.verify(problem, solution.point).holds
    least = minimum(loss, X, y, s, 0.0, options["l2"], True, name)
    slack = 1e-5 * max(abs(least), 0.1)
    assert -slack <= solution.objective - least <= solution.certificate.gap + slack
