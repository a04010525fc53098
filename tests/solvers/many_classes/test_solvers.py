"""Solvers of multi-class problems: certified on everything they take, refused with a reason on the rest."""

from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse
from sklearn.linear_model import LogisticRegression

import empirisk as er
from empirisk.capabilities import name_of
from empirisk.certificates import certify
from empirisk.losses import Hinge, Logistic, SquaredHinge
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.protocols import Progress, Unsupported
from empirisk.selection import choose
from empirisk.solvers.lbfgs import LBFGS
from empirisk.solvers.linear_systems.multiclass_hessian import whole_is_cheap
from empirisk.solvers.many_classes.class_by_class import ClassByClass, ClassStates
from empirisk.solvers.many_classes.sdca import MulticlassSDCA
from empirisk.solvers.newton import DUAL_PASSES, Newton
from empirisk.vector_losses import OneVersusRest, Softmax
from tests.own_losses import Plain

RNG = np.random.default_rng(4)
N, D, K = 120, 6, 4
X = RNG.normal(size=(N, D)) + 0.5
Y = np.argmax(X[:, :K] + RNG.normal(size=(N, K)), axis=1)
S = RNG.integers(0, 3, N) + 0.5


def solve(problem, solver, tol=1e-8, most=400, start=None):
    """What the driver does, without its clock: steps until a certificate is within tol."""
    state = solver.init(problem, start or problem.zero())
    for steps in range(most):
        progress = solver.progress(problem, state)
        if not progress.gap > tol * progress.objective or progress.stalled:
            w, b, dual = solver.point(state)
            certificate = certify(problem, LinearPoint(w, b, dual))
            if certificate.is_within(tol) or progress.stalled:
                return w, b, certificate, steps
        state = solver.step(problem, state)
    raise AssertionError(f"not certified after {most} steps")


SOLVERS = [
    Newton("cholesky"),
    Newton("conjugate_gradient"),
    LBFGS(),
    MulticlassSDCA(),
]


@pytest.mark.parametrize("solver", SOLVERS, ids=["cholesky", "cg", "lbfgs", "sdca"])
@pytest.mark.parametrize("loss", [Softmax(1.0), OneVersusRest(Logistic(1.0))], ids=["softmax", "ovr"])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("intercept", [False, True], ids=["through zero", "intercept"])
def test_certified(solver, loss, sparse, intercept):
    rows = scipy.sparse.csr_array(X) if sparse else X
    problem = MulticlassRisk(rows, Y, K, loss, l2=0.01, sample_weight=S if sparse else None, fit_intercept=intercept)
    w, b, certificate, _ = solve(problem, solver)
    assert certificate.is_within(1e-8)
    assert w.shape == (K, D)
    assert b.shape == (K,)
    assert intercept == bool(np.any(b))
    if isinstance(loss, Softmax):
        assert abs(b.sum()) <= 1e-9 * max(1.0, np.abs(b).max())


@pytest.mark.parametrize("base", [Hinge(1.0), SquaredHinge(1.0)], ids=str)
@pytest.mark.parametrize("l1", [0.0, 0.05])
def test_dual_ascent_handles_kinks_of_loss_and_penalty(base, l1):
    problem = MulticlassRisk(X, Y, K, OneVersusRest(base), l1=l1, l2=0.05)
    w, _, certificate, _ = solve(problem, MulticlassSDCA(), tol=1e-5, most=3000)
    assert certificate.is_within(1e-5)
    assert (l1 > 0.0) == bool(np.any(w == 0.0))


def test_dual_ascent_of_softmax_with_l1():
    problem = MulticlassRisk(X, Y, K, Softmax(2.0), l1=0.05, l2=0.02)
    w, _, certificate, _ = solve(problem, MulticlassSDCA(), tol=1e-7)
    assert certificate.is_within(1e-7)
    assert np.any(w == 0.0)


def test_dual_ascent_splits_classes_over_threads_with_the_same_bytes():
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 70, 300)
    rows = scipy.sparse.random_array((300, 50), density=0.2, rng=rng, format="csr")
    points = []
    for threads in (1, 2):
        problem = MulticlassRisk(rows, labels, 70, OneVersusRest(Logistic(1.0)), l2=0.01, n_threads=threads)
        solver = MulticlassSDCA(seed=3)
        state = solver.init(problem, problem.zero())
        assert len(state.parts) == 3
        for _ in range(3):
            state = solver.step(problem, state)
        w, b, dual = solver.point(state)
        assert dual is None
        points.append((w.tobytes(), b.tobytes()))
    assert points[0] == points[1]


@pytest.mark.parametrize("solver", SOLVERS, ids=["cholesky", "cg", "lbfgs", "sdca"])
def test_a_warm_start_is_used(solver):
    problem = MulticlassRisk(X, Y, K, Softmax(1.0), l2=0.01)
    w, b, _, cold = solve(problem, Newton(), tol=1e-12)
    _, _, _, warm = solve(problem, solver, tol=1e-6, start=LinearPoint(w, b))
    assert warm <= 1 < cold


def test_agrees_with_scikit_learn():
    problem = MulticlassRisk(X, Y, K, Softmax(1.0), l2=0.02)
    w, b, _, _ = solve(problem, Newton(), tol=1e-12)
    peer = LogisticRegression(C=1 / (0.02 * N), tol=1e-10, max_iter=10_000).fit(X, Y)
    np.testing.assert_allclose(w, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(b, peer.intercept_ - peer.intercept_.mean(), atol=1e-5)


def test_float32_rows_give_the_answer_of_their_values():
    narrow = X.astype(np.float32)
    answers = [solve(MulticlassRisk(rows, Y, K, Softmax(1.0)), Newton())[0] for rows in (narrow, narrow * 1.0)]
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-6, atol=1e-9)


