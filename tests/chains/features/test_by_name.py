"""Attributes that are given by name, in every form that python-crfsuite's ItemSequence takes."""

from collections import OrderedDict
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycrfsuite import ItemSequence

from empirisk.chains.features import Features, collected, learn_features
from empirisk.data.sequences import read_crfsuite
from empirisk.designs import CSR, Indicators
from tests.chains.features.reading import named

FORMS = [
    ["abc", "a", ""],
    [["x", "a b"], ("u", "v"), {"x", "y"}, []],
    [{"a": "x", "b": "y"}, {"a": "z:1"}, {}],
    [{"a": 1.5, "b": True, "c": False, "d": -2, "e": np.float64(0.25), "f": np.int64(3)}],
    [{"a": ["p", "q"], "b": {"c": "d", "e": 2}, "f": {"g", "h"}}],
    [{"a": {"b": {"c": 3.5, "d": ["e", "f"]}}, "g": [], "h": {}}],
    [{b"a": b"b", "c": b"d"}, [b"e", "f"], {"g": [b"h"]}],
    [{"": "x", "y": ""}, {"a:b": "c:d"}, {"a\\": "c\td"}, ["é", "→"]],
    [OrderedDict(a=1, b="c"), MappingProxyType({"b": 1, "c": 2})],
    [{"a": 1e200, "b": -1e-200, "c": -0.0}],
]


@pytest.mark.parametrize("x", FORMS, ids=range(len(FORMS)))
def test_names_are_those_of_python_crfsuite(x):
    sequences, features = learn_features([x, x])
    assert named(sequences, features) == [ItemSequence(x).items()] * 2
    assert named(features.encode([x]), features) == [ItemSequence(x).items()]


TEXTS = st.text(alphabet="ab:é", max_size=2)
NESTED = st.recursive(
    st.lists(TEXTS, max_size=2, unique=True) | st.sets(TEXTS, max_size=2),
    lambda inner: st.dictionaries(TEXTS, inner | TEXTS | st.sampled_from([0.5, 2, True]), max_size=3),
    max_leaves=4,
)


@given(st.lists(st.lists(NESTED, min_size=1, max_size=3), min_size=1, max_size=3))
def test_names_of_any_tokens(X):
    """But for names that come twice in a token, whose weights are added: `items` keeps the last."""
    sequences, features = learn_features(X)
    for tokens, x in zip(named(sequences, features), X, strict=True):
        for token, expected, items in zip(tokens, ItemSequence(x).items(), x, strict=True):
            assert set(token) == set(expected)
            if len(list(ItemSequence([items]).items()[0])) == _n_names(items):
                assert token == expected


def _n_names(token):
    if not isinstance(token, dict):
        return len(token)
    return sum(_n_names(value) if isinstance(value, (dict, list, set)) else 1 for value in token.values())


def test_weights_are_kept_where_there_are_some():
    plain, _ = learn_features([[["a", "b"], ["b"]], [{"b": 1.0}, {"a": True}]])
    assert isinstance(plain.attributes, Indicators)
    weighted, features = learn_features([[{"a": 2.0, "b": 1.0}], [["b"]]])
    assert isinstance(weighted.attributes, CSR)
    assert named(weighted, features) == [[{"a": 2.0, "b": 1.0}], [{"b": 1.0}]]


def test_what_is_there_twice_has_the_sum_of_the_weights():
    sequences, features = learn_features([[["a", "b", "a"], ["a"]], [{"a": {"b": 2}, "a:b": 0.5}]])
    assert named(sequences, features) == [[{"a": 2.0, "b": 1.0}, {"a": 1.0}], [{"a:b": 2.5}]]
    twice, features = learn_features([[["a", "b", "a"], ["a"]]])
    assert named(twice, features) == [[{"a": 2.0, "b": 1.0}, {"a": 1.0}]]


def test_a_generator_is_read_once_in_parts(monkeypatch):
    monkeypatch.setattr(collected, "AT_ONCE", 3)
    X = [[{"a": 2.0, "b": "c"}, ["d"]], ["ab"], [["d", "e"], {"a": 0.5}]]
    sequences, features = learn_features(x for x in X)
    assert named(sequences, features) == [ItemSequence(x).items() for x in X]


def test_numbers_go_by_falling_frequency_and_rare_ones_are_left_out():
    X = [[["a", "b", "c"], ["c", "b"], ["c", "d"]]]
    sequences, features = learn_features(X)
    assert [features.name_of(k) for k in range(4)] == ["c", "b", "a", "d"]
    sequences, features = learn_features(X, min_count=2)
    assert named(sequences, features) == [[{"b": 1.0, "c": 1.0}, {"b": 1.0, "c": 1.0}, {"c": 1.0}]]


