"""Fits on data of several leaves, as machine code: the law of tasks has smaller cells."""

import numpy as np
import pytest
import scipy.sparse

import empirisk as er


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("solver", ["newton", "lbfgs", "sdca"])
def test_the_same_bytes_for_any_number_of_threads(wrap, solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80_000, 12))
    y = np.where(X[:, 0] + rng.normal(size=80_000) > 0, 1.0, -1.0)
    answers = []
    for threads in (1, 2, 4):
        problem = er.EmpiricalRisk(wrap(X), y, l2=1e-3, n_threads=threads)
        assert len(problem.rows.tree.leaves(13)) > 1
        solution = er.minimize(problem, solver, max_passes=20)
        answers.append((solution.weights.tobytes(), solution.intercept, solution.certificate.to_json()))
    assert answers[0] == answers[1] == answers[2]
