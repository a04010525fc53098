"""Chunks are counted as seqeval counts them, to the last digit, in its default mode and strictly."""

import warnings

import numpy as np
import pytest
import seqeval.metrics as seqeval
import seqeval.metrics.v1 as seqeval_strict
from seqeval import scheme as seqeval_schemes

from empirisk.chains.chunks import SCHEMES, score_chunks

TYPES = ("NP", "VP", "B-X", "_", "")
MARKS = {None: "OBI", "iob1": "OBI", "iob2": "OBI", "iobes": "OBIES", "bilou": "OBIUL"}
ODD = ("O-NP", "BNP", "NP", "X", "X-NP", ".", ".-NP", "B-", "E", "-NP", "L-NP", "U-NP", "[-NP")


def drawn_files(seed, strict):
    """Sequences of true and predicted tags; every third file has tags that hardly fit, if any may."""
    rng = np.random.default_rng(seed)
    marks = MARKS[strict] if strict or seed % 3 == 0 else "OBIES"
    tags = [mark + ("-" + kind if kind or seed % 2 else "") for mark in marks[1:] for kind in TYPES]
    tags += ["O"] * rng.integers(1, 4) + (list(ODD) if strict is None and seed % 3 == 2 else [])
    lengths = rng.integers(0, 9, rng.integers(1, 8)) + (np.arange(1) if seed % 5 else 1)
    true = [rng.choice(tags, n).tolist() for n in lengths]
    flip = rng.random()
    predicted = [[str(rng.choice(tags)) if rng.random() < flip else tag for tag in sequence] for sequence in true]
    return true, predicted


def differences(true, predicted, strict):
    """The names of what seqeval counts otherwise."""
    scheme = None if strict is None else getattr(seqeval_schemes, strict.upper())
    asked = {"mode": strict and "strict", "scheme": scheme, "zero_division": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        each = seqeval_each(true, predicted, scheme)
        whole = [f(true, predicted, **asked) for f in (seqeval.precision_score, seqeval.recall_score, seqeval.f1_score)]
        accuracy = seqeval.accuracy_score(true, predicted)
    score = score_chunks(true, predicted, strict)
    wanted = {
        "accuracy": [accuracy],
        "precision": [whole[0]],
        "recall": [whole[1]],
        "f1": [whole[2]],
        "precisions": each[0],
        "recalls": each[1],
        "f1s": each[2],
        "true": each[3],
    }
    return [name for name, value in wanted.items() if np.ravel(getattr(score, name)).tolist() != list(value)]


def seqeval_each(true, predicted, scheme):
    if scheme is None:
        found = seqeval.sequence_labeling.precision_recall_fscore_support(true, predicted, zero_division=0)
    else:
        found = seqeval_strict.precision_recall_fscore_support(true, predicted, scheme=scheme, zero_division=0)
    return [part.tolist() for part in found]


@pytest.mark.parametrize("strict", [None, *SCHEMES])
def test_counts_are_those_of_seqeval(strict):
    for seed in range(300 if strict is None else 100):
        true, predicted = drawn_files(seed, strict)
        if any(true):
            assert differences(true, predicted, strict) == [], f"seed {seed}"


def test_lines_are_those_of_conlleval():
    true = [["B-NP", "I-NP", "O", "B-VP", "I-NP"], ["I-NP", "B-NP"]]
    predicted = [["B-NP", "I-NP", "O", "B-VP", "I-VP"], ["I-NP", "I-NP"]]
    assert score_chunks(true, predicted).lines() == [
        "processed 7 tokens with 5 phrases; found: 3 phrases; correct: 1.",
        "accuracy:  71.43%; precision:  33.33%; recall:  20.00%; FB1:  25.00",
        "               NP: precision:  50.00%; recall:  25.00%; FB1:  33.33  2",
        "               VP: precision:   0.00%; recall:   0.00%; FB1:   0.00  1",
    ]


def test_lines_without_chunks():
    assert score_chunks([["O", "O"]], [["O", "O"]]).lines() == [
        "processed 2 tokens with 0 phrases; found: 0 phrases; correct: 0.",
        "accuracy: 100.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00",
    ]


def test_what_breaks_the_scheme_is_no_chunk():
    true, predicted = [["O", "B-NP", "I-NP"]], [["O", "I-NP", "I-NP"]]
    assert score_chunks(true, predicted).f1 == 1.0
    assert score_chunks(true, predicted, "iob2").found.tolist() == [0]
    assert score_chunks(true, true, "iob2").f1 == 1.0


def test_what_ends_without_a_beginning_goes_back_to_the_newest_one():
    """Even into another sequence, and to the very first place where there is none: so seqeval."""
    true = [[], ["X", "E-NP", "O-NP"], ["B-NP"], ["X", "X-VP"]]
    predicted = [[], ["X", "B-NP", "O-NP"], ["B-NP"], ["X", "B-VP"]]
    assert differences(true, predicted, None) == []
    assert score_chunks(true, predicted).right.tolist() == [2, 1, 2]


def test_what_cannot_be_scored_is_refused():
    with pytest.raises(ValueError, match="no tags"):
        score_chunks([], [])
    with pytest.raises(ValueError, match="1 true sequences and 2"):
        score_chunks([["O"]], [["O"], ["O"]])
    with pytest.raises(ValueError, match="sequence 2 has 1 true tags and 2"):
        score_chunks([["O"], ["O"]], [["O"], ["O", "O"]])
    with pytest.raises(ValueError, match="a tag is empty"):
        score_chunks([["O", ""]], [["O", "O"]])
    with pytest.raises(ValueError, match=r"'E-NP' does not belong to the scheme iob2, whose marks are O, B, I"):
        score_chunks([["O"]], [["E-NP"]], "iob2")
    with pytest.raises(ValueError, match="strict must be one of"):
        score_chunks([["O"]], [["O"]], "iob3")
