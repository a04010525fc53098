"""The estimator of sequences: scikit-learn's conventions where they can hold, files, growth and refusals."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import empirisk as er

WORDS = {"D": ["the", "a"], "N": ["cat", "dog", "bird"], "V": ["sees", "hears"]}


def sentences(n=30, seed=0):
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(n):
        labels = ["D", "N", "V", "D", "N"][: rng.integers(2, 6)]
        words = [str(rng.choice(WORDS[label])) for label in labels]
        y.append(labels)
        X.append([{"word": word, "ends": word[-1], "first": t == 0} for t, word in enumerate(words)])
    return X, y


def test_it_labels_certifies_and_verifies(tmp_path):
    X, y = sentences()
    tagger = er.ChainClassifier(l2=0.01, tol=1e-6).fit(X, y)
    assert tagger.classes_.tolist() == ["D", "N", "V"]
    assert tagger.score(X, y) == tagger.sequence_score(X, y) == 1.0
    assert tagger.certificate_.is_within(1e-6)
    assert er.verify(tagger, X, y).holds
    verdict = er.verify(tagger, X, [labels[::-1] for labels in y])
    assert not verdict.holds
    assert not er.verify(tagger, X[:-1], y[:-1]).holds
    er.save(tagger, tmp_path / "model")
    again = er.load(tmp_path / "model")
    assert [labels.tolist() for labels in again.predict(X)] == [labels.tolist() for labels in tagger.predict(X)]
    assert er.verify(again, X, y).holds
    assert again.features.to_json() == tagger.model_.features.to_json()


def test_answers_beside_labels():
    X, y = sentences()
    tagger = er.ChainClassifier(l2=0.01).fit(X, y)
    chances = tagger.predict_marginals(X[:2])
    assert all(np.allclose(rows.sum(axis=1), 1.0) for rows in chances)
    logs = tagger.log_probability(X[:3], y[:3])
    best = tagger.predict_k_best(X[:3], 2)
    assert [labels.tolist() for (_, labels), _ in best] == [labels.tolist() for labels in tagger.predict(X[:3])]
    gap = best[0][0][0] - best[0][1][0]
    other = tagger.log_probability(X[:1], [best[0][1][1].tolist()])
    assert logs[0] - other[0] == pytest.approx(gap)
    known = [[None] * (len(labels) - 1) + ["V"] for labels in y[:4]]
    assert all(labels[-1] == "V" for labels in tagger.predict(X[:4], known=known))
    assert tagger.transitions_.shape == (3, 3)
    name, weight = tagger.top_weights("D", 1)[0]
    assert isinstance(name, str)
    assert isinstance(weight, float)


def test_it_goes_with_scikit_learn():
    X, y = sentences(24)
    tagger = er.ChainClassifier(l2=0.05)
    assert cross_val_score(tagger, X, y, cv=3).shape == (3,)
    search = GridSearchCV(tagger, {"l2": [0.01, 0.1]}, cv=2).fit(X, y)
    assert search.best_params_["l2"] in (0.01, 0.1)
    fitted = clone(tagger).fit(X, y)
    copied = pickle.loads(pickle.dumps(fitted))
    assert copied.score(X, y) == fitted.score(X, y)
    assert "l2=0.05" in repr(tagger)
    pipeline = make_pipeline(FunctionTransformer(), er.ChainClassifier(l2=0.05)).fit(X, y)
    assert pipeline.score(X, y) == fitted.score(X, y)
    with pytest.raises(NotFittedError):
        tagger.predict(X)


def test_weights_of_sequences_are_repetitions():
    X, y = sentences(10)
    weights = 1 + np.arange(10) % 2
    weighted = er.ChainClassifier(l2=0.1, tol=1e-9).fit(X, y, sample_weight=weights)
    again = [j for j in range(10) for _ in range(weights[j])]
    repeated = er.ChainClassifier(l2=0.1, tol=1e-9).fit([X[j] for j in again], [y[j] for j in again])
    assert weighted.certificate_.objective == pytest.approx(repeated.certificate_.objective, rel=1e-8)


def test_it_goes_on():
    X, y = sentences(20)
    first = er.ChainClassifier(l2=0.01, tol=1e-6).fit(X[:10], y[:10])
    more = [[{"word": "Rex", "ends": "x"}]], [["P"]]
    tagger = er.ChainClassifier(l2=0.01, start=first.model_).fit(X + more[0], y + more[1])
    assert tagger.classes_.tolist() == ["D", "N", "P", "V"]
    assert tagger.predict(more[0])[0].tolist() == ["P"]
    again = er.ChainClassifier(l2=0.01, tol=1e-6, warm_start=True).fit(X[:10], y[:10])
    again.fit(X[:10], y[:10])
    assert again.model_.passes <= 2.0


def test_bad_input():
    X, y = sentences(4)
    fit = er.ChainClassifier().fit
    for bad, labels, said in [
        ([], [], "no sequence"),
        ([[]], [[]], "empty"),
        (X, y[:-1], "y has 3 sequences, X has 4"),
        (X, [*y[:-1], y[-1][:-1]], "sequence 3, counted from 0"),
        (X, [["D"] * len(labels) for labels in y], "only one label"),
        (X, [["D", 1, *labels[2:]] for labels in y], "mixes labels|cannot be sorted"),
        ([[{"a": float("nan")}, {"b": 1.0}]], [["x", "y"]], "nan|finite"),
    ]:
        with pytest.raises((ValueError, TypeError), match=said):
            fit(bad, labels)
    with pytest.raises(ValueError, match="margins are minimised under l1 = 0"):
        er.ChainClassifier(loss="margin", l1=0.1).fit(X, y)
    with pytest.raises(ValueError, match="likelihood needs l1 > 0 or l2 > 0"):
        er.ChainClassifier(l2=0.0).fit(X, y)
    with pytest.raises(ValueError, match="solver"):
        er.ChainClassifier(solver="newton").fit(X, y)
    with pytest.warns(ConvergenceWarning, match="not certified"):
        er.ChainClassifier(l2=1e-6, tol=1e-12, max_passes=2).fit(X, y)
    tagger = er.ChainClassifier(l2=0.1).fit(X, y)
    with pytest.raises(ValueError, match="none that was trained"):
        tagger.log_probability(X[:1], [["Z"] * len(y[0])])


@pytest.mark.parametrize("loss", ["margin", "perceptron", "generative"])
def test_the_other_losses_label_and_verify(loss, tmp_path):
    X, y = sentences()
    tagger = er.ChainClassifier(loss, l2=0.01, tol=1e-3, max_passes=200).fit(X, y)
    assert tagger.score(X, y) >= 0.9
    assert tagger.model_.certified, tagger.model_.status
    assert er.verify(tagger, X, y).holds
    er.save(tagger, tmp_path / "model")
    assert er.verify(er.load(tmp_path / "model"), X, y).holds
    assert not er.verify(er.load(tmp_path / "model"), X, [labels[::-1] for labels in y]).holds


def test_sequences_that_no_weights_can_have_right():
    X, y = [["a", "b"], ["a", "b"]], [["x", "y"], ["y", "x"]]
    tagger = er.ChainClassifier("perceptron").fit(X, y)
    assert tagger.model_.certified
    assert "Not realisable" in tagger.certificate_.sentence()
    assert er.verify(tagger, X, y).holds


def test_a_start_of_frequencies():
    X, y = sentences()
    tagger = er.ChainClassifier(l2=0.01, start="generative").fit(X, y)
    assert tagger.model_.certified
    with pytest.raises(ValueError, match="start"):
        er.ChainClassifier(start="zero").fit(X, y)


@pytest.mark.parametrize("size", [1e300, 1e150, 1e-150])
@pytest.mark.parametrize("loss", ["likelihood", "margin", "perceptron"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_of_attributes_of_any_size(loss, size):
    X, y = [[{"a": size}, {"b": size}], [{"b": size}]], [["x", "y"], ["y"]]
    tagger = er.ChainClassifier(loss, max_passes=30).fit(X, y)
    assert tagger.model_.status
    assert not tagger.model_.certified or er.verify(tagger, X, y).holds


def test_a_start_that_overflows():
    data = er.chain_data(*sentences(4))
    solution = er.minimize(er.ChainRisk(data), start=np.full(data.layout.size, 1e308), max_passes=5)
    assert solution.status is er.Status.OVERFLOW


def test_starts_and_counts_that_cannot_be():
    X, y = sentences(4)
    first = er.ChainClassifier(l2=0.1).fit(X, y)
    assert er.ChainClassifier(l2=0.1, start=first).fit(X, y).model_.passes <= 2.0
    with pytest.raises(TypeError, match="start must be a model of sequences"):
        er.ChainClassifier(start=np.zeros(3)).fit(X, y)
    with pytest.raises(ValueError, match="counted of attributes"):
        er.ChainClassifier("generative").fit([np.eye(2), np.eye(2)[:1]], [["x", "y"], ["x"]])
