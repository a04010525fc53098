"""Full passes of multi-class problems against NumPy, and the same bytes for any number of threads."""

import numpy as np
import pytest
import scipy.sparse
from scipy.special import logsumexp, softmax

from empirisk.losses import Logistic
from empirisk.problems import passes
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.vector_losses import OneVersusRest, Softmax

RNG = np.random.default_rng(1)
N, D, K = 60, 5, 3
DATA = RNG.normal(size=(N, D)) * (RNG.random((N, D)) < 0.7)
Y, S = RNG.integers(0, K, N), RNG.integers(0, 3, N).astype(float)
POINT = RNG.normal(size=(D + 1, K))
WRAPS = {"dense": np.asarray, "csr": scipy.sparse.csr_array, "float32": lambda a: np.asarray(a, np.float32)}


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_softmax_against_numpy(wrap, intercept, weighted):
    problem = MulticlassRisk(
        wrap(DATA), Y, K, Softmax(2.0), l2=0.3, sample_weight=S if weighted else None, fit_intercept=intercept
    )
    data = wrap(DATA).astype(float) if wrap is WRAPS["float32"] else DATA
    x = POINT.copy()
    x[-1] *= intercept
    A = np.column_stack([data, np.ones(N)])
    s = S / S.sum() if weighted else np.full(N, 1 / N)
    Z, scores = A @ x, np.empty((N, K))
    at = passes.gradient(problem, x, scores)
    np.testing.assert_allclose(scores, Z, rtol=1e-12)
    np.testing.assert_allclose(passes.scores_at(problem, x), Z, rtol=1e-12)
    value = 2.0 * s @ (logsumexp(Z, axis=1) - Z[np.arange(N), Y]) + 0.15 * (x[:-1] ** 2).sum()
    assert at.objective == pytest.approx(value, rel=1e-12)
    P = softmax(Z, axis=1)
    penalty = np.append(np.full(D, 0.3), 0.0)[:, None]
    used = np.append(np.ones(D), float(intercept))[:, None]
    expected = used * (A.T @ (2.0 * s[:, None] * (P - np.eye(K)[Y])) + penalty * x)
    np.testing.assert_allclose(at.slope, expected, rtol=1e-9, atol=1e-13)

    p = RNG.normal(size=x.shape)
    p[-1] *= intercept
    along = A @ p
    image = P * along - P * (P * along).sum(axis=1, keepdims=True)
    product = passes.hessian_products(problem, passes.to_curvatures(problem, scores)).apply(p)
    np.testing.assert_allclose(product, used * (A.T @ (2.0 * s[:, None] * image) + penalty * p), rtol=1e-9, atol=1e-13)
    slope = passes.line_slope(problem, Z, along, 0.5)
    there = softmax(Z + 0.5 * along, axis=1) - np.eye(K)[Y]
    assert slope == pytest.approx(2.0 * s @ (there * along).sum(axis=1), rel=1e-10)
    np.testing.assert_allclose(passes.sum_of_rows(problem, Z), used * (A.T @ Z), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_same_bytes_for_any_number_of_threads(sparse):
    rng = np.random.default_rng(2)
    n, d, k = 3000, 40, 40
    data = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3)
    labels, x = rng.integers(0, k, n), rng.normal(size=(d + 1, k))
    results = []
    for threads in (1, 2, 3):
        rows = scipy.sparse.csr_array(data) if sparse else data
        problem = MulticlassRisk(rows, labels, k, Softmax(1.0), l2=0.1, n_threads=threads)
        assert len(problem.rows.tree.leaves(x.size, problem.work)) > 1
        scores = np.empty((n, k))
        at = passes.gradient(problem, x, scores)
        product = passes.hessian_products(problem, passes.to_curvatures(problem, scores)).apply(x)
        results.append((at.objective, at.slope.tobytes(), product.tobytes()))
    assert results[0] == results[1] == results[2]


def test_wide_sparse_data_are_summed_over_ranges_of_classes():
    rng = np.random.default_rng(3)
    n, d, k = 300, 30_000, 70
    data = scipy.sparse.random_array((n, d), density=1e-3, rng=rng, format="csr")
    labels, x = rng.integers(0, k, n), rng.normal(size=(d + 1, k))
    results = []
    for threads in (1, 2):
        problem = MulticlassRisk(data, labels, k, OneVersusRest(Logistic(1.0)), l2=0.1, n_threads=threads)
        assert len(problem.rows.tree.leaves(x.size, problem.work)) == 1
        results.append(passes.gradient(problem, x, np.empty((n, k))).slope)
    assert results[0].tobytes() == results[1].tobytes()
    A = scipy.sparse.hstack([data, np.ones((n, 1))]).tocsr()
    y = np.where(np.arange(k) == labels[:, None], 1.0, -1.0)
    expected = A.T @ (-y / (1 + np.exp(y * (A @ x))) / n)
    expected[:-1] += 0.1 * x[:-1]
    np.testing.assert_allclose(results[0], expected, rtol=1e-9, atol=1e-12)
