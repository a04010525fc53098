"""The minimum is CRFsuite's, with its choices: observed pairs, observed transitions, no weights of start and end."""

from __future__ import annotations

import itertools

import numpy as np
import pycrfsuite
import pytest

import empirisk as er
from tests.chains.sentences import drawn_sequences


def as_crfsuite(sequences, gold):
    """Lists of attributes and of labels."""
    indices, token_starts = sequences.attributes.indices, sequences.attributes.starts
    tokens = [[f"a{a}" for a in indices[b:e]] for b, e in itertools.pairwise(token_starts)]
    edges = sequences.starts.tolist()
    spans = list(itertools.pairwise(edges))
    return [tokens[b:e] for b, e in spans], [[f"L{k}" for k in gold[b:e]] for b, e in spans]


@pytest.mark.parametrize("strengths", [(0.0, 0.5), (0.3, 0.2)])
def test_the_minimum_is_that_of_crfsuite(strengths, tmp_path):
    c1, c2 = strengths
    X, y = as_crfsuite(*drawn_sequences(n=40, n_labels=4, longest=7))
    trainer = pycrfsuite.Trainer(verbose=False)
    for x, labels in zip(X, y, strict=True):
        trainer.append(x, labels)
    trainer.select("lbfgs")
    trainer.set_params({"c1": c1, "c2": c2, "max_iterations": 5000, "epsilon": 1e-9, "period": 50, "delta": 1e-13})
    trainer.train(str(tmp_path / "crf"))
    theirs = trainer.logparser.last_iteration["loss"]
    n = len(X)
    data = er.chain_data(X, y, transitions="observed", ends=False)
    ours = er.minimize(er.ChainRisk(data, l1=c1 / n, l2=2.0 * c2 / n), tol=1e-9)
    assert ours.certified
    assert n * ours.objective == pytest.approx(theirs, rel=1e-5)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "crf"))
    model = er.ChainClassifier(l1=c1 / n, l2=2.0 * c2 / n, tol=1e-9, transitions="observed", ends=False).fit(X, y)
    same = [np.array_equal(tagger.tag(x), labels) for x, labels in zip(X, model.predict(X), strict=True)]
    assert np.mean(same) >= 0.9
