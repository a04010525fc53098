"""Learners that are the same under other names, to rounding; and some that are not."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.online.learners.states import with_arrays
from empirisk.update_rules.adagrad import INTERCEPT_SQUARE
from tests.online.games import rows

pytestmark = pytest.mark.interpreted

BALL = {"constraint": "l2_ball:radius=0.5", "fit_intercept": False}


def answers(learner, options, kind="random", loss="logistic"):
    X, y, s = rows(kind)
    run = er.online.learn(X[:0], y[:0], learner, loss=loss, **options)
    return run.learn(X, y, s)


def agree(first, second):
    np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("options", [{}, {"l2": 0.1}, {"l1": 0.02, "l2": 0.1}, BALL], ids=str)
def test_agile_mirror_descent_is_gradient_descent(options):
    agree(answers("mirror_descent:t=0.3", options), answers("gradient_descent:steps=constant,length=0.3", options))


@pytest.mark.parametrize("options", [{}, {"l2": 0.1}, BALL], ids=str)
def test_lazy_mirror_descent_is_the_regularized_leader(options):
    agree(answers("mirror_descent:form=lazy,t=0.3", options), answers("follow_the_regularized_leader:t=0.3", options))


def test_without_a_set_the_leader_is_gradient_descent():
    agree(answers("follow_the_regularized_leader:t=0.3", {}), answers("gradient_descent:steps=constant,length=0.3", {}))


def test_on_a_ball_agile_and_lazy_differ():
    agile, lazy = answers("mirror_descent:t=0.5", BALL), answers("mirror_descent:form=lazy,t=0.5", BALL)
    assert np.max(np.abs(agile - lazy)) > 0.01


def test_on_the_simplex_the_entropy_makes_them_one():
    simplex = {"constraint": "simplex:radius=2", "fit_intercept": False}
    agile = answers("mirror_descent:mirror_map=entropic,t=0.5", simplex)
    lazy = answers("follow_the_regularized_leader:mirror_map=entropic,t=0.5", simplex)
    np.testing.assert_allclose(agile, lazy, rtol=1e-10)


def test_the_signed_entropy_is_that_of_doubled_columns():
    X, y, _ = rows("random")
    ball = answers(
        "mirror_descent:mirror_map=signed_entropic,t=0.5", {"constraint": "l1_ball:radius=2", "fit_intercept": False}
    )
    run = er.online.learn(
        np.hstack([X, -X])[:0],
        y[:0],
        "mirror_descent:mirror_map=entropic,t=0.5",
        constraint="simplex:radius=2",
        fit_intercept=False,
    )
    np.testing.assert_allclose(run.learn(np.hstack([X, -X]), y), ball, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("penalty", [{"l2": 0.05}, {"l1": 0.02, "l2": 0.01}], ids=str)
def test_adagrad_is_the_solver_begun_at_its_squares(penalty, wrap):
    X, y, _ = rows("random")
    problem = er.EmpiricalRisk(wrap(X), y, "logistic", **penalty)
    solver = er.Adagrad(0.3, shuffle=False, average="none")
    begun = solver.init(problem, problem.zero())
    run = er.online.learn(wrap(X)[:0], y[:0], "adagrad:alpha=0.3", **penalty)
    rule = run.state.rule
    rule.numbers[INTERCEPT_SQUARE] = begun.square_b
    run.state = with_arrays(
        run.state,
        {
            **{f"rule.{k}": getattr(rule, k) for k in rule._fields if isinstance(getattr(rule, k), np.ndarray)},
            "rule.squares": begun.squares.copy(),
        },
    )
    run.learn(wrap(X), y)
    after = solver.step(problem, begun)
    agree(run.point().weights, after.w)
    assert run.point().intercept == pytest.approx(after.b, rel=1e-12)
