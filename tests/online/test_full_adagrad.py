"""AdaGrad with a full matrix is its formula, and both AdaGrads know the best regularizer of their family."""

from __future__ import annotations

import math

import cvxpy
import numpy as np
import pytest

import empirisk as er
from empirisk.capabilities import MOST_FACTORED
from empirisk.online import best_regularizer
from empirisk.protocols import Unsupported
from tests.online.games import rows

pytestmark = pytest.mark.interpreted


def test_it_is_the_formula():
    X, y, s = rows("heavy", n=40)
    run = er.online.learn(X[:0], y[:0], "full_adagrad:alpha=0.4")
    found = run.learn(X, y, s)
    H, w, gradients = np.zeros((5, 5)), np.zeros(5), []
    for k in range(40):
        x = np.append(X[k], 1.0)
        assert found[k] == pytest.approx(x @ w, rel=1e-9, abs=1e-10)
        if s[k] > 0.0:
            gradients.append(-s[k] * y[k] * x / (1.0 + math.exp(y[k] * found[k])))
            H += np.outer(gradients[-1], gradients[-1])
            values, vectors = np.linalg.eigh(H)
            kept = values > 1e-14 * values[-1]
            part = vectors[:, kept]
            w = w - 0.4 * part @ (part.T @ gradients[-1] / np.sqrt(values[kept]))
    np.testing.assert_allclose(run.point().stacked(), w, rtol=1e-9)
    check_best(run, np.array(gradients))


def check_best(run, gradients):
    """No Q of the family has a smaller sum; CVXPY finds that of ours."""
    best, d = best_regularizer(run), gradients.shape[1]
    is_full = best.regularizer.ndim == 2
    Q = best.regularizer if is_full else np.diag(best.regularizer)
    assert np.trace(Q) == pytest.approx(1.0)
    assert np.einsum("ki,ij,kj", gradients, np.linalg.inv(Q), gradients) == pytest.approx(best.cost, rel=1e-8)
    values, vectors = np.linalg.eigh(gradients.T @ gradients)
    factor = vectors * np.sqrt(np.maximum(values, 0.0))
    trial = cvxpy.Variable((d, d), PSD=True) if is_full else cvxpy.diag(cvxpy.Variable(d, nonneg=True))
    total = sum(cvxpy.matrix_frac(factor[:, e], trial) for e in range(d))
    problem = cvxpy.Problem(cvxpy.Minimize(total), [cvxpy.trace(trial) == 1.0])
    assert problem.solve(solver=cvxpy.CLARABEL) == pytest.approx(best.cost, rel=1e-5)


def test_the_best_diagonal_of_adagrad():
    X, y, _ = rows("random", n=30)
    run = er.online.learn(X[:0], y[:0], "adagrad", fit_intercept=False)
    z = run.learn(X, y)
    check_best(run, (-y / (1.0 + np.exp(y * z)))[:, None] * X)


def test_where_there_is_no_best_regularizer():
    X, y, _ = rows("random", n=5)
    with pytest.raises(Unsupported, match="adagrad or full_adagrad"):
        best_regularizer(er.online.learn(X, y, "gradient_descent"))
    with pytest.raises(ValueError, match="zero"):
        best_regularizer(er.online.learn(0.0 * X, y, "full_adagrad", fit_intercept=False))


def test_bad_input():
    with pytest.raises(Unsupported, match=f"at most {MOST_FACTORED} columns"):
        er.online.learn(np.zeros((1, MOST_FACTORED + 1)), [1.0], "full_adagrad")
    with pytest.raises(ValueError, match="alpha"):
        er.online.as_learner("full_adagrad:alpha=0")
    X, y = np.full((9, 2), 1e153), np.where(np.arange(9) % 2, 1.0, -1.0)
    with pytest.raises(er.online.Overflowed, match="row"):
        er.online.learn(X, y, "full_adagrad", loss="squared")
