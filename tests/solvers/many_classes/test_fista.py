"""The accelerated proximal gradient method for many classes."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from sklearn.datasets import load_iris

import empirisk as er
from empirisk.capabilities import name_of
from empirisk.losses import Hinge, Logistic
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.protocols import Unsupported
from empirisk.selection import choose
from empirisk.solvers.fista import FISTA
from empirisk.vector_losses import OneVersusRest, Softmax
from tests.own_losses import Plain

RNG = np.random.default_rng(8)
N, D, K = 90, 5, 3
X = RNG.normal(size=(N, D)) + 0.5
Y = np.argmax(X[:, :K] + RNG.normal(size=(N, K)), axis=1)
S = RNG.integers(0, 3, N) + 0.5


def iris():
    rows, labels = load_iris(return_X_y=True)
    return (rows - rows.mean(axis=0)) / rows.std(axis=0), labels


@pytest.mark.parametrize("loss", [Softmax(2.0), OneVersusRest(Logistic(1.0))], ids=["softmax", "ovr"])
@pytest.mark.parametrize(("l1", "l2"), [(0.02, 1e-3), (0.02, 0.0), (0.0, 0.01)])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
def test_certified(loss, l1, l2, sparse):
    rows = scipy.sparse.csr_array(X) if sparse else X
    problem = MulticlassRisk(rows, Y, K, loss, l1=l1, l2=l2, sample_weight=S if sparse else None, fit_intercept=sparse)
    found = er.minimize(problem, "fista", tol=1e-8)
    assert found.certificate.is_within(1e-8)
    assert found.certificate.verify(problem, found.point).holds
    assert sparse == bool(np.any(found.intercept))
    if l1 > 0.0:
        assert np.any(found.weights == 0.0)
    if isinstance(loss, Softmax):
        assert abs(found.intercept.sum()) <= 1e-9 * max(1.0, np.abs(found.intercept).max())


def test_agrees_with_a_general_purpose_minimiser():
    """The split W = P - M with P, M >= 0 makes l1 smooth."""
    problem, l1, l2 = MulticlassRisk(X, Y, K, Softmax(1.0), l1=0.03, l2=0.01), 0.03, 0.01

    def split(x):
        plus, minus, b = x[: K * D].reshape(K, D), x[K * D : 2 * K * D].reshape(K, D), x[2 * K * D :]
        w = plus - minus
        Z = X @ w.T + b
        Z -= Z.max(axis=1)[:, None]
        p = np.exp(Z) / np.exp(Z).sum(axis=1)[:, None]
        value = -np.log(p[np.arange(N), Y]).mean() + l1 * (plus + minus).sum() + l2 / 2 * (w * w).sum()
        p[np.arange(N), Y] -= 1.0
        g = p.T @ X / N + l2 * w
        return value, np.concatenate([(g + l1).ravel(), (l1 - g).ravel(), p.mean(axis=0)])

    bounds = [(0, None)] * (2 * K * D) + [(None, None)] * K
    peer = scipy.optimize.minimize(
        split, np.zeros(2 * K * D + K), jac=True, bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-10}
    )
    found = er.minimize(problem, FISTA(), tol=1e-10)
    assert found.certificate.objective == pytest.approx(peer.fun, rel=1e-9)
    weights = peer.x[: K * D] - peer.x[K * D : 2 * K * D]
    np.testing.assert_allclose(found.weights.ravel(), weights, atol=1e-5)


def test_a_small_l2_is_certified_where_dual_ascent_is_not():
    rows, labels = iris()
    problem = MulticlassRisk(rows, labels, 3, Softmax(1.0), l1=0.01, l2=1e-4)
    found = er.minimize(problem, "fista", tol=1e-7, max_passes=400)
    assert found.certificate.is_within(1e-7)
    assert not er.minimize(problem, "sdca", max_passes=400).certificate.is_within(1e-7)


def test_without_restart_steps_never_grow():
    problem = MulticlassRisk(X, Y, K, Softmax(1.0), l1=0.01, l2=0.0)
    solver = FISTA(restart=False)
    state = solver.init(problem, problem.zero())
    steps = [state.step]
    for _ in range(30):
        state = solver.step(problem, state)
        steps.append(state.step)
    assert steps == sorted(steps, reverse=True)
    assert er.minimize(problem, solver, tol=1e-5).certificate.is_within(1e-5)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_warm_start_ends_at_once(threads):
    problem = MulticlassRisk(X, Y, K, Softmax(1.0), l1=0.02, l2=0.0, n_threads=threads)
    first = er.minimize(problem, "fista", tol=1e-9)
    again = er.minimize(problem, "fista", tol=1e-6, start=(first.weights, first.intercept))
    assert again.passes <= 3.0 < first.passes


@pytest.mark.interpreted
def test_a_base_that_declares_no_smoothness():
    problem = MulticlassRisk(X, Y, K, OneVersusRest(Plain(1.0)), l1=0.02, l2=0.0)
    assert er.minimize(problem, tol=1e-6).certificate.is_within(1e-6)


@pytest.mark.parametrize(
    ("loss", "l2", "expected"),
    [
        (Softmax(1.0), 1e-4, "composite_newton"),
        (Softmax(1.0), 0.0, "composite_newton"),
        (Softmax(1.0), 1.0, "sdca"),
        (OneVersusRest(Plain(1.0)), 1e-4, "fista"),
    ],
)
def test_the_choice_with_l1(loss, l2, expected):
    chosen, reason = choose(MulticlassRisk(X, Y, K, loss, l1=0.1, l2=l2))
    assert reason.startswith(expected)
    assert name_of(chosen).removeprefix("multiclass_") == expected


@pytest.mark.parametrize(("base", "expected"), [(Logistic(1.0), "coordinate_descent"), (Hinge(1.0), "smoothed_newton")])
def test_one_class_has_more_to_choose_from(base, expected):
    _, reason = choose(MulticlassRisk(X, Y, K, OneVersusRest(base), l1=0.1, l2=1e-4))
    assert reason.startswith(expected)
    assert reason.endswith("class by class.")


def test_more_coordinates_than_a_model_takes():
    rows = np.random.default_rng(0).normal(size=(60, 150))
    problem = MulticlassRisk(rows, np.arange(60) % K, K, Softmax(1.0), l1=0.1, l2=1e-6)
    assert isinstance(choose(problem)[0], FISTA)


def test_kinks_are_refused():
    with pytest.raises(Unsupported, match="without kinks"):
        choose(MulticlassRisk(X, Y, K, OneVersusRest(Hinge(1.0)), l1=0.1), "fista")
