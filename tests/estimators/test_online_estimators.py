"""The online estimators: the same bytes however rows come, users' labels, regret, and sentences for what is wrong."""

import itertools
import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError

import empirisk as er
from empirisk.protocols import Unsupported

pytestmark = pytest.mark.interpreted

RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((60, 4))
TARGET = X @ [1.0, -1.0, 2.0, 0.0] + 0.5 * RANDOM.standard_normal(60)
TWO = np.where(TARGET > 0.0, "yes", "no")
THREE = np.array(["low", "middle", "top"])[np.digitize(TARGET, [-1.0, 1.0])]
WEIGHTS = np.where(np.arange(60) % 7 == 3, 0.0, RANDOM.random(60))
LEARNERS = ("mixture", "adagrad", "gradient_descent")
BALL = {"learner": "adagrad", "constraint": "l2_ball:radius=2", "fit_intercept": False}
KINDS = [(er.OnlineClassifier, TWO), (er.OnlineClassifier, THREE), (er.OnlineRegressor, TARGET)]
EVERY_KIND = pytest.mark.parametrize(("kind", "y"), KINDS, ids=["two", "three", "regression"])


def made(kind, learner):
    if learner != "mixture":
        return kind(learner=learner, l2=0.1)
    return kind(learner=learner, loss="huber") if kind is er.OnlineRegressor else kind(learner=learner)


def in_parts(model, edges, rows, y, s=None):
    for first, last in itertools.pairwise(edges):
        named = {"classes": np.unique(y)} if y.dtype.kind == "U" and first == 0 else {}
        weights = None if s is None else s[first:last]
        model.partial_fit(rows[first:last], y[first:last], sample_weight=weights, **named)
    return model


def state_of(model):
    return [(run.ledger, run.fingerprint, run.point().stacked().tobytes()) for run in model.runs_]


@EVERY_KIND
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("container", [np.asarray, scipy.sparse.csr_array, np.float32])
def test_one_row_at_a_time_in_chunks_or_all_at_once(kind, y, learner, container):
    rows = container(X)
    for s in (None, WEIGHTS):
        whole = made(kind, learner).fit(rows, y, sample_weight=s)
        for edges in (range(61), (0, 1, 17, 60)):
            assert state_of(in_parts(made(kind, learner), edges, rows, y, s)) == state_of(whole)


@EVERY_KIND
def test_frames_and_lists_make_the_same_runs_as_arrays(kind, y):
    plain = state_of(kind().fit(X, y))
    names = list("abcd")
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        model = kind().fit(frame[:20], y[:20])
        assert model.feature_names_in_.tolist() == names
        assert state_of(model.partial_fit(frame[20:], y[20:])) == plain
        with pytest.raises(ValueError, match="feature names should match"):
            model.partial_fit(pd.DataFrame(X, columns=list("abce")), y)
    assert state_of(kind().fit(X[:20].tolist(), y[:20].tolist()).partial_fit(X[20:].tolist(), y[20:].tolist())) == plain


@EVERY_KIND
def test_fit_starts_anew_and_partial_fit_goes_on_after_it(kind, y):
    model = kind().fit(X[30:], y[30:]).fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    assert state_of(model) == state_of(kind().fit(X, y))


@EVERY_KIND
def test_a_failed_call_leaves_the_runs_as_they_were(kind, y):
    model = kind().fit(X, y)
    before, wrong = state_of(model), X.copy()
    wrong[5, 2] = np.nan
    with pytest.raises(ValueError, match=r"NaN \(row 65, column 2"):
        model.partial_fit(wrong, y)
    with pytest.raises(ValueError, match=r"NaN \(row 5, column 2"):
        model.fit(wrong, y)
    with pytest.raises(ValueError, match="non-negative"):
        model.partial_fit(X, y, sample_weight=-WEIGHTS)
    with pytest.raises(ValueError, match="4 features as input"):
        model.partial_fit(X[:, :3], y)
    assert state_of(model) == before


@EVERY_KIND
def test_a_pickle_goes_on(kind, y):
    model = pickle.loads(pickle.dumps(kind().fit(X[:30], y[:30])))
    assert state_of(model.partial_fit(X[30:], y[30:])) == state_of(kind().fit(X, y))


@EVERY_KIND
@pytest.mark.parametrize("learner", LEARNERS)
def test_a_call_copies_no_column_that_its_row_lacks(kind, y, learner):
    n_columns, few = 200_000, np.unique(y)[:3]
    row = scipy.sparse.csr_array(([1.0, 2.0], ([0, 0], [7, n_columns - 1])), shape=(1, n_columns))
    model = made(kind, learner).fit(scipy.sparse.vstack([row] * len(few), format="csr"), few)
    label = y[:1]
    model.partial_fit(row, label)
    tracemalloc.start()
    model.partial_fit(row, label)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n_columns  # an array of all columns has eight bytes for each


def test_predictions_are_those_of_the_weights():
    model = er.OnlineClassifier(learner="adagrad").fit(X, TWO)
    scores = X @ model.coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-12)
    assert model.predict(X).tolist() == np.where(scores >= 0.0, "yes", "no").tolist()
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1.0 / (1.0 + np.exp(-scores)), rtol=1e-12)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-12)
    counts = er.OnlineRegressor(loss="poisson", learner="adagrad:alpha=0.1").fit(X, np.round(np.exp(0.3 * TARGET)))
    np.testing.assert_allclose(counts.predict(X), np.exp(X @ counts.coef_ + counts.intercept_), rtol=1e-12)
    assert not hasattr(er.OnlineClassifier(loss="hinge"), "predict_proba")


