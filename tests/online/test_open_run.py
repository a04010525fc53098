"""Runs whose columns come with their rows: the same bytes in any parts, and the answers of a run that knew them all."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.designs import as_design
from empirisk.online.learners.states import arrays_of
from empirisk.online.learning import begin
from empirisk.online.open_run import LEAST_ROOM, OpenRun, check_open, room_for
from empirisk.online.rows_met import rows_met
from empirisk.protocols import Unsupported

pytestmark = pytest.mark.interpreted

N = 40
GAMES = [
    ("adagrad", {}),
    ("adagrad", {"l1": 0.02, "l2": 0.01}),
    ("adagrad", {"constraint": "l2_ball:radius=1"}),
    ("gradient_descent", {"l2": 0.01}),
    ("gradient_descent:steps=doubling", {"l1": 0.01, "start": ([0.5] + 15 * [0.0], 0.7)}),
    ("mixture", {}),
    ("mixture", {"fit_intercept": False}),
    ("mixture:learners=adagrad+scale_free_betting", {}),
    ("scale_free_betting", {}),
    ("normalized_adagrad", {}),
    ("coin_betting:gradient=100", {}),
    ("implicit_descent", {}),
    ("mirror_descent", {}),
    ("ftrl_proximal", {"l1": 0.02, "l2": 0.01}),
    ("gradient_descent:distance=2", {"constraint": "box:low=-1,high=1", "fit_intercept": False}),
]


def widening():
    """Rows of which each may bring a column that is further to the right."""
    rng = np.random.default_rng(5)
    dense = rng.normal(size=(N, 4 * N)) * (np.arange(4 * N) < 4 * np.arange(1, N + 1)[:, None])
    X = scipy.sparse.csr_array(dense * (rng.random(dense.shape) < 0.1))
    return X, np.where(rng.random(N) < 0.5, 1.0, -1.0)


X, Y = widening()


def played(learner, options, cuts):
    run = begin(LEAST_ROOM, learner, "logistic", **options)
    check_open(run.learner, run.game)
    found = OpenRun(run, 0)
    edges = sorted({0, N, *cuts})
    scores = [found.learn(rows_met(X[a:b], Y[a:b], None, run.game.loss)) for a, b in itertools.pairwise(edges)]
    return found, np.concatenate(scores)


@pytest.mark.parametrize(("learner", "options"), GAMES, ids=str)
@given(cuts=st.lists(st.integers(0, N), max_size=4))
def test_parts_make_the_same_bytes(learner, options, cuts):
    whole, scores = played(learner, options, [])
    found, others = played(learner, options, cuts)
    assert scores.tobytes() == others.tobytes()
    assert found.n_features == whole.n_features == int(X.indices.max()) + 1
    assert found.run.n_columns == room_for(whole.n_features) == 256
    for name, array in arrays_of(whole.run.state).items():
        assert array.tobytes() == arrays_of(found.run.state)[name].tobytes()


@pytest.mark.parametrize(("learner", "options"), GAMES, ids=str)
def test_it_is_the_run_that_knew_the_columns(learner, options):
    found, scores = played(learner, options, [])
    if "start" in options:
        options = {**options, "start": (np.resize(options["start"][0], 16).tolist() + (X.shape[1] - 16) * [0.0], 0.7)}
    run = er.online.learn(X[:0], Y[:0], learner, **options)
    np.testing.assert_allclose(run.learn(X, Y), scores, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        found.run.point().weights[: X.shape[1]], run.point().weights[:250], rtol=1e-9, atol=1e-12
    )


def test_room():
    assert [room_for(n) for n in (0, 1, 16, 17, 32, 33, 1000)] == [16, 16, 16, 32, 32, 64, 1024]


def test_only_the_rows_that_were_played_count():
    run = begin(LEAST_ROOM, "gradient_descent:steps=constant,length=1", "squared")
    found = OpenRun(run, 0)
    rows = scipy.sparse.csr_array(np.diag([1.0, 1e200, 1.0]))
    with pytest.raises(er.online.Overflowed):
        found.learn(rows_met(rows, np.array([1.0, 1.0, 1.0]), None, run.game.loss))
    assert (run.n_rows, found.n_features) == (1, 1)


@pytest.mark.parametrize(
    ("learner", "options", "said"),
    [
        ("adagrad", {"constraint": "simplex"}, "excludes weights of zero"),
        ("adagrad", {"constraint": "box:low=1,high=2"}, "excludes weights of zero"),
        (
            "gradient_descent",
            {"constraint": "box:low=-1,high=1", "fit_intercept": False},
            "depend on how many columns there are",
        ),
        (
            "exponentiated_gradient",
            {"constraint": "l1_ball:radius=2", "fit_intercept": False},
            "columns",
        ),
    ],
)
def test_what_depends_on_the_columns_is_refused(learner, options, said):
    run = begin(LEAST_ROOM, learner, "logistic", **options)
    with pytest.raises(Unsupported, match=said):
        check_open(run.learner, run.game)


def test_a_run_that_cannot_grow_stays_as_it_is(monkeypatch):
    run = begin(LEAST_ROOM, "adagrad", "logistic")
    state, game = run.state, run.game
    monkeypatch.setattr("empirisk.online.run.grown", lambda *_: (_ for _ in ()).throw(MemoryError))
    with pytest.raises(MemoryError):
        run.grow(64)
    assert run.state is state
    assert run.game is game
    assert run.first.weights.size == LEAST_ROOM
    assert as_design(X).n_columns() > run.n_columns


MATRICES = [
    ("full_adagrad", {}),
    ("newton_step:gradient=5,score=3", {"constraint": "l2_ball:radius=0.5", "fit_intercept": False}),
    ("follow_the_leader:exact=true", {"loss": "squared", "l2": 0.1}),
    ("follow_the_leader:exact=true", {"loss": "logistic", "l2": 0.1, "fit_intercept": False}),
]


@pytest.mark.parametrize(("learner", "options"), MATRICES, ids=str)
def test_matrices_grow(learner, options):
    """With columns that come later, learners of few columns answer as if these had always been there."""
    rng = np.random.default_rng(3)
    rows, labels = rng.normal(size=(10, 4)), np.where(rng.random(10) < 0.5, 1.0, -1.0)
    rows[:5, 2:] = 0.0
    game = {"loss": "logistic", **options}
    narrow = begin(2, learner, **game)
    check_open(narrow.learner, narrow.game)
    first = narrow.learn(rows[:5, :2], labels[:5])
    narrow.grow(4)
    found = np.append(first, narrow.learn(rows[5:], labels[5:]))
    whole = begin(4, learner, **game)
    np.testing.assert_allclose(found, whole.learn(rows, labels), rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(narrow.average().stacked(), whole.average().stacked(), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize(("learner", "loss"), [("full_adagrad", "logistic"), ("forward_ridge", "squared")])
def test_a_matrix_does_not_grow_beyond_what_its_learner_takes(learner, loss):
    run = begin(LEAST_ROOM, learner, loss)
    found = OpenRun(run, 0)
    rows = scipy.sparse.csr_array(([1.0, 2.0, 1.0], ([0, 1, 2], [3, 0, 10**6])), shape=(3, 10**6 + 1))
    with pytest.raises(Unsupported, match="needs at most"):
        found.learn(rows_met(rows, np.array([1.0, -1.0, 1.0]), None, run.game.loss))
    assert run.n_rows == 2
    assert run.n_columns == LEAST_ROOM
