"""What `er.verify` and `er.save` say where they are given something else than they take: a sentence that helps."""

import numpy as np
import pytest

import empirisk as er
from empirisk.protocols import Unsupported

X = np.random.default_rng(0).normal(size=(30, 2))
Y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
PROBLEM = er.EmpiricalRisk(X, Y)


@pytest.fixture(scope="module")
def solution():
    return er.minimize(PROBLEM)


@pytest.mark.parametrize("estimator", [er.LinearClassifier(), er.Perceptron(), er.ExactClassifier()], ids=str)
def test_an_estimator_that_is_not_fitted(estimator):
    with pytest.raises(Unsupported, match="is not fitted yet: call fit first"):
        er.verify(estimator, X, Y)


@pytest.mark.parametrize("estimator", [er.LinearClassifier(), er.Perceptron()], ids=str)
def test_a_model_is_verified_on_labelled_data(estimator):
    estimator.fit(X, Y)
    assert er.verify(estimator, X, Y).holds
    with pytest.raises(TypeError, match="verify needs y, the labels of the data"):
        er.verify(estimator, X)
    with pytest.raises(Unsupported, match="a model is verified on data"):
        er.verify(estimator, PROBLEM)


def test_a_solution_is_verified_on_its_problem(solution):
    assert er.verify(solution, PROBLEM).holds
    for data in ((), (X, Y)):
        with pytest.raises(Unsupported, match=r"verify\(solution, problem\)"):
            er.verify(solution, *data)


def test_what_is_no_file_of_its_own(solution, tmp_path):
    with pytest.raises(TypeError, match="save the fitted estimator or model that holds it"):
        er.save(solution.certificate, tmp_path / "c")
    with pytest.raises(TypeError, match="call fit first"):
        er.save(solution, tmp_path / "c")
    with pytest.raises(TypeError, match="save its certificate"):
        er.save(er.perceptron(X, Y), tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_a_penalty_in_python_gives_plain_numbers():
    found = er.minimize(er.EmpiricalRisk(X, Y, l2=0.0, regularizer=er.regularizers.group_lasso([[0, 1]], 0.05)))
    assert type(found.certified) is bool
    assert type(found.certificate.gap) is type(found.certificate.dual_value) is float


def test_a_run_without_a_bound_names_the_verdict():
    X, y = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]], [0, 0, 1, 1]
    run = er.perceptron(X, y, max_passes=5)
    assert run.certificate is None
    said = r"this PerceptronRun has no certificate to verify \(.*\); its verdict is one: verify\(found.verdict, X, y\)"
    with pytest.raises(Unsupported, match=said):
        er.verify(run, X, y)
    assert er.verify(run.verdict, X, y).holds
    with pytest.raises(Unsupported, match=r"this PerceptronRun has no certificate to verify \([^;]*\)$"):
        er.verify(run._replace(verdict=None), X, y)
