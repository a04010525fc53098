"""The exact verdict on few points, against every subset of them tried."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.separation.conflicts.minimal_conflict import Conflict, exact_verdict
from empirisk.separation.inseparability import inseparability_of
from empirisk.separation.points import points_of
from empirisk.separation.points_as_integers import exact_margins
from tests.separation.oracles import exact_points, is_minimal_conflict, is_separable


@pytest.mark.parametrize("is_scaled", [False, True])
@given(seed=st.integers(0, 2**32))
def test_verdict_equals_that_of_all_subsets(is_scaled, seed):
    rng = np.random.default_rng(seed)
    n, d, fit_intercept = rng.integers(2, 8), rng.integers(1, 4), bool(rng.integers(2))
    X = rng.integers(-3, 4, size=(n, d)).astype(float) if rng.integers(2) else rng.normal(size=(n, d))
    X = X * 2.0 ** rng.integers(-40, 41, size=d) if is_scaled else X
    y = np.append([-1, 1], rng.choice([-1, 1], size=n - 2))
    points = points_of(scipy.sparse.csr_array(X) if rng.integers(2) else X, y, fit_intercept)
    verdict = exact_verdict(points, range(n))
    assert verdict is not None
    if is_separable(X, y, fit_intercept):
        assert not isinstance(verdict, Conflict)
        *w, b = verdict.parts(d + 1, 1)[0].tolist()
        assert min(exact_margins(points, range(n), w, b)) > 0
    else:
        assert isinstance(verdict, Conflict)
        assert is_minimal_conflict([exact_points(X, y, fit_intercept)[i] for i in verdict.rows])
        assert er.verify(inseparability_of(points, verdict), X, y).holds


def test_too_much_work_is_not_done():
    rng = np.random.default_rng(0)
    points = points_of(rng.normal(size=(60, 30)), [1, -1] * 30)
    assert exact_verdict(points, range(60), most_work=1000) is None
