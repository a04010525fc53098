r"""CRFsuite's text: labels, attributes and weights, with \: and \\ in names."""

import itertools

import pytest

from empirisk.data.errors import DataError
from empirisk.data.sequences import crfsuite, read_crfsuite

TEXT = "B-NP\tw=the\tlen:3\nI-NP\tw=\\:\tback\\\\slash:-1.5e0\t\tw=a b\n\n\nO\nB\\:VP\tw=the\tempty:\r\n"


def read(tmp_path, text):
    path = tmp_path / "train.crfsuite"
    path.write_bytes(text.encode())
    return read_crfsuite(str(path))


def tokens_of(found):
    names, numbers, starts = found.names.texts(), found.numbers.tolist(), found.token_starts.tolist()
    weights = [1.0] * len(numbers) if found.weights is None else found.weights.tolist()
    pairs = [(names[k], weight) for k, weight in zip(numbers, weights, strict=True)]
    return [dict(pairs[first:last]) for first, last in itertools.pairwise(starts)]


EXPECTED = [
    {"w=the": 1.0, "len": 3.0},
    {"w=:": 1.0, "back\\slash": -1.5, "w=a b": 1.0},
    {},
    {"w=the": 1.0, "empty": 1.0},
]


def test_lines(tmp_path):
    found = read(tmp_path, TEXT)
    assert tokens_of(found) == EXPECTED
    assert found.labels.texts() == ["B-NP", "I-NP", "O", "B:VP"]
    assert found.starts.tolist() == [0, 2, 4]
    assert found.origin.lines.tolist() == [1, 2, 5, 6]


def test_parts_are_put_together(tmp_path, monkeypatch):
    for size in (1, 2, 3):
        monkeypatch.setattr(crfsuite, "AT_ONCE", size)
        found = read(tmp_path, TEXT)
        assert tokens_of(found) == EXPECTED
        assert found.starts.tolist() == [0, 2, 4]


def test_no_weights_are_kept_where_all_are_one(tmp_path):
    assert read(tmp_path, "A\tx\ty:1.0\n").weights is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected lines of tokens, found none"),
        (
            "A\tx\n\nA\tw:1:2\tx\n",
            r":3: expected a name and at most one weight, found 'w:1:2'; a colon in a name is \\:",
        ),
        ("A\tx\nA\ty\tz:one\n", ":2: expected a number as the weight of an attribute, found 'one'"),
        ("A\tx:nan\n", ":1: expected a number as the weight of an attribute, found 'nan'"),
        ("A\tx:1e999\n", ":1: expected a number as the weight of an attribute, found '1e999'"),
        ("A\tx:1_0\n", ":1: expected a number as the weight of an attribute, found '1_0'"),
    ],
)
def test_bad_files(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        read(tmp_path, text)
