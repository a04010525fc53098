"""Newton's method with l1 for many classes: few passes on columns of any scale."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import load_iris, load_wine

import empirisk as er
from empirisk.losses import Hinge, SquaredHinge
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.protocols import Unsupported
from empirisk.selection import choose
from empirisk.vector_losses import OneVersusRest, Softmax

LOSSES = {
    "softmax": (Softmax(1.0), ("composite_newton",)),
    "squared_hinge": (OneVersusRest(SquaredHinge(1.0)), ("composite_newton", "coordinate_descent")),
    "hinge": (OneVersusRest(Hinge(1.0)), ("smoothed_newton",)),
}


@pytest.mark.parametrize("load", [load_iris, load_wine], ids=["iris", "wine"])
@pytest.mark.parametrize("name", LOSSES)
def test_raw_columns(name, load):
    (X, y), (loss, solvers) = load(return_X_y=True), LOSSES[name]
    problem = MulticlassRisk(X, y, 3, loss, l1=1e-3, l2=1e-6)
    found = er.minimize(problem)
    assert found.solver in solvers
    assert found.certified
    assert found.passes <= (200 if name == "hinge" else 60)
    assert found.certificate.verify(problem, found.point).holds


@pytest.mark.parametrize("intercept", [False, True], ids=["through0", "intercept"])
def test_softmax_agrees_with_fista(intercept):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5)) * (rng.random((120, 5)) < 0.6)
    y = np.argmax(X[:, :4] + rng.normal(size=(120, 4)), axis=1)
    s = rng.integers(0, 3, size=120).astype(float)
    problem = MulticlassRisk(
        scipy.sparse.csr_array(X), y, 4, Softmax(2.0), l1=0.02, l2=1e-3, sample_weight=s, fit_intercept=intercept
    )
    ours, other = (er.minimize(problem, solver, tol=1e-10) for solver in ("composite_newton", "fista"))
    assert ours.certified
    assert ours.passes < other.passes
    np.testing.assert_allclose(ours.weights, other.weights, atol=1e-5)
    np.testing.assert_array_equal(ours.weights == 0.0, other.weights == 0.0)
    assert abs(ours.intercept.sum()) <= 1e-9


def test_classes_are_those_of_two_class_problems():
    X, y = load_iris(return_X_y=True)
    problem = MulticlassRisk(X, y, 3, OneVersusRest(SquaredHinge(1.0)), l1=1e-2, l2=1e-3)
    together = er.minimize(problem, "composite_newton", tol=1e-9)
    for j in range(3):
        alone = er.minimize(problem.of_class(j), "composite_newton", tol=1e-9)
        np.testing.assert_allclose(together.weights[j], alone.weights, atol=1e-5)
        assert together.certificate.gaps[j].objective == pytest.approx(alone.objective, rel=1e-8)


def test_classes_one_after_the_other_where_one_class_has_a_better_choice():
    X, y = load_iris(return_X_y=True)
    fitted = er.LinearClassifier(loss="squared_hinge", l1=1e-3).fit(X, y)
    assert fitted.solution_.certified
    assert fitted.solution_.reason.endswith("class by class.")


def test_softmax_has_no_smoothed_form():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(Unsupported, match="solver 'smoothed_newton' has no form for softmax"):
        choose(MulticlassRisk(X, y, 3, Softmax(1.0), l1=0.1), "smoothed_newton")
