"""The same problem by scikit-learn: C = 1 / (n l2) and alpha = n l2. The objective is recomputed here, in NumPy."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC

from empirisk import LinearClassifier, LinearRegressor

pytestmark = pytest.mark.compiled

RANDOM = np.random.default_rng(4)
N, L2 = 300, 1e-2
X = RANDOM.standard_normal((N, 6)) * np.geomspace(0.3, 3.0, 6) + 0.5
TARGET = X @ RANDOM.standard_normal(6) + RANDOM.standard_normal(N)
SIGNS = np.where(TARGET + RANDOM.standard_normal(N) > np.median(TARGET), 1.0, -1.0)

LOSSES = {
    "logistic": lambda z: np.logaddexp(0.0, -SIGNS * z),
    "squared_hinge": lambda z: np.maximum(0.0, 1.0 - SIGNS * z) ** 2,
    "hinge": lambda z: np.maximum(0.0, 1.0 - SIGNS * z),
    "squared": lambda z: 0.5 * (z - TARGET) ** 2,
}


def objective(loss, model):
    w, b = np.ravel(model.coef_), float(np.squeeze(model.intercept_))
    return np.mean(LOSSES[loss](X @ w + b)) + 0.5 * L2 * w @ w


def assert_no_worse(loss, ours, theirs):
    found = objective(loss, ours)
    assert found == pytest.approx(ours.certificate_.objective, rel=1e-12)
    # The certificate is a promise about every other point, theirs included.
    assert found - ours.certificate_.gap <= objective(loss, theirs)
    assert found <= objective(loss, theirs) * (1.0 + 1e-9)


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "sdca"])
def test_logistic_regression(solver):
    theirs = LogisticRegression(C=1.0 / (N * L2), tol=1e-10, max_iter=10_000).fit(X, SIGNS)
    ours = LinearClassifier(l2=L2, tol=1e-10, solver=solver).fit(X, SIGNS)
    assert_no_worse("logistic", ours, theirs)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("solver", ["newton", "lbfgs", "sdca"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_ridge(solver, fit_intercept):
    theirs = Ridge(alpha=N * L2, fit_intercept=fit_intercept).fit(X, TARGET)
    ours = LinearRegressor(l2=L2, tol=1e-10, solver=solver, fit_intercept=fit_intercept).fit(X, TARGET)
    assert_no_worse("squared", ours, theirs)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-3)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_support_vector_machine(loss):
    """Without an intercept: LinearSVC penalises it."""
    theirs = LinearSVC(C=1.0 / (N * L2), loss=loss, fit_intercept=False, tol=1e-9, max_iter=100_000, random_state=0)
    theirs.fit(X, SIGNS)
    ours = LinearClassifier(loss=loss, l2=L2, tol=1e-9, max_passes=10_000, fit_intercept=False).fit(X, SIGNS)
    assert_no_worse(loss, ours, theirs)
