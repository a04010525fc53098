"""The mixture and its lanes: they are the learners of those names, and none beats it by more than log 9."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.online.learners.lane_steps import ALPHAS, EPS, N_LANES
from empirisk.online.run import Overflowed
from empirisk.protocols import Unsupported
from tests.online.games import KINDS, rows

pytestmark = pytest.mark.interpreted
LANES = [*(f"normalized_adagrad:alpha={a}" for a in ALPHAS), *(f"scale_free_betting:eps={e}" for e in EPS)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_lanes_are_the_learners_of_their_names(kind, fit_intercept):
    X, y, s = rows(kind)
    options = {"sample_weight": s, "fit_intercept": fit_intercept}
    mixture = er.online.learn(X, y, "mixture:largest_weight=1e9", **options)
    for lane, lost in zip(LANES, mixture.state.losses, strict=True):
        alone = er.online.learn(X, y, lane, **options)
        assert lost == pytest.approx(alone.ledger.loss, rel=1e-9)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "heavy"])
def test_no_lane_is_better_by_more_than_log_9(kind):
    X, y, _ = rows(kind, n=200)
    run = er.online.learn(X, y)
    assert run.ledger.loss <= run.state.losses.min() + math.log(N_LANES) + 1e-9


@pytest.mark.parametrize("loss", ["hinge", "absolute", "huber"])
@pytest.mark.parametrize("kind", KINDS)
def test_other_losses_mix_by_adahedge(loss, kind):
    X, y, s = rows(kind, n=200)
    run = er.online.learn(X, y * (3.0 if loss != "hinge" else 1.0), "mixture", loss=loss, sample_weight=s)
    certificate = run.regret(X, y * (3.0 if loss != "hinge" else 1.0), sample_weight=s)
    assert certificate.holds
    assert certificate.verify(certificate.problem_of(X, y * (3.0 if loss != "hinge" else 1.0), s)).holds


def test_scores_are_those_that_it_would_answer():
    X, y, _ = rows("random", n=200)
    run = er.online.learn(X, y)
    found = run.scores(X[:5])
    again = er.online.learn(X, y)
    for i in range(5):
        fork = er.online.learn(X, y)
        assert fork.learn(X[i : i + 1], y[i : i + 1])[0] == pytest.approx(found[i], rel=1e-9)
    assert again.ledger == run.ledger
    with pytest.raises(Unsupported, match="no single point"):
        run.average()


@pytest.mark.parametrize("learner", ["scale_free_betting", "mixture"])
def test_powers_of_two_leave_every_byte(learner):
    X, y, _ = rows("random", n=200)
    scaled = X * 2.0 ** np.array([-30, 7, 0, 300])
    answers = [er.online.learn(A[:0], y[:0], learner).learn(A, y) for A in (X, scaled)]
    if learner == "mixture":  # whose normalized lanes take products in another order
        np.testing.assert_allclose(*answers, rtol=1e-9)
    else:
        assert answers[0].tobytes() == answers[1].tobytes()


@given(powers=st.lists(st.floats(-100.0, 100.0), min_size=4, max_size=4), seed=st.integers(0, 1000))
def test_any_scale_leaves_nine_digits(powers, seed):
    X, y, _ = rows("random", n=60, seed=seed)
    scaled = X * 10.0 ** np.array(powers)
    first, second = (er.online.learn(A[:0], y[:0], "scale_free_betting").learn(A, y) for A in (X, scaled))
    np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("learner", ["scale_free_betting", "normalized_adagrad", "mixture", "adagrad"])
@pytest.mark.parametrize("powers", [[150] * 4, [-150] * 4, [150, -150, 0, 150]], ids=str)
def test_columns_at_the_ends_of_the_range_are_learned_from(learner, powers):
    X, y, _ = rows("random", n=100)
    scaled = X * 10.0 ** np.array(powers)
    run = er.online.learn(scaled, y, learner)
    assert np.isfinite(run.ledger.loss)
    if learner != "adagrad":  # whose weights are of no scale but alpha
        assert run.ledger.loss == pytest.approx(er.online.learn(X, y, learner).ledger.loss, rel=1e-6)
    with pytest.raises(Overflowed, match="row 101 overflowed: its score"):
        run.learn(np.full((1, 4), 1e300), [1.0])
    assert run.ledger.rounds == 100
