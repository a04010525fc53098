"""Signs of margins are those of rational numbers, whatever the filter of floats leaves to them."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse

from empirisk.separation.points import points_of
from empirisk.zero_one import recount


def exact_signs(X, y, w, b):
    found = []
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        score = sum((Fraction(x) * Fraction(v) for x, v in zip(row, w.tolist(), strict=True)), Fraction(b))
        found.append(int(label) * ((score > 0) - (score < 0)))
    return found


def columns(rng, n, kind):
    X = rng.normal(size=(n, 4))
    if kind == "ties":
        return rng.integers(-2, 3, (n, 4)) * [0.1, 1.0, 3.0, 0.7], np.array([0.1, -1.0, 1.0 / 3.0, 0.0]), 0.0
    if kind == "scales":
        return X * [1e200, 1e-200, 1.0, 1e8], np.array([1e-200, 1e200, 1.0, 1e-8]), 0.5
    if kind == "overflow":
        return X * 1e300, np.array([1e300, -1e300, 1.0, 0.0]), -1.0
    return X, np.array([0.3, -0.2, 1e-17, 2.0]), 0.1


@pytest.mark.parametrize("at_a_time", [8, 1 << 16], ids=["few rows at a time", "all rows"])
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("kind", ["plain", "ties", "scales", "overflow"])
def test_signs_are_exact(kind, is_sparse, at_a_time, monkeypatch):
    monkeypatch.setattr(recount, "AT_A_TIME", at_a_time)
    rng = np.random.default_rng(0)
    X, w, b = columns(rng, 41, kind)
    y = np.where(np.arange(41) % 2 == 0, 1.0, -1.0)
    points = points_of(scipy.sparse.csr_array(X) if is_sparse else X, y)
    assert recount.signs_of_margins(points, w, b).tolist() == exact_signs(X, y, w, b)
