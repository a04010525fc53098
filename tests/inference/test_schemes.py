from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest

from empirisk.inference.schemes import SCHEMES, first_break, scheme_mask

ENDINGS = {"iobes": ("E", "S"), "bilou": ("L", "U")}


def written(chunks, n_tokens, scheme):
    """The tags of these chunks (begin, end, type), as the scheme writes them."""
    tags, before = ["O"] * n_tokens, None
    for begin, end, kind in chunks:
        letters = ["I"] * (end - begin)
        if scheme == "iob2" or (scheme == "iob1" and before == (begin, kind)):
            letters[0] = "B"
        if scheme in ENDINGS:
            last, single = ENDINGS[scheme]
            letters = ["B", *letters[1:-1], last] if end - begin > 1 else [single]
        tags[begin:end] = [f"{letter}-{kind}" for letter in letters]
        before = (end, kind)
    return tuple(tags)


def chunkings(n_tokens, begin=0):
    """All sequences of chunks of two types in so many tokens."""
    if begin >= n_tokens:
        return [[]]
    rest = list(chunkings(n_tokens, begin + 1))
    for end in range(begin + 1, n_tokens + 1):
        rest += [[(begin, end, kind), *others] for kind in ("X", "Y") for others in chunkings(n_tokens, end)]
    return rest


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("n_tokens", [1, 2, 3, 4])
def test_allowed_are_the_tags_that_chunks_are_written_in_and_no_others(scheme, n_tokens):
    labels = ["O", *(f"{letter}-{kind}" for letter in SCHEMES[scheme] for kind in "XY")]
    mask = scheme_mask(labels, scheme)
    found = {
        tuple(labels[label] for label in path)
        for path in itertools.product(range(len(labels)), repeat=n_tokens)
        if first_break(np.array(path), *mask) == -1
    }
    assert found == {written(chunks, n_tokens, scheme) for chunks in chunkings(n_tokens)}


@pytest.mark.parametrize(
    ("scheme", "tags", "place"),
    [
        ("iob2", "O I-X", 1),
        ("iob2", "I-X O", 0),
        ("iob2", "B-X I-X B-X I-Y", 3),
        ("iob1", "I-X B-X O B-X", 3),
        ("iobes", "B-X I-X", 1),
        ("iobes", "B-X O S-X", 1),
        ("bilou", "U-X L-X", 1),
    ],
)
def test_the_first_place_that_breaks_the_scheme(scheme, tags, place):
    labels = sorted(set(tags.split()))
    path = np.array([labels.index(tag) for tag in tags.split()])
    assert first_break(path, *scheme_mask(labels, scheme)) == place


def test_what_is_not_allowed_becomes_minus_infinity():
    transitions, start, end = np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    scheme_mask(["B-NP", "E-NP", "O"], "iobes").forbid(transitions, start, end)
    assert transitions.tolist() == [[-math.inf, 0.0, -math.inf], [0.0, -math.inf, 0.0], [0.0, -math.inf, 0.0]]
    assert start.tolist() == [0.0, -math.inf, 0.0]
    assert end.tolist() == [-math.inf, 0.0, 0.0]


@pytest.mark.parametrize("label", ["E-NP", "NP", "", "BI-NP", "B-", "-NP", "O-NP", "b-NP"])
def test_other_labels_are_refused_in_one_sentence(label):
    sentence = f"labels of the scheme iob2 are O or begin with one of B-, I-; got {label!r}"
    with pytest.raises(ValueError, match=re.escape(sentence)):
        scheme_mask(["O", label], "iob2")


def test_an_unknown_scheme_is_refused_with_those_that_are_known():
    with pytest.raises(ValueError, match=re.escape("scheme must be one of iob1, iob2, iobes, bilou; got 'iob'")):
        scheme_mask(["O"], "iob")
