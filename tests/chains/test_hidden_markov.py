"""Hidden Markov models: probabilities, labelings and risks as all labelings give them, and their chains."""

import itertools
import math

import numpy as np
import pytest

import empirisk as er
from empirisk.chains.chain_data import ChainData, no_masks
from empirisk.chains.generative import generative_weights
from empirisk.chains.layout import layout_of
from empirisk.chains.likelihood import mean_likelihood
from empirisk.chains.passes import Passes
from empirisk.chains.sequences import Sequences
from empirisk.designs.indicators import indicators
from empirisk.protocols import Unsupported
from tests.chains.sentences import drawn_data

WORDS, LABELS = "abc", "NV"


@pytest.fixture(scope="module")
def model():
    tables = [0.6, 0.4], [[0.75, 0.25], [0.0, 1.0]], [[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]
    return er.HiddenMarkovModel.of_tables(*tables, classes=list(LABELS), symbols=list(WORDS))


def all_of(letters, length):
    return list(itertools.product(letters, repeat=length))


def joint(model, x, s):
    """p(x, s), from the tables."""
    words, labels = [WORDS.index(w) for w in x], [LABELS.index(k) for k in s]
    p = model.first[labels[0]] * math.prod(model.emissions[k, w] for k, w in zip(labels, words, strict=True))
    return p * math.prod(model.transitions[i, j] for i, j in itertools.pairwise(labels))


def test_probabilities_are_those_of_the_tables_and_sum_to_one(model):
    pairs = [(x, s) for x in all_of(WORDS, 3) for s in all_of(LABELS, 3)]
    found = [math.exp(model.log_probability(x, s)) for x, s in pairs]
    np.testing.assert_allclose(found, [joint(model, x, s) for x, s in pairs], rtol=1e-12)
    assert math.fsum(found) == pytest.approx(1.0)
    assert model.log_probability("ab", "VN") == -math.inf
    assert model.log_probability("ad", "NN") == -math.inf
    assert model.log_probability("ab", "NX") == -math.inf


def test_labelings_are_the_best_of_all(model):
    for x in all_of(WORDS, 3):
        p = {s: joint(model, x, s) for s in all_of(LABELS, 3)}
        assert p[tuple(model.predict([x])[0])] == pytest.approx(max(p.values()))
        total = sum(p.values())
        marginals = [[sum(p[s] for s in p if s[t] == k) / total for k in LABELS] for t in range(3)]
        np.testing.assert_allclose(model.predict_marginals([x])[0], marginals, atol=1e-12)
        best = [LABELS[k] for k in np.argmax(marginals, axis=1)]
        assert model.predict([x], cost="hamming")[0].tolist() == best
        assert model.predict([x], cost="mean_hamming")[0].tolist() == best


def test_the_risk_is_that_of_all_pairs_and_no_strategy_has_less(model):
    X, rng = all_of(WORDS, 3), np.random.default_rng(0)

    def odd(X):
        return [rng.choice([*LABELS, "?"], len(x)).tolist() for x in X]

    for strategy in (model.predict, lambda X: model.predict(X, "hamming"), odd):
        answers = [list(s) for s in strategy(X)]
        given = dict(zip(X, answers, strict=True))
        wrong = {"sequence": 0.0, "hamming": 0.0}
        for x in X:
            for s in all_of(LABELS, 3):
                places = sum(a != b for a, b in zip(given[x], s, strict=True))
                wrong["sequence"] += joint(model, x, s) * (places > 0)
                wrong["hamming"] += joint(model, x, s) * places
        for cost, value in (*wrong.items(), ("mean_hamming", wrong["hamming"] / 3)):
            found = model.risk(lambda X: answers, 3, cost)  # noqa: B023
            assert found == pytest.approx(value)
            assert found >= model.risk(lambda X: model.predict(X, cost), 3, cost) - 1e-15  # noqa: B023


def test_a_chain_with_its_weights_has_its_posterior(model):
    """The loss of each labelling is -log p(s | x), and the gradient vanishes in the mean over p."""
    pairs = [(x, s) for x in all_of(WORDS, 2) for s in all_of(LABELS, 2)]
    p = np.array([joint(model, x, s) for x, s in pairs])
    pairs, p = [pairs[k] for k in np.flatnonzero(p)], p[p > 0.0]
    words = indicators(np.array([WORDS.index(w) for x, _ in pairs for w in x], np.uint32), np.arange(2 * p.size + 1), 3)
    sequences = Sequences(words, np.empty((2 * p.size, 0)), 2 * np.arange(p.size + 1))
    gold = np.array([LABELS.index(k) for _, s in pairs for k in s], np.int32)
    layout = layout_of(sequences, gold, 2, states="all", transitions="all", has_ends=True)
    data = ChainData(sequences, gold, np.array(list(LABELS)), p, layout, no_masks(2))
    found = mean_likelihood(Passes(data, 1), model.weights(layout))
    seen = {x: sum(joint(model, x, s) for s in all_of(LABELS, 2)) for x in all_of(WORDS, 2)}
    np.testing.assert_allclose(found.losses, [-math.log(q / seen[x]) for (x, _), q in zip(pairs, p, strict=True)])
    np.testing.assert_allclose(found.gradient, 0.0, atol=1e-15)


def test_samples_are_drawn_from_it(model):
    X, y = model.sample(20_000, 2, seed=3)
    for x, s in (("ab", "NN"), ("cc", "VV"), ("bc", "NV"), ("aa", "VN")):
        share = np.mean([tuple(w) == tuple(x) and tuple(k) == tuple(s) for w, k in zip(X, y, strict=True)])
        assert share == pytest.approx(joint(model, x, s), abs=0.01)
    assert model.sample(5, 4, seed=1) == model.sample(5, 4, seed=1)


def test_counting_is_certified_and_unseen_symbols_have_their_share(model):
    X, y = model.sample(50, 4, seed=1)
    found = er.HiddenMarkovModel.counted(X, y, smoothing=0.5)
    assert er.verify(found, found.problem(X, y), found.point()).holds
    assert found.certificate.gap < 1e-26
    assert not er.verify(found, found.problem(X[1:], y[1:]), found.point()).holds
    labels = [label for s in y for label in s]
    n = labels.count("V")
    c = sum(w == "c" and k == "V" for x, s in zip(X, y, strict=True) for w, k in zip(x, s, strict=True))
    np.testing.assert_allclose(found.emissions[1, -2:], [(c + 0.5) / (n + 2.0), 0.5 / (n + 2.0)])
    assert found.log_probability(["z"], ["N"]) == pytest.approx(math.log(found.first[0] * found.emissions[0, -1]))
    np.testing.assert_allclose(found.emissions.sum(axis=1), 1.0)
    assert None in {word for x in found.sample(500, 3)[0] for word in x}


def test_without_smoothing_what_was_not_seen_cannot_be():
    found = er.HiddenMarkovModel.counted([["a", "b"], ["b"]], [["N", "V"], ["V"]], smoothing=0.0)
    assert found.transitions.tolist() == [[0.0, 1.0], [0.5, 0.5]]  # nothing follows a V: what is not known is uniform
    assert found.log_probability("z", "N") == -math.inf
    assert found.log_probability("ab", "NV") == pytest.approx(math.log(0.5))
    assert er.verify(found, found.problem([["a", "b"], ["b"]], [["N", "V"], ["V"]]), found.point()).holds
    assert found.predict_marginals(["z"])[0].tolist() == [[0.0, 0.0]]


def test_sequences_with_one_attribute_a_token_are_counted_as_symbols():
    data = drawn_data(n=6, states="all")
    X = data.sequences.attributes
    words = indicators(
        np.array([X.column_at(t, 1) for t in range(X.n_rows())], np.uint32), np.arange(X.n_rows() + 1), 15
    )
    sequences = data.sequences._replace(attributes=words)
    found = er.HiddenMarkovModel.counted(sequences, data.gold, smoothing=1.0)
    edges = sequences.starts[1:-1]
    lists = [[part.tolist() for part in np.split(one, edges)] for one in (words.indices, data.gold)]
    again = er.HiddenMarkovModel.counted(*lists, smoothing=1.0)
    assert all(np.array_equal(a, b) for a, b in zip(found[:5], again[:5], strict=True))
    same = found.problem(*lists).data
    np.testing.assert_allclose(generative_weights(same, 1.0), found.weights(found.layout()), atol=1e-12)
    with pytest.raises(ValueError, match="one attribute a token"):
        er.HiddenMarkovModel.counted(data.sequences, data.gold)


def test_what_cannot_be_is_refused(model):
    of_tables = er.HiddenMarkovModel.of_tables
    with pytest.raises(ValueError, match="emissions must be probabilities"):
        of_tables([1.0], [[1.0]], [[0.5, 0.6]])
    with pytest.raises(ValueError, match="must have the shapes"):
        of_tables([0.5, 0.5], [[1.0]], [[0.5, 0.5]])
    with pytest.raises(ValueError, match="classes must be 1 different names"):
        of_tables([1.0], [[1.0]], [[0.5, 0.5]], classes=["a", "b"])
    with pytest.raises(ValueError, match="sequence 2 has 1 symbols and 2 labels"):
        er.HiddenMarkovModel.counted([["a"], ["a"]], [["N"], ["N", "V"]])
    with pytest.raises(ValueError, match="0 sequences of symbols and 0"):
        er.HiddenMarkovModel.counted([], [])
    with pytest.raises(TypeError, match="symbols must be of one type"):
        er.HiddenMarkovModel.counted([["a", 1]], [["N", "V"]])
    with pytest.raises(ValueError, match="a label is not one of the model's"):
        model.problem([["a"]], [["X"]])
    with pytest.raises(ValueError, match="a sequence is empty"):
        model.predict([[]])
    with pytest.raises(Unsupported, match=r"3\^20 inputs are too many"):
        model.risk(model.predict, 20)
    with pytest.raises(ValueError, match="one label a token"):
        model.risk(lambda X: [["N"] for _ in X], 2)
    with pytest.raises(ValueError, match="cost must be one of"):
        model.predict(["a"], cost="squared")
    with pytest.raises(Unsupported, match="of 3 or 4 attributes"):
        model.weights(drawn_data(n_labels=2).layout)
