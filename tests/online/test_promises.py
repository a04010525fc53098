"""What theorems promise: from the sums that were met, over the whole set, and beforehand from a G that was given."""

from __future__ import annotations

import math

import numpy as np
import pytest

import empirisk as er
from empirisk.online.learners.coin_betting import conjugate, log_potential
from empirisk.online.learners.promise import promised
from empirisk.problems.linear_point import LinearPoint
from tests.online.games import rows

pytestmark = pytest.mark.interpreted
BALL = {"constraint": "l2_ball:radius=1.5", "fit_intercept": False}
SIMPLEX = {"constraint": "simplex:radius=2", "fit_intercept": False}
L1_BALL = {"constraint": "l1_ball:radius=2", "fit_intercept": False}
G, K = 40.0, 60
FORMS = [  # with the closed form of the books, for D = 3, U = 2 and four columns
    (f"gradient_descent:steps=horizon,horizon={K},gradient=G", BALL, G * 3.0 * math.sqrt(K)),
    ("gradient_descent:steps=inverse_sqrt,gradient=G", BALL, 1.5 * G * 3.0 * math.sqrt(K)),
    ("gradient_descent:steps=doubling,gradient=G", BALL, math.sqrt(2) / (math.sqrt(2) - 1) * G * 3.0 * math.sqrt(K)),
    (f"exponentiated_gradient:horizon={K},gradient=G", SIMPLEX, 2.0 * G * math.sqrt(2.0 * K * math.log(4))),
    (f"exponentiated_gradient:horizon={K},gradient=G", L1_BALL, 2.0 * G * math.sqrt(2.0 * K * math.log(8))),
    ("gradient_descent:steps=inverse,gradient=G", {"l2": 0.2, "fit_intercept": False}, None),
    ("coin_betting:gradient=G", {}, None),
]


def claim_of(learner, options):
    X, y, _ = rows("random", n=K)
    return er.online.learn(X, y, learner, **options).regret(X, y), X, y


@pytest.mark.parametrize(("learner", "options", "form"), FORMS, ids=str)
def test_the_closed_forms_are_promised_beforehand(learner, options, form):
    claim, X, y = claim_of(learner.replace("=G", f"={G}"), options)
    size = math.hypot(*claim.weights, claim.intercept)
    if form is None and options:
        form = G**2 * (1.0 + math.log(K)) / 0.4 + 0.1 * size**2
    elif form is None:
        form = G * (1.0 + size * math.sqrt(K * math.log(1.0 + 24.0 * (K * size) ** 2)))
    assert claim.beforehand == pytest.approx(form, rel=1e-12)
    assert claim.regret <= claim.bound <= claim.beforehand
    assert claim.void == ""
    assert f"promised {claim.beforehand:.6g} beforehand" in claim.sentence()
    assert claim.verify(claim.problem_of(X, y)).numbers["beforehand"] == pytest.approx(form, rel=1e-12)


@pytest.mark.parametrize(("learner", "options", "form"), FORMS, ids=str)
def test_a_row_beyond_it_leaves_the_sums_or_nothing(learner, options, form):
    claim, X, y = claim_of(learner.replace("=G", "=0.25"), options)
    assert math.isnan(claim.beforehand)
    assert claim.holds
    assert "beyond G = 0.25" in claim.sentence()
    if learner.startswith("coin"):
        assert math.isnan(claim.bound)
        assert "the most that it can lose" in claim.why
    else:
        assert claim.regret <= claim.bound
        assert "is void" in claim.sentence()
    assert claim.verify(claim.problem_of(X, y)).holds
    lie = claim._replace(beforehand=claim.regret + 1.0, void="")
    assert not lie.verify(claim.problem_of(X, y)).holds


@pytest.mark.parametrize(
    ("learner", "options"),
    [
        ("adagrad", BALL),
        ("ftrl_proximal", BALL),
        ("mirror_descent", BALL),
        ("mirror_descent:mirror_map=entropic", SIMPLEX),
        ("follow_the_regularized_leader:mirror_map=signed_entropic", L1_BALL),
        ("gradient_descent:steps=constant,length=0.1", BALL),
    ],
    ids=str,
)
def test_the_bound_over_the_set_is_that_of_its_worst_point(learner, options):
    claim, X, y = claim_of(learner, options)
    assert claim.regret <= claim.bound <= claim.over_set < math.inf
    run = er.online.learn(X, y, learner, **options)
    rng = np.random.default_rng(0)
    for _ in range(50):
        u = 2.0 * rng.normal(size=4)
        run.game.constraint.prox(u, 1.0, u)
        assert promised(run.learner, run.met(), LinearPoint(u)).at.value <= claim.over_set * (1.0 + 1e-12)
    assert "entropic" in learner or math.isnan(claim_of(learner, {"l2": 0.1})[0].over_set)


def test_every_restart_pays_the_penalty_of_the_start_again():
    X, y = 1e-3 * np.eye(4)[np.zeros(40, dtype=int)], np.ones(40)
    steps = "gradient_descent:steps=doubling,gradient=1,distance=3"
    run = er.online.learn(X, y, steps, l2=20.0, start=([1.0, -2.0, 0.0, 0.5], 0.0))
    regret = run.ledger.total - 40.0 * math.log(2.0)  # against zero
    found = promised(run.learner, run.met(), LinearPoint(np.zeros(4)))
    assert 200.0 < regret <= found.at.value <= found.beforehand.value


def test_a_longer_gradient_costs_no_more_than_there_was():
    X, y = 1e3 * np.ones((30, 1)), np.where(np.arange(30) % 3 == 0, 1.0, -1.0)
    run = er.online.learn(X[:0], y[:0], "coin_betting", loss="hinge")
    for i in range(30):
        run.learn(X[i : i + 1], y[i : i + 1])
        assert run.state.numbers[0] > 0.0
    assert "no bound" in run.regret(X, y, against="l2_ball:radius=1").sentence()


@pytest.mark.parametrize("eps", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("k", [1, 2, 7, 100, 10**4, 10**7])
def test_the_conjugate_of_the_potential_is_below_the_closed_form(k, eps):
    for size in (0.0, 1e-6, 1e-3, 0.1, 1.0, 50.0, 1e4):
        found = conjugate(size, k, eps)
        closed = size * math.sqrt(k * math.log1p(24.0 * (k * size / eps) ** 2))
        assert found <= closed + 1e-12 * eps
        for x in np.linspace(0.0, k, 101):
            potential = log_potential(float(x), k, eps)
            assert potential > 600.0 or x * size - math.exp(potential) <= found + 1e-9 * (1.0 + abs(found))


def test_wealth_is_no_less_than_the_potential():
    rng = np.random.default_rng(3)
    for n in (1, 5, 60):
        X, y = rng.normal(size=(n, 3)), np.where(rng.random(n) < 0.8, 1.0, -1.0)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        X[:, 0] = np.abs(X[:, 0])
        run = er.online.learn(X, y, "coin_betting", loss="hinge", fit_intercept=False)
        reached = float(np.linalg.norm(run.state.theta))
        assert math.log(run.state.numbers[0]) >= log_potential(reached, n, 1.0) - 1e-9
