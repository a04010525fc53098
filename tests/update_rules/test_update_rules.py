"""Update rules, called for one row after the other as an online learner would: what the solvers do in a pass."""

import math

import numpy as np
import pytest
import scipy.sparse

import empirisk as er
from empirisk.compiled import kernel
from empirisk.designs import as_design
from empirisk.losses import Perceptron
from empirisk.update_rules.adagrad import AdagradRule, LazyAdagradRule, adagrad_rule
from empirisk.update_rules.perceptron import PerceptronRule
from empirisk.update_rules.subgradient import INTERCEPT, Schedule, subgradient_rule

PENALTIES = [
    {"l2": 0.05},
    {"l1": 0.02, "l2": 0.0},
    pytest.param({"l2": 0.01, "constraint": er.L2Ball(0.5)}, marks=pytest.mark.interpreted),
]


def data(n=60, d=6, wrap=np.asarray):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3)
    return wrap(X), np.where(X[:, 0] + 0.3 * rng.normal(size=n) > 0.0, 1.0, -1.0)


def follow(rule, loss, X, y):
    """A pass of an online learner: the scores as it met them."""
    met = []
    for i in range(y.size):
        z = rule.score(X, i)
        met.append(z)
        rule.learn(X, i, loss.derivative(z, y[i]))
    rule.settle()
    return met


@kernel
def follow_compiled(rule, loss, X, y, met):
    for i in range(y.size):
        met[i] = rule.score(X, i)
        rule.learn(X, i, loss.derivative(met[i], y[i]))
    rule.settle()


def agree(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("wrap", [np.asarray, scipy.sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_sgd_is_its_rule(penalty, wrap):
    X, y = data(wrap=wrap)
    problem = er.EmpiricalRisk(X, y, "logistic", **penalty)
    solver = er.SGD("inverse_sqrt", 0.5, batch=1, shuffle=False, average="uniform")
    state = solver.step(problem, solver.init(problem, problem.zero()))
    schedule = Schedule(1, 0.5, problem.regularizer.strong_convexity())
    rule = subgradient_rule(problem.regularizer, schedule, 1.0, True, np.zeros(6), 0.0)
    follow(rule, problem.loss, problem.rows.whole(), problem.labels)
    agree(rule.w, state.w)
    agree(rule.numbers[INTERCEPT], state.b)
    agree(rule.w_mean, solver.point(state).weights)


def test_the_subgradient_step_is_the_formula():
    X, y = data()
    problem = er.EmpiricalRisk(X, y, "hinge", l1=0.03, l2=0.0, fit_intercept=False)
    rule = subgradient_rule(problem.regularizer, Schedule(0, 0.1, 0.0), 0.0, True, np.zeros(6), 0.0)
    w, points = np.zeros(6), []
    for x, label in zip(X, y, strict=True):
        moved = w + 0.1 * label * x if label * (w @ x) < 1.0 else w
        w = np.sign(moved) * np.maximum(np.abs(moved) - 0.003, 0.0)
        points.append(w)
    follow(rule, problem.loss, problem.rows.whole(), problem.labels)
    agree(rule.w, w)
    agree(rule.w_mean, np.mean(points, axis=0))


def test_the_weights_are_gathered_before_their_scale_is_lost():
    X, y = data(n=400)
    problem = er.EmpiricalRisk(X, y, "logistic", l2=0.5, fit_intercept=False)
    rule = subgradient_rule(problem.regularizer, Schedule(0, 0.3, 0.5), 0.0, True, np.ones(6), 0.0)
    w, points = np.ones(6), []
    for x, label in zip(X, y, strict=True):
        w = (w + 0.3 * label * x / (1.0 + math.exp(label * (w @ x)))) / 1.15
        points.append(w)
    follow(rule, problem.loss, problem.rows.whole(), problem.labels)
    np.testing.assert_allclose(rule.w, w, rtol=1e-8)
    np.testing.assert_allclose(rule.w_mean, np.mean(points, axis=0), rtol=1e-8)


@pytest.mark.parametrize(
    ("wrap", "kind"), [(np.asarray, AdagradRule), (scipy.sparse.csr_array, LazyAdagradRule)], ids=["dense", "sparse"]
)
def test_adagrad_is_its_rule(wrap, kind):
    X, y = data(d=20, wrap=lambda X: wrap(X * (np.abs(X) > 0.7)))
    problem = er.EmpiricalRisk(X, y, "logistic", l1=0.01, l2=0.02)
    solver = er.Adagrad(alpha=0.3, shuffle=False, average="uniform")
    start = solver.init(problem, problem.zero())
    state = solver.step(problem, start)
    lazy = kind is LazyAdagradRule
    rule = adagrad_rule(problem.regularizer, lazy, 0.3, 0.3, np.zeros(20), 0.0, start.squares, start.square_b)
    assert isinstance(rule, kind)
    follow(rule, problem.loss, problem.rows.whole(), problem.labels)
    agree(rule.w, state.w)
    agree(rule.squares, state.squares)
    agree(rule.w_mean, solver.point(state).weights)


def test_the_perceptron_is_its_rule_and_that_of_the_perceptron_loss():
    X, y = data()
    run = er.perceptron(X, y, max_passes=1)
    rule = PerceptronRule(True, np.zeros(6), np.zeros(1))
    design = as_design(X)
    mistakes = sum(y[i] * z <= 0.0 for i, z in enumerate(follow(rule, Perceptron(), design, y)))
    assert mistakes == run.mistakes
    agree(rule.w, run.last[0])
    agree(rule.numbers[0], run.last[1])
    zero = er.EmpiricalRisk(X, y, "perceptron", l2=0.0).regularizer
    same = subgradient_rule(zero, Schedule(0, 1.0, 0.0), 1.0, False, np.zeros(6), 0.0)
    follow(same, Perceptron(), design, y)
    agree(same.w, rule.w)
    assert same.numbers[INTERCEPT] == rule.numbers[0]


@pytest.mark.parametrize("kind", ["subgradient", "adagrad", "perceptron"])
def test_a_kernel_of_somebody_else_makes_the_same_calls(kind):
    """One that counts references, unlike those of the solvers."""
    X, y = data()
    problem = er.EmpiricalRisk(X, y, "logistic", l1=0.01, l2=0.02)

    def begun():
        if kind == "subgradient":
            return subgradient_rule(problem.regularizer, Schedule(2, 0.5, 0.02), 1.0, True, np.zeros(6), 0.0)
        if kind == "perceptron":
            return PerceptronRule(True, np.zeros(6), np.zeros(1))
        return adagrad_rule(problem.regularizer, True, 0.3, 0.3, np.zeros(6), 0.0, np.full(6, 0.1), 0.1)

    one, other, met = begun(), begun(), np.empty(y.size)
    follow_compiled(other, problem.loss, problem.rows.whole(), y, met)
    agree(follow(one, problem.loss, problem.rows.whole(), y), met)
    agree(one.w, other.w)


def test_a_first_step_that_overflowed_stays_infinite():
    assert Schedule(2, math.inf, 0.0).length(3) == math.inf
    assert Schedule(2, 0.5, 0.0).length(3) == 0.5
