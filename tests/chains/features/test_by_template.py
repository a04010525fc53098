"""Attributes from templates: those that a slow second way finds, each with a number of its own."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.chains.features import Features, as_templates, collected, learn_features, parse_templates
from empirisk.chains.features.tuple_numbers import EVERY_BIT, number_tuples
from empirisk.compiled import quiet
from empirisk.data.errors import DataError
from empirisk.data.sequences import read_conll, read_conllu
from empirisk.designs import Indicators
from tests.chains.features.reading import by_hand, named

TEMPLATES = parse_templates(
    ("word", "pos", "tag"),
    "tag",
    [
        "bias",
        "word[0]",
        "word[-1]",
        "word[2]",
        "word[-1]|word[0]",
        "pos[-1]|word[0]|pos[1]",
        "lower(word[0])",
        "suffix(lower(word[0]), 2)",
        "prefix(word[1], 1)|shape(word[0])",
    ],
)
X = [
    (["The", "dog", "barks"], ["DT", "NN", "VB"]),
    (["Dogs"], ["NN"]),
    (["the", "DOG", "Über", "a", "a"], ["DT", "NN", "NN", "", "DT"]),
]
NEW = [(["the", "cat", "barks", "the"], ["DT", "NN", "VB", "DT"])]


def sets(sequences, features):
    return [[set(token) for token in x] for x in named(sequences, features)]


def test_names_are_those_found_by_hand():
    sequences, features = learn_features(X, TEMPLATES)
    assert isinstance(sequences.attributes, Indicators)
    assert sets(sequences, features) == [by_hand(x, TEMPLATES) for x in X]
    assert (sequences.n_sequences, sequences.n_tokens, sequences.longest) == (3, 9, 5)
    assert sequences.dense.shape == (9, 0)
    assert not any(array.flags.writeable for array in (sequences.dense, sequences.starts, sequences.attributes.indices))


WORDS = st.sampled_from(["a", "B", "ab", "Ab", ""])


@given(st.lists(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4), min_size=1, max_size=3))
def test_names_of_any_columns(tokens):
    given_ = [tuple(map(list, zip(*x, strict=True))) for x in tokens]
    sequences, features = learn_features(given_, TEMPLATES)
    assert sets(sequences, features) == [by_hand(x, TEMPLATES) for x in given_]


def test_numbers_go_by_falling_frequency():
    sequences, features = learn_features(X, TEMPLATES)
    counts = np.bincount(sequences.attributes.indices)
    assert counts.size == features.n_attributes
    assert counts.tolist() == sorted(counts.tolist(), reverse=True)
    assert features.name_of(0) == "bias"
    with pytest.raises(IndexError):
        features.name_of(features.n_attributes)


def test_rare_ones_are_left_out():
    counts = Counter(name for x in X for token in by_hand(x, TEMPLATES) for name in token)
    sequences, features = learn_features(X, TEMPLATES, min_count=2)
    expected = [[{name for name in token if counts[name] > 1} for token in by_hand(x, TEMPLATES)] for x in X]
    assert sets(sequences, features) == expected
    assert sets(features.encode(X), features) == expected
    assert features.n_attributes == sum(count > 1 for count in counts.values())


def test_unknown_ones_are_left_out():
    _, features = learn_features(X, TEMPLATES)
    known = {features.name_of(a) for a in range(features.n_attributes)}
    expected = [[token & known for token in by_hand(x, TEMPLATES)] for x in NEW]
    assert sets(features.encode(NEW), features) == expected
    assert sets(features.encode(NEW), features) == expected  # the tables are there now
    nothing = features.encode([(["?"], ["?"])])
    assert sets(nothing, features) == [[{"bias"}]]


def test_it_grows_and_the_old_numbers_stay():
    _, features = learn_features(X, TEMPLATES)
    before = [features.name_of(a) for a in range(features.n_attributes)]
    sequences, more = features.grown(NEW)
    assert sets(sequences, more) == [by_hand(x, TEMPLATES) for x in NEW]
    assert [more.name_of(a) for a in range(features.n_attributes)] == before
    assert [features.name_of(a) for a in range(features.n_attributes)] == before
    assert sets(more.encode([*X, *NEW]), more) == [by_hand(x, TEMPLATES) for x in [*X, *NEW]]
    again, same = more.grown(X)
    assert same.n_attributes == more.n_attributes
    np.testing.assert_array_equal(again.attributes.indices, more.encode(X).attributes.indices)


def test_copies_encode_alike():
    _, features = learn_features(X, TEMPLATES)
    for again in (pickle.loads(pickle.dumps(features)), copy.deepcopy(features)):
        np.testing.assert_array_equal(again.encode(NEW).attributes.indices, features.encode(NEW).attributes.indices)


def test_arrays_there_and_back():
    _, features = learn_features(X, TEMPLATES, min_count=2)
    again = Features.from_arrays(features.to_json(), features.to_arrays())
    assert again.n_attributes == features.n_attributes
    np.testing.assert_array_equal(again.encode(X).attributes.indices, features.encode(X).attributes.indices)
    assert [again.name_of(a) for a in range(again.n_attributes)] == [
        features.name_of(a) for a in range(features.n_attributes)
    ]
    content, starts = again.names()
    assert bytes(content[starts[1] : starts[2]]).decode() == features.name_of(1)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("attribute_templates", lambda a: a + 100, "a template that is not there"),
        ("attribute_values", lambda a: a + 100, "a value that is not there"),
        ("attribute_templates", lambda a: a.astype(int) - 1, "a template that is not there"),
        ("attribute_values", lambda a: a.astype(int) - 100, "a value that is not there"),
        ("attribute_values", lambda a: a[1:], "as many as their templates have"),
        ("attribute_templates", lambda a: a[:-1], "as many as|number of attributes"),
        ("values_0", lambda a: a[1:], "the starts of strings"),
    ],
)
def test_arrays_that_cannot_be_are_refused(name, change, said):
    _, features = learn_features(X, TEMPLATES)
    arrays = features.to_arrays()
    arrays[name] = change(arrays[name])
    with pytest.raises(ValueError, match=said):
        Features.from_arrays(features.to_json(), arrays)


@pytest.mark.parametrize("kept", [0, 7, int(EVERY_BIT)])
def test_no_two_tuples_share_a_number_whatever_the_hash(kept):
    """With three bits of the hash, or none, the table is slow, and right: keys are compared."""
    values = np.random.default_rng(0).integers(-1, 9, size=(2, 200)).astype(np.int32)
    tuples, slots = np.empty((200, 2), np.int32), np.full(512, -1, np.int32)
    out, counts = np.empty(200, np.int32), np.zeros(200, np.int64)
    rows, offsets, starts = np.array([0, 1]), np.array([0, 1]), np.array([0, 120, 200])
    with quiet():
        size = number_tuples(values, rows, offsets, starts, slots, tuples, 0, np.uint64(kept), True, counts, out)
    pairs = [
        (int(values[0, t]), int(values[1, t + 1]))
        if t not in (119, 199) and min(values[0, t], values[1, t + 1]) >= 0
        else None
        for t in range(200)
    ]
    numbers = {pair: number for number, pair in enumerate(dict.fromkeys(pair for pair in pairs if pair))}
    assert out.tolist() == [-1 if pair is None else numbers[pair] for pair in pairs]
    assert size == len(numbers)
    assert [tuple(pair) for pair in tuples[:size].tolist()] == list(numbers)
    assert counts[:size].tolist() == [pairs.count(pair) for pair in numbers]


def test_hashed():
    """Without a dictionary: the same wherever it is computed, each attribute once in a row."""
    sequences, features = learn_features(X, TEMPLATES, hash_bits=18)
    assert (features.n_attributes, features.hash_bits, features.to_arrays()) == (2**18, 18, {})
    plain, _ = learn_features(X, TEMPLATES)
    sizes = [[len(token) for token in by_hand(x, TEMPLATES)] for x in X]
    assert np.diff(sequences.attributes.starts).tolist() == [size for x in sizes for size in x]
    pairs = set(zip(sequences.attributes.indices.tolist(), plain.attributes.indices.tolist(), strict=True))
    assert len(pairs) == len({one for one, _ in pairs}) == len({other for _, other in pairs})
    assert features.name_of(7) == "#7"
    again = Features.from_arrays(features.to_json(), {})
    alone = again.encode(X[2:])
    np.testing.assert_array_equal(
        alone.attributes.indices, sequences.attributes.indices[sequences.attributes.starts[4] :]
    )
    few, _ = learn_features(X, TEMPLATES, hash_bits=2)
    assert all(len(set(row)) == len(row) for row in np.split(few.attributes.indices, few.attributes.starts[1:-1]))
    assert few.attributes.indices.max() <= 3


def test_what_the_hash_does_not_go_with():
    with pytest.raises(ValueError, match="hash_bits must be a whole number from 1 to 30, got 31"):
        learn_features(X, TEMPLATES, hash_bits=31)
    with pytest.raises(ValueError, match="with hash_bits no name is known"):
        learn_features(X, TEMPLATES, hash_bits=4, min_count=2)
    with pytest.raises(ValueError, match="min_count must be a whole number >= 1, got 0"):
        learn_features(X, TEMPLATES, min_count=0)


def test_files_and_lists_are_one(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text(
        "\n\n".join("\n".join(" ".join((*cells, "O")) for cells in zip(*x, strict=True)) for x in X[:2]),
        encoding="utf-8",
    )
    read, of_file = learn_features(read_conll(str(path)), TEMPLATES)
    listed, of_lists = learn_features(iter(X[:2]), TEMPLATES)
    np.testing.assert_array_equal(read.attributes.indices, listed.attributes.indices)
    assert of_file.to_json() == of_lists.to_json()
    assert of_file.labels_in(read_conll(str(path))).texts() == ["O"] * 4
    assert of_file.labels_in(X) is None
    path.write_text("a b\n")
    assert of_file.labels_in(read_conll(str(path))) is None
    assert of_file.encode(read_conll(str(path))).n_tokens == 1
    path.write_text("a b c d\n")
    with pytest.raises(
        DataError, match=r"train.txt:1: expected the columns word, pos, tag, the last .* found 4 columns"
    ):
        of_file.encode(read_conll(str(path)))
    with pytest.raises(ValueError, match="columns need templates"):
        learn_features(read_conll(str(path)))


def test_templates_of_crfpp(tmp_path):
    """Columns that no template looks at, and the label, which is the last."""
    (tmp_path / "templates").write_text("U00:%x[0,0]\nU01:%x[-1,0]/%x[1,1]\nU02\nB\n")
    (tmp_path / "train.txt").write_text("a A x O\nb B x I\nc C x O\n")
    columns = read_conll(str(tmp_path / "train.txt"))
    sequences, features = learn_features(columns, tmp_path / "templates")
    assert sets(sequences, features) == [
        [
            {"U00:%x[0,0]=a", "U02"},
            {"U00:%x[0,0]=b", "U01:%x[-1,0]/%x[1,1]=a|C", "U02"},
            {"U00:%x[0,0]=c", "U02"},
        ]
    ]
    assert features.labels_in(columns).texts() == ["O", "I", "O"]


def test_columns_of_conllu_have_names(tmp_path):
    path = tmp_path / "train.conllu"
    path.write_text("1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n")
    columns = read_conllu(str(path))
    sequences, features = learn_features(columns, "pos")
    assert sets(sequences, features) == [by_hand((["Go"],), as_templates("pos"))]
    of_pos, features = learn_features(columns, parse_templates(("form", "xpos", "tag"), "tag", ["xpos[0]"]))
    assert sets(of_pos, features) == [[{"xpos[0]=VB"}]]
    with pytest.raises(ValueError, match="the templates need the column 'stem', and there are form, lemma"):
        learn_features(columns, parse_templates(("stem",), None, ["stem[0]"]))


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (
            (["a"], ["b"], ["c"], ["d"]),
            "expected the columns word, pos, tag, the last without its label tag or|found 4",
        ),
        ((["a", "b"], ["c"]), "the columns of sequence 0 differ in length: 2, 1"),
        ((["a", "b"], ["c", 3]), "token 1 of sequence 0, counted from 0, has 3 in a column of texts"),
        ("ab", "is a tuple of columns, or a list of tokens, each a tuple, and sequence 0 is str"),
        (["a", "b"], "with templates a sequence is a tuple of columns"),
        (([], []), "sequence 0, counted from 0, is empty"),
    ],
)
def test_what_are_no_columns(x, said):
    with pytest.raises(ValueError, match=said):
        learn_features([x], TEMPLATES)


def test_tokens_may_be_tuples():
    tokens = [list(zip(*columns, strict=True)) for columns in X]
    sequences, features = learn_features(tokens, TEMPLATES)
    by_columns, _ = learn_features(X, TEMPLATES)
    assert sets(sequences, features) == sets(by_columns, features)
    with pytest.raises(ValueError, match="token 1 of sequence 0, counted from 0, has 1 columns, and token 0 has 2"):
        learn_features([[("a", "b"), ("c",)]], TEMPLATES)
    with pytest.raises(ValueError, match="token 1 of sequence 0, counted from 0, has None in a column of texts"):
        learn_features([[("a", "b"), ("c", None)]], TEMPLATES)


def test_what_is_no_text_is_found_among_others(monkeypatch):
    for size in (1, 3, 100):
        monkeypatch.setattr(collected, "AT_ONCE", size)
        with pytest.raises(ValueError, match="token 0 of sequence 3, counted from 0, has None in a column of texts"):
            learn_features([*X, ([None, "a"], ["b", "b"]), X[0]], TEMPLATES)


def test_sequences_of_other_columns():
    with pytest.raises(ValueError, match="sequence 1 has 3 columns, and sequence 0 has 2"):
        learn_features([X[0], (["a"], ["b"], ["c"])], TEMPLATES)
    with_label, _ = learn_features([(*x, ["O"] * len(x[0])) for x in X], TEMPLATES)
    np.testing.assert_array_equal(with_label.attributes.indices, learn_features(X, TEMPLATES)[0].attributes.indices)


def test_columns_and_a_dense_row():
    sequences, features = learn_features([(x, np.full((len(x[0]), 2), 0.5)) for x in X], TEMPLATES)
    assert sets(sequences, features) == [by_hand(x, TEMPLATES) for x in X]
    assert (sequences.dense.shape, features.n_dense) == ((9, 2), 2)


@pytest.mark.compiled
def test_machine_code_does_the_same():
    sequences, features = learn_features(X * 200, TEMPLATES)
    expected = [by_hand(x, TEMPLATES) for x in X]
    assert sets(features.encode(X), features) == expected
    assert sets(sequences.between(597, 600), features) == expected
    hashed, _ = learn_features(X, TEMPLATES, hash_bits=20)
    assert hashed.attributes.indices.size == sequences.attributes.indices.size / 200