def test_each_of_three_classes_has_a_run_against_the_rest():
    model = er.OnlineClassifier(**BALL).fit(X, THREE, sample_weight=WEIGHTS)
    assert (model.coef_.shape, model.intercept_.shape) == ((3, 4), (3,))
    assert len(model.ledger_) == 3
    for label, run, bound in zip(model.classes_, model.runs_, model.regret(X, THREE, WEIGHTS), strict=True):
        signs = np.where(label == THREE, 1.0, -1.0)
        alone = er.online.learn(X, signs, sample_weight=WEIGHTS, **BALL)
        assert (run.ledger, run.fingerprint) == (alone.ledger, alone.fingerprint)
        assert bound.holds
        assert er.verify(bound, X, signs, WEIGHTS).holds
    scores = model.decision_function(X)
    assert model.predict(X).tolist() == model.classes_[np.argmax(scores, axis=1)].tolist()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("learner", LEARNERS)
def test_regret_is_that_of_the_run_in_the_labels_of_the_user(learner):
    options = {} if learner == "mixture" else {**BALL, "learner": learner}
    model, signs = er.OnlineClassifier(**options).fit(X, TWO), np.where(TWO == "yes", 1.0, -1.0)
    bound = model.regret(X, TWO)
    assert bound.regret == er.online.learn(X, signs, **options).regret(X, signs).regret
    assert bound.regret <= bound.bound
    assert model.regret(X, TWO, against="l2_ball:radius=9").against == "l2_ball:radius=9.0"
    verdict = er.verify(model, X, TWO)
    assert verdict.holds
    assert "Played again" in verdict.sentence
    assert not er.verify(model, X, TWO[::-1]).holds
    with pytest.raises(ValueError, match="not the rows of the run"):
        model.regret(X[:50], TWO[:50])


def test_regret_of_a_regression():
    model = er.OnlineRegressor(**BALL).fit(X, TARGET)
    assert model.regret(X, TARGET).holds
    assert model.ledger_.rounds == 60
    assert er.verify(model, X, TARGET).holds


def test_labels_that_are_no_class():
    model = er.OnlineClassifier()
    with pytest.raises(ValueError, match="needs classes"):
        model.partial_fit(X, TWO)
    with pytest.raises(ValueError, match="only one class"):
        model.partial_fit(X, TWO, classes=["no"])
    with pytest.raises(ValueError, match=r"label 'yes' .* classes are 'maybe', 'no'"):
        model.partial_fit(X, TWO, classes=["no", "maybe"])
    model.partial_fit(X[:1], TWO[:1], classes=["no", "yes"])
    with pytest.raises(ValueError, match="those of the first call, 'no', 'yes'"):
        model.partial_fit(X, TWO, classes=["no", "maybe"])
    with pytest.raises(ValueError, match=r"label 'perhaps' \(row 0"):
        model.partial_fit(X[:1], ["perhaps"])
    model.partial_fit(X[:2], ["perhaps", "yes"], sample_weight=[0.0, 1.0])
    assert model.ledger_.rounds == 2
    with pytest.raises(ValueError, match="only one class"):
        er.OnlineClassifier().fit(X, np.full(60, "no"))


@EVERY_KIND
def test_weights_that_are_all_zero(kind, y):
    with pytest.raises(ValueError, match="non-negative, found -1"):
        kind().fit(X, y, sample_weight=-np.ones(len(X)))
    with pytest.raises(ValueError, match="zero for every row"):
        kind().fit(X, y, sample_weight=np.zeros(60))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"loss": "softmax"}, Unsupported, "one against the rest"),
        ({"loss": er.vector_losses.Softmax()}, Unsupported, "one against the rest"),
        ({"loss": "squared_error"}, ValueError, "is 'squared' here"),
        ({"loss": "huber"}, ValueError, "not for classification"),
        ({"l2": 1.0}, Unsupported, "mixture needs l2 = 0"),
        ({"learner": "adam"}, ValueError, "learner must be one of"),
        ({"learner": 3}, TypeError, "learner must be"),
        ({"l1": -1.0}, ValueError, "l1 must be a finite number >= 0"),
        ({"l2": "cv"}, TypeError, "l2 must be a number"),
        ({"constraint": "ball"}, ValueError, "constraint must be"),
        ({"fit_intercept": 1}, TypeError, "fit_intercept must be True or False"),
        ({"learner": "gradient_descent:steps=inverse"}, Unsupported, "l2 > 0"),
    ],
)
def test_wrong_parameters(options, error, words):
    with pytest.raises(error, match=words):
        er.OnlineClassifier(**options).fit(X, TWO)


def test_parameters_of_other_packages_and_several_targets():
    with pytest.raises(TypeError, match="has no parameter 'alpha'"):
        er.OnlineClassifier(alpha=1.0)
    with pytest.raises(ValueError, match="MultiOutputClassifier"):
        er.OnlineClassifier().fit(X, np.column_stack([TWO, TWO]))
    with pytest.raises(ValueError, match="MultiOutputRegressor"):
        er.OnlineRegressor().fit(X, np.column_stack([TARGET, TARGET]))


@EVERY_KIND
def test_before_the_first_row(kind, y):
    for name in ("coef_", "intercept_", "ledger_"):
        assert not hasattr(kind(), name)
    for call in (kind().predict, lambda rows: kind().regret(rows, y), lambda rows: er.verify(kind(), rows, y)):
        with pytest.raises(NotFittedError):
            call(X)
