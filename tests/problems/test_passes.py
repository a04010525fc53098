"""Full passes against NumPy."""

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.problems import passes

RNG = np.random.default_rng(0)
N, D = 50, 4
X, Y, S = RNG.normal(size=(N, D)), np.where(RNG.random(N) < 0.5, -1.0, 1.0), RNG.random(N)
W, B = RNG.normal(size=D), 0.3


def problem(wrap=np.asarray, weighted=True, intercept=True, loss="logistic"):
    return er.EmpiricalRisk(wrap(X), Y, loss, l2=0.1, sample_weight=S if weighted else None, fit_intercept=intercept)


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradient_against_finite_differences(wrap, weighted):
    p, scores = problem(wrap, weighted), np.empty(N)
    at = passes.gradient(p, np.append(W, B), scores)
    np.testing.assert_allclose(scores, X @ W + B)

    def value(w, b):
        return passes.gradient(p, np.append(w, b), np.empty(N)).objective

    s = S / S.sum() if weighted else np.full(N, 1 / N)
    assert at.objective == pytest.approx(s @ np.log1p(np.exp(-Y * (X @ W + B))) + 0.05 * W @ W)
    step = 1e-6
    for j in range(D):
        e = step * np.eye(D)[j]
        assert at.weights[j] == pytest.approx((value(W + e, B) - value(W - e, B)) / (2 * step), abs=1e-8)
    assert at.intercept == pytest.approx((value(W, B + step) - value(W, B - step)) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("intercept", [False, True])
def test_hessian_and_products(wrap, intercept):
    p = problem(wrap, intercept=intercept)
    scores = np.empty(N)
    passes.gradient(p, np.append(W, B), scores)
    h = passes.to_curvatures(p, scores)
    sigma = 1 / (1 + np.exp(-(X @ W + B)))
    np.testing.assert_allclose(h, S / S.sum() * sigma * (1 - sigma))
    A = np.column_stack([X, np.ones(N)]) if intercept else X
    expected = (A * h[:, None]).T @ A + 0.1 * np.diag([1.0] * D + [0.0] * intercept)
    H = passes.hessian(p, h)
    np.testing.assert_allclose(np.tril(H), np.tril(expected), rtol=1e-10)
    v = np.arange(1.0, D + 2.0)
    product = passes.hessian_products(p, h).apply(v)
    image = expected @ (v if intercept else v[:D])
    np.testing.assert_allclose(product, np.append(image[:D], image[D] if intercept else 0.0))
    np.testing.assert_allclose(passes.squared_column_norms(p, h), h @ X**2)
    total, balance = passes.weighted_sum(p, h)
    np.testing.assert_allclose(total, h @ X)
    assert balance == pytest.approx(h.sum())
    np.testing.assert_allclose(passes.scores_of(p.rows.whole(), W, B), X @ W + B)


def test_overflow_is_infinite_and_silent():
    p = problem(loss="squared_hinge")
    at = passes.gradient(p, np.append(np.full(D, 1e200), 0.0), np.empty(N))
    assert at.objective == np.inf


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y": Y[:-1]}, "49 value"),
        ({"y": np.zeros(N)}, "-1 and \\+1"),
        ({"y": np.full(N, np.nan)}, "NaN"),
        ({"X": X * np.nan}, "NaN"),
        ({"X": np.empty((0, 3)), "y": []}, "empty"),
        ({"X": np.empty((N, 0))}, "empty"),
        ({"sample_weight": -S}, "non-negative"),
        ({"sample_weight": 0 * S}, "nothing to fit"),
        ({"sample_weight": S[:-1]}, "49 value"),
        ({"sample_weight": S * np.inf}, "infinity"),
        ({"l2": -1.0}, "l2 must be"),
        ({"l1": np.inf}, "l1 must be"),
        ({"l2": np.nan}, "l2 must be"),
    ],
)
def test_bad_input_is_one_sentence(change, words):
    with pytest.raises(ValueError, match=words):
        er.EmpiricalRisk(**({"X": X, "y": Y} | change))
    with pytest.raises(TypeError, match="l2 must be"):
        er.EmpiricalRisk(X, Y, l2="strong")
