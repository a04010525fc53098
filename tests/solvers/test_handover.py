"""One solver after another: the second goes on where the first gets slow."""

import math
from typing import NamedTuple

import numpy as np
import pytest

import empirisk as er
from empirisk.capabilities import name_of
from empirisk.certificates import certify
from empirisk.protocols import Progress
from empirisk.selection import choose
from empirisk.solvers.handover import DIGIT_PASSES, Handover


def far_from_zero(n=300, d=20, seed=0):
    """Columns far from zero, which is slow for steps along the gradient."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + rng.uniform(-100.0, 100.0, d)
    z = X @ rng.standard_normal(d)
    return X, z + np.std(z) * rng.standard_normal(n)


@pytest.mark.parametrize(
    ("loss", "handover"),
    [
        ("huber", Handover((er.FISTA(), er.solvers.CompositeNewton()))),
        ("absolute", Handover((er.solvers.SmoothedFISTA(), er.solvers.SmoothedNewton()))),
    ],
    ids=["smooth", "kinks"],
)
def test_the_second_goes_on_where_the_first_is_slow(loss, handover):
    X, y = far_from_zero()
    problem = er.EmpiricalRisk(X, y, loss, l2=1e-6, constraint=er.L2Ball(2.0))
    alone = er.minimize(problem, handover.solvers[0])
    assert not alone.certified
    together = er.minimize(problem, handover)
    assert together.certified
    assert together.passes > DIGIT_PASSES
    assert together.certificate.verify(problem, together.point).holds
    passes = [check.passes for check in together.trace.checks]
    assert passes == sorted(passes)


def test_the_first_is_all_where_it_is_fast():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 5)), rng.standard_normal(200)
    problem = er.EmpiricalRisk(X, y, "squared", l2=0.1, constraint=er.L2Ball(0.1))
    alone = er.minimize(problem, er.FISTA())
    together = er.minimize(problem, Handover((er.FISTA(), er.solvers.CompositeNewton())))
    np.testing.assert_array_equal(alone.weights, together.weights)
    assert alone.passes == together.passes


def test_the_second_begins_where_a_first_without_an_estimate_at_its_start_ended():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 5))
    problem = er.EmpiricalRisk(X, np.sign(X[:, 0]), "logistic", l2=0.01)
    chain = Handover((er.SDCA(), er.solvers.LBFGS()))
    state = chain.init(problem, problem.zero())
    assert math.isnan(state.first)  # dual ascent has met no row yet
    for _ in range(5):
        state = chain.step(problem, state)
    ended = chain.point(state)
    following = chain.point(chain.further(problem, state))
    np.testing.assert_array_equal(following.weights, ended.weights)


@pytest.mark.parametrize(
    ("shape", "loss", "first", "then"),
    [
        ((500, 400), "logistic", "fista", "composite_newton"),
        ((500, 400), "hinge", "smoothed_fista", "smoothed_newton"),
        ((100, 400), "logistic", "fista", "composite_newton"),
        ((100, 2600), "logistic", "fista", None),  # a matrix of all columns is too large
    ],
)
def test_auto_hands_over_where_a_model_is_affordable(shape, loss, first, then):
    X = np.random.default_rng(0).standard_normal(shape)
    problem = er.EmpiricalRisk(X, np.where(X[:, 0] > 0.1, 1.0, -1.0), loss, l2=1e-6, constraint=er.L2Ball(1.0))
    chosen, reason = choose(problem, seed=3)
    chosen = chosen.solver  # which works in units of its own
    assert reason.startswith(f"{first}: ")
    assert isinstance(chosen, Handover) == (then is not None)
    assert then is None or name_of(chosen.solvers[1]) == then


def test_the_seed_reaches_the_first():
    X = np.random.default_rng(0).standard_normal((500, 400))
    problem = er.EmpiricalRisk(X, np.where(X[:, 0] > 0.1, 1.0, -1.0), "hinge", l1=1e-3, l2=1e-3)
    chosen, _ = choose(problem, seed=3)
    assert chosen.solver.solvers[0] == er.SDCA(seed=3)


def test_a_loss_whose_curvature_jumps_is_handed_over():
    """Almost separable data and little l2: Newton's method goes from one set of rows with curvature to the next."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((400, 160))
    y = np.where(X @ rng.standard_normal(160) + 10.0 * rng.standard_normal(400) > 0.0, 1.0, -1.0)
    problem = er.EmpiricalRisk(X, y, "squared_hinge", l2=1e-6)
    found = er.minimize(problem)
    assert found.certified
    assert found.reason.endswith("; it got no further, and proximal_newton went on.")


class Stuck(NamedTuple):
    """A solver that takes one step, upwards or not, and no other."""

    length: float = 1.0

    @property
    def needs(self):
        return ()

    def init(self, problem, point):
        return point, False

    def step(self, problem, state):
        point, _ = state
        return point._replace(weights=point.weights + self.length), True

    def point(self, state):
        return state[0]

    def progress(self, problem, state):
        point, is_over = state
        return Progress(5.0 if is_over else 1.0, certify(problem, point).objective, math.nan, stalled=is_over)


def small_problem(l2=0.1):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 3)), rng.standard_normal(40)
    return er.EmpiricalRisk(X, y, "squared", l2=l2)


@pytest.mark.interpreted
def test_a_chain_goes_on_until_one_certifies():
    problem = small_problem()
    found = er.minimize(problem, Handover((Stuck(), Stuck(), er.Newton(), Stuck())))
    assert found.certified
    assert found.passes >= 10.0
    assert found.reason == "handover: as asked; it got no further, and stuck, then newton went on."


@pytest.mark.interpreted
def test_the_best_of_a_chain_is_given_back():
    """All of them fail: the answer is the one with the least gap, not the last one."""
    problem = small_problem()
    near = er.minimize(problem, tol=1e-3)
    chain = Handover((er.GradientDescent(), Stuck(), Stuck()))
    found = er.minimize(problem, chain, start=(near.weights, near.intercept), tol=1e-15)
    assert not found.certified
    assert found.objective <= near.objective * (1.0 + 1e-15)  # the last digit is that of another sum
    assert found.certificate.verify(problem, found.point).holds


@pytest.mark.interpreted
@pytest.mark.parametrize(("length", "start"), [(100.0, 0.0), (0.1, 0.1)])
def test_the_second_begins_where_the_first_ended_if_that_is_lower(length, start):
    X = np.random.default_rng(0).standard_normal((40, 3))
    problem = er.EmpiricalRisk(X, X.sum(axis=1), "squared", l2=0.1)
    chain = Handover((Stuck(length), Stuck(0.1), Stuck()))
    state = chain.step(problem, chain.init(problem, problem.zero()))
    assert chain.progress(problem, state).stalled
    second = chain.further(problem, state)
    assert (second.place, second.before) == (1, 5.0)
    np.testing.assert_array_equal(chain.point(second).weights, np.full(3, start))
    third = chain.further(problem, chain.step(problem, second))
    np.testing.assert_array_equal(chain.point(third).weights, np.zeros(3))  # anew: the second may have been trapped
    assert chain.further(problem, third) is None


@pytest.mark.interpreted
def test_a_callback_that_stops_is_obeyed_before_the_next_solver():
    found = er.minimize(small_problem(), Handover((Stuck(), er.Newton())), callback=lambda trace: True)
    assert not found.certified
    assert found.passes == 5.0