def test_columns_of_very_different_size():
    scaled = X * 10.0 ** np.arange(-3, 3)
    problem = MulticlassRisk(scaled, Y, K, Softmax(1.0), l2=1e-3)
    for linear_solver in ("cholesky", "conjugate_gradient"):
        assert solve(problem, Newton(linear_solver))[2].is_within(1e-8)


@pytest.mark.parametrize(
    ("arguments", "solver", "said"),
    [
        ({"loss": Softmax(1.0), "l1": 0.1}, "auto", "composite_newton: the penalty has a kink"),
        ({"loss": Softmax(1.0), "l2": 0.0}, "auto", "newton: the loss is smooth"),
        ({"loss": Softmax(1.0)}, "auto", "newton: the loss is smooth and a Hessian of 4 x 6 columns"),
        ({"loss": OneVersusRest(Plain(1.0))}, "auto", "lbfgs: the loss declares no second derivative"),
        ({"loss": Softmax(1.0)}, "sdca", "sdca: as asked."),
        ({"loss": Softmax(1.0)}, LBFGS(5), "lbfgs: as asked."),
    ],
)
def test_the_choice_and_its_reason(arguments, solver, said):
    problem = MulticlassRisk(X, Y, K, **arguments)
    chosen, reason = choose(problem, solver)
    assert reason.startswith(said)
    assert name_of(chosen).removeprefix("multiclass_") == reason.partition(":")[0]


@pytest.mark.parametrize(
    ("arguments", "solver", "said"),
    [
        ({"loss": OneVersusRest(Hinge(1.0))}, "auto", "proximal_newton: the loss hinge has a kink"),
        (
            {"loss": OneVersusRest(Hinge(1.0)), "constraint": "box"},
            "auto",
            "smoothed_newton: the loss hinge has a kink",
        ),
        ({"loss": OneVersusRest(SquaredHinge(1.0))}, "composite_newton", "composite_newton: as asked"),
        ({"loss": OneVersusRest(SquaredHinge(1.0)), "constraint": "l2_ball"}, "fista", "fista: as asked"),
        ({"loss": OneVersusRest(SquaredHinge(1.0))}, Newton(reuse=True), "newton: as asked"),
    ],
)
def test_class_by_class_where_no_form_for_all_classes_can(arguments, solver, said):
    problem = MulticlassRisk(X, Y, K, **arguments)
    chosen, reason = choose(problem, solver)
    assert isinstance(chosen, ClassByClass)
    assert reason.startswith(said)
    assert reason.endswith(", class by class.")
    found = er.minimize(problem, solver, tol=1e-5)
    assert found.certified
    assert found.certificate.verify(problem, found.point).holds


def test_wide_sparse_data_take_the_dual_method_with_the_seed():
    rows = scipy.sparse.random_array((200, 5000), density=1e-3, rng=np.random.default_rng(0), format="csr")
    problem = MulticlassRisk(rows, np.arange(200) % K, K, Softmax(1.0), l2=0.01)
    assert not whole_is_cheap(problem)
    chosen, reason = choose(problem, "auto", seed=7)
    assert chosen == MulticlassSDCA(seed=7)
    assert "sparse and wide" in reason
    loose = MulticlassRisk(rows, np.arange(200) % K, K, Softmax(1.0), l2=1e-9)
    newton, reason = choose(loose)
    assert isinstance(newton, Newton)
    assert "l2 is small" in reason
    assert newton.init(loose, loose.zero()).passes > DUAL_PASSES
    assert solve(loose, newton, tol=1e-6)[2].is_within(1e-6)


@pytest.mark.parametrize(
    ("arguments", "solver", "said"),
    [
        ({"loss": OneVersusRest(Hinge(1.0))}, "newton", "needs a loss without kinks"),
        ({"loss": Softmax(1.0), "l1": 0.1}, "lbfgs", "Solvers that can: sdca, composite_newton, fista."),
        (
            {"loss": Softmax(1.0), "l2": 0.0},
            "sdca",
            "needs l2 > 0. Solvers that can: newton, lbfgs, composite_newton, fista.",
        ),
    ],
)
def test_refused_with_what_would_work(arguments, solver, said):
    with pytest.raises(Unsupported, match=said):
        choose(MulticlassRisk(X, Y, K, **arguments), solver)


def test_unknown_solvers():
    problem = MulticlassRisk(X, Y, K, Softmax(1.0))
    with pytest.raises(Unsupported, match="has no form for softmax; use 'auto' or one of 'newton', 'lbfgs', 'sdca'"):
        choose(problem, "gradient_descent")
    with pytest.raises(ValueError, match="solver must be one of"):
        choose(problem, "simplex_method")
    with pytest.raises(TypeError, match="solver must be"):
        choose(problem, 3)
    with pytest.raises(ValueError, match="linear_solver"):
        Newton("lu").init(problem, problem.zero())


class Counting(NamedTuple):
    """A method whose estimate of the gap is below zero, as rounding may leave it."""

    def step(self, problem, state):
        return state + 1

    def progress(self, problem, state):
        return Progress(float(state), 1.0, -1e-20, stalled=False)


def test_a_class_whose_gap_is_estimated_below_zero_does_not_wait_for_itself():
    problem = MulticlassRisk(X, np.minimum(Y, 1), 2, OneVersusRest(Logistic(1.0)))
    state = ClassByClass(Counting()).step(problem, ClassStates((0, 0)))
    assert state.states == (1, 1)
