"""The linear program: the same minimum as a conic solver, proven by its own dual point."""

import math
from typing import NamedTuple

import cvxpy
import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.arithmetic.linear_programs import solve_linear_program
from empirisk.losses import LOSSES as ALL_LOSSES
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Unsupported

pytestmark = pytest.mark.interpreted

LOSSES = {
    "hinge": (er.Hinge(), lambda z, y: cvxpy.pos(1 - cvxpy.multiply(y, z))),
    "absolute": (er.Absolute(), lambda z, y: cvxpy.abs(z - y)),
    "quantile": (er.Quantile(level=0.8), lambda z, y: cvxpy.maximum(0.8 * (y - z), 0.2 * (z - y))),
    "epsilon_insensitive": (er.EpsilonInsensitive(epsilon=0.4), lambda z, y: cvxpy.pos(cvxpy.abs(z - y) - 0.4)),
}
PENALTIES = {  # l1, low, high
    "none": (0.0, -math.inf, math.inf),
    "l1": (0.05, -math.inf, math.inf),
    "positive": (0.02, 0.0, math.inf),
    "negative": (0.02, -0.5, 0.0),
    "box": (0.02, -0.3, 0.6),
    "away from zero": (0.02, 0.1, 0.6),
}


def data(loss, n=120, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    z = X @ np.array([1.0, -0.5, 0.0, 2.0]) + 0.4 + 0.5 * rng.standard_t(3, size=n)
    return X, np.where(z > 0, 1.0, -1.0) if loss == "hinge" else z, rng.integers(0, 3, size=n).astype(float)


@pytest.mark.parametrize("intercept", [False, True], ids=["through0", "intercept"])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", LOSSES)
def test_agrees_with_a_conic_solver(loss, penalty, intercept):
    X, y, s = data(loss)
    l1, low, high = PENALTIES[penalty]
    box = er.Box(low, high) if math.isfinite(low) or math.isfinite(high) else None
    problem = er.EmpiricalRisk(
        X, y, LOSSES[loss][0], l1=l1, l2=0.0, constraint=box, sample_weight=s, fit_intercept=intercept
    )
    solution = er.minimize(problem, er.solvers.LinearProgram(), tol=1e-8)
    w, b = cvxpy.Variable(4), cvxpy.Variable()
    risk = cvxpy.sum(cvxpy.multiply(s, LOSSES[loss][1](X @ w + intercept * b, y))) / s.sum()
    inside = [w >= low] * math.isfinite(low) + [w <= high] * math.isfinite(high)
    value = cvxpy.Problem(cvxpy.Minimize(risk + l1 * cvxpy.norm1(w)), inside).solve(solver="CLARABEL")
    assert solution.certified, solution.certificate.sentence()
    assert solution.objective == pytest.approx(value, rel=1e-6, abs=1e-9)
    assert solution.certificate.verify(problem, solution.point).holds


@pytest.mark.parametrize("method", ["interior_point", "simplex"])
@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array, np.float32], ids=["dense", "csr", "float32"])
def test_methods_and_designs_agree(method, wrap):
    X, y, _ = data("absolute")
    objectives = [
        er.minimize(er.EmpiricalRisk(design, y, "absolute", l1=0.01, l2=0.0), solver, tol=1e-9)
        for design, solver in ((X, er.solvers.LinearProgram()), (wrap(X), er.solvers.LinearProgram(method)))
    ]
    assert all(solution.certified for solution in objectives)
    assert objectives[1].objective == pytest.approx(objectives[0].objective, rel=1e-6)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("target", [1e-3, 1.0, 1e3])
def test_certified_on_any_scale_of_columns_and_targets(scale, target):
    X, y, _ = data("quantile")
    problem = er.EmpiricalRisk(X * np.array([scale, 1.0, 1.0, 1.0]), target * y, er.Quantile(level=0.3), l2=0.0)
    assert er.minimize(problem, er.solvers.LinearProgram()).certified


def test_the_median_of_each_side():
    """Least absolute deviations on one column of zeros: the intercept is a median of the targets."""
    y = np.array([3.0, 1.0, 100.0, 2.0, 7.0])
    solution = er.minimize(er.EmpiricalRisk(np.zeros((5, 1)), y, "absolute", l2=0.0), er.solvers.LinearProgram())
    assert solution.intercept == pytest.approx(3.0)
    assert solution.certified


def test_rows_of_weight_zero_are_as_if_absent():
    X, y, s = data("hinge")
    whole = er.EmpiricalRisk(X, y, "hinge", l1=0.01, l2=0.0, sample_weight=s)
    kept = er.EmpiricalRisk(X[s > 0], y[s > 0], "hinge", l1=0.01, l2=0.0, sample_weight=s[s > 0])
    a, b = (er.minimize(problem, er.solvers.LinearProgram()) for problem in (whole, kept))
    assert a.certified
    assert a.objective == pytest.approx(b.objective, rel=1e-12)


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 60)), rng.normal(size=20)
    solution = er.minimize(er.EmpiricalRisk(X, y, "absolute", l1=0.05, l2=0.0), er.solvers.LinearProgram(), tol=1e-8)
    assert solution.certified
    assert np.count_nonzero(np.abs(solution.weights) > 1e-9) <= 20


