"""Users' labels, the -1 / +1 inside, and the weights of classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.models.labels import from_scores, to_signs, two_classes, with_class_weights

KINDS = [st.integers(-1000, 1000), st.text(max_size=5), st.booleans(), st.floats(-1e6, 1e6)]
pairs = st.one_of(*(st.lists(kind, min_size=2, max_size=2, unique=True) for kind in KINDS))


@given(pairs, st.lists(st.booleans(), max_size=20))
def test_labels_map_to_signs_and_back(pair, choices):
    low, high = sorted(pair)
    listed = [low, high, *(high if choice else low for choice in choices)]
    # An object array keeps text as it is: NumPy's own text drops trailing NUL characters.
    labels = np.array(listed, dtype=object)
    classes = two_classes(labels, None)
    assert classes.tolist() == [low, high]
    signs = to_signs(labels, classes)
    assert signs.dtype == np.float64
    assert signs.tolist() == [1.0 if label == high else -1.0 for label in listed]
    assert from_scores(signs, classes).tolist() == listed


def test_a_score_of_zero_is_the_last_class():
    assert from_scores(np.array([-0.0, 0.0, -1e-300]), np.array(["a", "b"])).tolist() == ["b", "b", "a"]


def test_classes_of_weightless_rows_do_not_count():
    labels = np.array(["a", "b", "c"])
    assert two_classes(labels, np.array([1.0, 0.0, 2.0])).tolist() == ["a", "c"]
    with pytest.raises(ValueError, match="only one class, c: a classifier needs two"):
        two_classes(labels, np.array([0.0, 0.0, 2.0]))


def test_more_than_two_classes_are_listed():
    with pytest.raises(ValueError, match=r"Only binary classification.*y has 3 classes \(0, 1, 2\)"):
        two_classes(np.arange(3), None)
    with pytest.raises(ValueError, match=r"y has 9 classes \(0, 1, 2, 3, 4, \.\.\.\)"):
        two_classes(np.arange(9), None)


def test_labels_that_cannot_be_sorted():
    with pytest.raises(TypeError, match="mixes labels"):
        two_classes(np.array([1, "a"], dtype=object), None)


LABELS = np.array([3, 3, 3, 8])
CLASSES = two_classes(LABELS, None)
SIGNS = to_signs(LABELS, CLASSES)


def test_no_class_weights_leave_the_weights():
    weights = np.arange(4.0)
    assert with_class_weights(None, CLASSES, SIGNS, None) is None
    assert with_class_weights(None, CLASSES, SIGNS, weights) is weights


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 0.5, 4.0]), np.array([0.0, 2.0, 0.0, 1.0])])
def test_balanced_classes_weigh_the_same_in_total(weights):
    balanced = with_class_weights("balanced", CLASSES, SIGNS, weights)
    assert balanced[SIGNS < 0].sum() == pytest.approx(balanced[SIGNS > 0].sum())
    assert balanced.sum() == pytest.approx(4.0 if weights is None else weights.sum())


def test_a_mapping_multiplies_and_defaults_to_one():
    assert with_class_weights({8: 5.0}, CLASSES, SIGNS, None).tolist() == [1.0, 1.0, 1.0, 5.0]
    assert with_class_weights({3: 0.5}, CLASSES, SIGNS, np.full(4, 2.0)).tolist() == [1.0, 1.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({7: 1.0}, "class_weight names 7, which is not a class"),
        ({"3": 1.0}, "class_weight names '3', which is not a class"),
        ({3: 0.0}, "class_weight is zero for the class 3"),
        ({3: 0.0, 8: 0.0}, "class_weight is zero for the class 3"),
    ],
)
def test_wrong_class_weights(spec, words):
    with pytest.raises(ValueError, match=words):
        with_class_weights(spec, CLASSES, SIGNS, None)
