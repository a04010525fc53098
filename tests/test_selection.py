"""solver="auto": the choice and its sentence."""

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.protocols import Unsupported
from empirisk.selection import choose
from empirisk.solvers.handover import Handover
from empirisk.vector_losses import OneVersusRest


def pose(n=50, d=3, loss="logistic", sparse=False, shift=None, **options):
    rng = np.random.default_rng(0)
    X = (
        rng.normal(size=(n, d))
        if not sparse
        else scipy.sparse.random_array((n, d), density=0.01, rng=rng, format="csr")
    )
    y = np.where(np.arange(n) % 2, 1.0, -1.0) if shift is None else np.linspace(shift, shift + 0.5, n)
    return er.EmpiricalRisk(X, y, loss, **options)


@pytest.mark.parametrize(
    ("options", "solver", "words"),
    [
        ({}, "newton", "cheap to factor"),
        ({"d": 6000, "sparse": True}, "dual_newton", "dual passes, then Newton"),
        ({"loss": "hinge"}, "proximal_newton", "kink"),
        ({"loss": "hinge", "d": 6000, "sparse": True}, "dual_newton", "kink"),
        ({"l1": 0.1, "l2": 0.1}, "coordinate_descent", "few columns"),
        ({"l1": 0.1, "l2": 100.0, "d": 6000, "sparse": True}, "sdca", "large enough for dual steps"),
        ({"l2": 10.0, "constraint": er.Box(-1.0, 1.0)}, "sdca", "large enough for dual steps"),
        ({"l2": 1e-6, "constraint": er.Box(-1.0, 1.0)}, "composite_newton", "Hessian of 3 columns"),
        ({"l2": 1e-6, "constraint": er.Box(-1.0, 1.0), "d": 400}, "coordinate_descent", "interval"),
        ({"l2": 0.0}, "newton", "cheap to factor"),
        ({"l2": 0.0, "l1": 0.1, "loss": "hinge"}, "linear_program", "piecewise linear"),
        ({"l2": 0.0, "loss": "hinge"}, "proximal_newton", "few enough"),
        ({"loss": "hinge", "constraint": "l2_ball"}, "smoothed_newton", "without the data"),
        ({"loss": "hinge", "constraint": "l2_ball", "d": 400}, "smoothed_fista", "prox alone"),
        ({"loss": "hinge", "l1": 0.1}, "smoothed_newton", "without the data"),
        ({"constraint": "simplex"}, "composite_newton", "Hessian"),
        ({"constraint": "simplex", "d": 400}, "fista", "prox"),
        ({"loss": er.Huber(delta=0.1)}, "proximal_newton", "no curvature"),
        ({"loss": er.Huber(delta=0.1), "shift": 5.0}, "newton", "best constant"),
    ],
)
def test_choice_and_reason(options, solver, words):
    _, reason = choose(pose(**options))
    assert reason.startswith(solver + ":")
    assert words in reason
    assert reason.endswith(".")


def test_a_loss_without_second_derivative_gets_lbfgs():
    chosen, reason = choose(pose(loss=Plain()))
    assert isinstance(chosen.solver, er.LBFGS)  # in units of its own
    assert "no second derivative" in reason


@pytest.mark.parametrize(
    ("options", "solver", "words"),
    [
        ({"l2": 0.0}, "sdca", "needs l2 > 0"),
        ({"l2": 0.1}, "linear_program", "needs loss.pieces"),
        ({"l2": 0.1, "loss": "hinge"}, "linear_program", "needs l2 = 0"),
        ({"loss": "zero_one"}, "auto", "for evaluation only"),
        (
            {"loss": "hinge"},
            "newton",
            "can: dual_newton, proximal_newton, sdca, accelerated_sdca, smoothed_newton, smoothed_fista",
        ),
        (
            {"l1": 1.0},
            "lbfgs",
            "Solvers that can: sdca, accelerated_sdca, coordinate_descent, composite_newton, smoothed_newton, fista",
        ),
    ],
)
def test_refusals_name_what_works(options, solver, words):
    with pytest.raises(Unsupported, match=words):
        choose(pose(**options), solver)


def test_unknown_solvers_are_refused():
    with pytest.raises(ValueError, match="one of 'auto', 'newton'"):
        choose(pose(), "magic")
    with pytest.raises(TypeError, match="solver must be"):
        choose(pose(), 3)


class Plain(tuple):
    """A loss with value, derivative and smoothness only."""

    __slots__ = ()
    _fields = ("scale",)

    def value(self, z, y):
        return 0.5 * (z - y) ** 2

    def derivative(self, z, y):
        return z - y

    def smoothness(self):
        return 1.0


def test_l1_on_columns_of_very_different_size_is_not_solved_one_weight_at_a_time():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = np.where(X[:, 0] + rng.normal(size=200) > 0.0, 1.0, -1.0)
    for scales, name in ((1.0, "coordinate_descent"), ([1.0, 1.0, 1.0, 1.0, 1000.0], "composite_newton")):
        _, reason = choose(er.EmpiricalRisk(X * scales, y, "logistic", l1=1e-3, l2=0.0))
        assert reason.startswith(f"{name}: ")


def test_a_loss_with_kinks_and_no_l2_on_wide_sparse_rows_gets_no_linear_program_first():
    """A plane that separates makes the loss 0: Newton's method finds one in a few passes, HiGHS took a minute."""
    rng = np.random.default_rng(0)
    X = scipy.sparse.random_array((30, 900), density=0.05, rng=rng, format="csr")
    problem = er.EmpiricalRisk(X, np.where(rng.random(30) < 0.5, -1.0, 1.0), "hinge", l2=0.0)
    solution = er.minimize(problem)
    assert solution.certified
    assert solution.solver == "proximal_newton"
    assert solution.objective == 0.0


def test_conjugate_gradients_of_many_classes_hand_over_to_one_class_after_another(monkeypatch):
    """Squared hinges whose curvature comes and goes, on columns of unlike size: a thousand passes were not enough."""
    monkeypatch.setattr("empirisk.solvers.linear_systems.multiclass_hessian.SMALL", 1)
    monkeypatch.setattr("empirisk.solvers.linear_systems.multiclass_hessian.MOST_PRODUCTS", 0.0)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 6)) * 10.0 ** rng.uniform(-2, 2, size=6)
    y = np.argmax(X @ rng.normal(size=(6, 3)), axis=1)
    solver, _ = choose(MulticlassRisk(X, y, 3, OneVersusRest(er.SquaredHinge()), l2=1e-9))
    assert isinstance(solver, Handover)
    assert [type(part).__name__ for part in solver.solvers] == ["Newton", "ClassByClass"]
    assert er.minimize(MulticlassRisk(X, y, 3, OneVersusRest(er.SquaredHinge()), l2=1e-9)).certified