def test_it_grows_and_the_old_numbers_stay():
    _, features = learn_features([[["a", "b"], ["b"]]])
    sequences, more = features.grown([[["x", "a"], ["x", "y"], {"z": 2.0}]])
    assert [more.name_of(k) for k in range(5)] == ["b", "a", "x", "y", "z"]
    assert (features.n_attributes, sequences.attributes.n_columns()) == (2, 5)
    assert named(sequences, more) == [[{"x": 1.0, "a": 1.0}, {"x": 1.0, "y": 1.0}, {"z": 2.0}]]
    assert named(features.encode([[["x", "a"], ["x"]]]), features) == [[{"a": 1.0}, {}]]


def test_arrays_there_and_back():
    _, features = learn_features([FORMS[4], FORMS[7]])
    arrays = features.to_arrays()
    assert {name: array.dtype for name, array in arrays.items()} == {"names": np.uint8, "name_starts": np.uint8}
    again = Features.from_arrays(features.to_json(), arrays)
    assert named(again.encode([FORMS[7]]), again) == [ItemSequence(FORMS[7]).items()]
    with pytest.raises(ValueError, match="the number of attributes is not that of the dictionary"):
        Features.from_arrays({**features.to_json(), "n_attributes": 3}, arrays)
    for key, value in (("kind", "magic"), ("n_dense", -1), ("n_attributes", True)):
        with pytest.raises(ValueError, match="no known kind or size"):
            Features.from_arrays({**features.to_json(), key: value}, arrays)
    with pytest.raises(ValueError, match="templates go with columns"):
        Features.from_arrays({**features.to_json(), "kind": "columns"}, arrays)


def test_hashed():
    X = [[["a", "b"], {"a": 2.0}], [["c"]]]
    sequences, features = learn_features(X, hash_bits=20)
    assert features.n_attributes == 2**20
    again = Features.from_arrays(features.to_json(), features.to_arrays())
    one = again.encode([[["c", "a"]]]).attributes
    assert isinstance(one, Indicators)
    X = sequences.attributes
    rows = [{int(X.column_at(t, k)): X.entry_at(t, k) for k in range(X.row_size(t))} for t in range(3)]
    (a,) = rows[1]
    assert rows[1][a] == 2.0
    assert rows[0][a] == 1.0
    assert set(one.indices.tolist()) == {a, *rows[2]}
    many, _ = learn_features([[["a", "b"]]], hash_bits=30)
    assert many.attributes.n_columns() == 2**30
    alone, _ = learn_features([[["a", "b", "c"]]], hash_bits=1)
    assert alone.attributes.n_columns() == 2
    assert float(np.asarray(alone.attributes.values).sum()) == 3.0


def test_files_of_crfsuite(tmp_path):
    path = tmp_path / "train.crfsuite"
    path.write_text("A\tw=a\tn:2\n\nB\tw=b\\:\n")
    read = read_crfsuite(str(path))
    sequences, features = learn_features(read)
    assert named(sequences, features) == [[{"w=a": 1.0, "n": 2.0}], [{"w=b:": 1.0}]]
    assert features.labels_in(read).texts() == ["A", "B"]
    assert named(features.encode([[["w=a", "w=z"]]]), features) == [[{"w=a": 1.0}]]
    with pytest.raises(ValueError, match="templates are for columns, and this file has attributes"):
        learn_features(read, "chunk")


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ({"a": np.nan}, "has nan as the weight of 'a'"),
        ({"a": {"b": -np.inf}}, "has -inf as the weight of 'b'"),
        ({"a": None}, "has None as the weight of 'a'"),
        ({"a": ("b",)}, r"has \('b',\) as the weight of 'a'"),
        ({1: "a"}, "has 1 as the name of an attribute"),
        ({"a": [1]}, "has 1 as the name of an attribute"),
        (["a", 1], "has 1 as the name of an attribute"),
        (3, "is 3, and no dict, list or text"),
        (None, "is None, and no dict, list or text"),
    ],
)
def test_what_is_no_token(token, said):
    with pytest.raises(ValueError, match=f"token 1 of sequence 1, counted from 0, {said}"):
        learn_features([[["a"], ["b"]], [["c"], token], [["d"]]])


@pytest.mark.parametrize(
    ("X", "said"),
    [
        ([], "X holds no sequence"),
        ("abc", "X must be a list or generator of sequences, got str"),
        (3, "X must be a list or generator of sequences, got int"),
        ({"a": 1}, "X must be a list or generator of sequences, got dict"),
        (["abc"], "sequence 0, counted from 0, is of type str; a sequence is a list of tokens"),
        ([{"a": "b"}], "sequence 0, counted from 0, is of type dict"),
        ([[["a"]], []], "sequence 1, counted from 0, is empty"),
        ([[["a"]], np.ones((2, 3))], "sequence 1 is given as a two-dimensional array, and sequence 0 as attributes"),
        ([np.ones((2, 3)), [["a"]]], "sequence 1 is given as attributes, and sequence 0 as a two-dimensional array"),
    ],
)
def test_what_are_no_sequences(X, said):
    with pytest.raises(ValueError, match=said):
        learn_features(X)


@pytest.mark.compiled
def test_machine_code_does_the_same():
    for x in FORMS:
        sequences, features = learn_features([x, x])
        assert named(sequences, features) == [ItemSequence(x).items()] * 2