class Stairs(NamedTuple):
    """Pieces that are not the largest anywhere, or that fall for ever."""

    slope: float = 0.0
    offset: float = -1.0

    def value(self, z, y):
        return max(self.slope * z + self.offset, max(-z, 0.5 * z))

    def derivative(self, z, y):
        return -1.0 if z < 0.0 else 0.5

    def conjugate(self, u, y):
        return 0.0 if -1.0 <= u <= 0.5 else math.inf

    def has_kinks(self):
        return True

    def pieces(self, y):
        return ((-1.0, 0.0), (self.slope, self.offset), (0.5, 0.0))


class Falling(NamedTuple):
    """max(-z, -2 z): no lower bound."""

    scale: float = 1.0

    def value(self, z, y):
        return self.scale * max(-z, -2.0 * z)

    def derivative(self, z, y):
        return self.scale * (-1.0 if z > 0.0 else -2.0)

    def has_kinks(self):
        return True

    def lower_bound(self):
        return -math.inf

    def pieces(self, y):
        return ((-self.scale, 0.0), (-2.0 * self.scale, 0.0))


def solved(loss, **options):
    X, y, _ = data("absolute")
    problem = er.EmpiricalRisk(X, y, loss, **({"l2": 0.0} | options))
    solver = er.solvers.LinearProgram()
    return solver.step(problem, solver.init(problem, LinearPoint(np.zeros(4), 0.0)))


def test_what_it_cannot_solve_is_refused():
    with pytest.raises(Unsupported, match="each the largest for some score"):
        solved(Stairs())
    with pytest.raises(Unsupported, match="no minimum"):
        solved(Falling())
    with pytest.raises(ValueError, match="method must be one of interior_point, simplex"):
        er.minimize(er.EmpiricalRisk(*data("hinge")[:2], "hinge", l2=0.0), er.solvers.LinearProgram("magic"))
    for loss, options, said in (
        ("squared", {}, "needs loss.pieces"),
        ("absolute", {"l2": 1e-3}, "needs l2 = 0"),
        ("absolute", {"constraint": er.L2Ball(1.0)}, "needs regularizer.interval"),
    ):
        X, y, _ = data("absolute")
        with pytest.raises(Unsupported, match=said):
            er.minimize(er.EmpiricalRisk(X, y, loss, **({"l2": 0.0} | options)), er.solvers.LinearProgram())


@pytest.mark.parametrize("columns", [(1e-310, 1e-310), (1.0, 1e-310)])
@pytest.mark.parametrize(
    ("loss", "y", "more"),
    [
        ("absolute", [0.3, -1.0, 0.2, 0.9], {}),
        ("hinge", [1.0, -1.0, 1.0, 1.0], {"l1": 1.0}),
        ("absolute", [1e-310, -1e-310, 1e-310, 1e-310], {"constraint": er.Box(low=-1.0, high=1.0)}),
    ],
)
def test_numbers_that_overflow_beside_subnormal_ones_are_no_error(columns, loss, y, more):
    """One over a subnormal size is infinite, which linprog answers with an error of its own."""
    X = np.array([[1.0, 0.5], [-0.7, 0.2], [0.1, -1.0], [0.4, 0.4]]) * columns
    problem = er.EmpiricalRisk(X, y, loss, l2=0.0, **more)
    for solver in ("linear_program", "auto"):
        solution = er.minimize(problem, solver, max_passes=20)
        assert np.all(np.isfinite(solution.weights))
        assert er.verify(solution, problem).holds


def test_pieces_that_all_meet_at_zero_take_the_interval_of_the_weights_as_unit(monkeypatch):
    """A perceptron loss on a box: no score of a meeting says how large numbers are, and HiGHS went in circles."""
    ends = []

    def listed(*arguments, **keywords):
        ends.append(solve_linear_program(*arguments, **keywords))
        return ends[-1]

    monkeypatch.setattr("empirisk.solvers.linear_program.solve_linear_program", listed)
    y = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, 1.0])
    loss, box = ALL_LOSSES["perceptron"](8.6e-9), er.Box(-2.4e-5, 0.0)
    er.minimize(
        er.EmpiricalRisk(np.full((8, 2), 2.18e14), y, loss, l1=6.4e-6, l2=0.0, constraint=box), "linear_program"
    )
    assert [found.status for found in ends] == [0]  # the first method that was tried


def test_pieces_whose_offsets_overflow_are_no_answer_and_no_error():
    loss = er.EpsilonInsensitive(scale=4e153, epsilon=2e232)
    problem = er.EmpiricalRisk(np.eye(3), [1e232, -3e232, 2e232], loss, l2=0.0, constraint=er.Box(-1e230, 1e230))
    assert not er.minimize(problem, "linear_program").certified
