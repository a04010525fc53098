"""The forward algorithm is what its formula says."""

from __future__ import annotations

import numpy as np
import pytest

import empirisk as er
from tests.online.games import KINDS, rows

pytestmark = pytest.mark.interpreted


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_formula(kind):
    X, y, s = rows(kind, n=40)
    run = er.online.learn(X[:0], y[:0], "forward_ridge:lam=0.3", loss="squared")
    found = run.learn(X, 2.0 * y, s)
    dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=float)
    rows_, weights = np.column_stack([dense, np.ones(40)]), np.ones(40) if s is None else s
    A, pull = 0.3 * np.eye(5), np.zeros(5)
    points = []
    for i in range(40):
        A += weights[i] * np.outer(rows_[i], rows_[i])
        w = np.linalg.solve(A, pull)
        assert found[i] == pytest.approx(rows_[i] @ w, rel=1e-7, abs=1e-9)
        pull += weights[i] * 2.0 * y[i] * rows_[i]
        points += [w] if weights[i] > 0.0 else []
    np.testing.assert_allclose(run.average().stacked(), np.mean(points, axis=0), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(run.point().stacked(), np.linalg.solve(A, pull), rtol=1e-6, atol=1e-8)
