"""Users' labels, the numbers inside, margins, and the weights of classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk.models.labels import class_numbers, classes_of, from_scores, margins_of, to_signs, with_class_weights

KINDS = [st.integers(-1000, 1000), st.text(max_size=5), st.booleans(), st.floats(-1e6, 1e6)]
pairs = st.one_of(*(st.lists(kind, min_size=2, max_size=2, unique=True) for kind in KINDS))


@given(pairs, st.lists(st.booleans(), max_size=20))
def test_labels_map_to_signs_and_back(pair, choices):
    low, high = sorted(pair)
    listed = [low, high, *(high if choice else low for choice in choices)]
    # An object array keeps text as it is: NumPy's own text drops trailing NUL characters.
    labels = np.array(listed, dtype=object)
    classes = classes_of(labels, None)
    assert classes.tolist() == [low, high]
    signs = to_signs(class_numbers(labels, classes))
    assert signs.dtype == np.float64
    assert signs.tolist() == [1.0 if label == high else -1.0 for label in listed]
    assert from_scores(signs, classes).tolist() == listed


def test_a_score_of_zero_is_the_last_class():
    assert from_scores(np.array([-0.0, 0.0, -1e-300]), np.array(["a", "b"])).tolist() == ["b", "b", "a"]


def test_classes_of_weightless_rows_do_not_count():
    labels = np.array(["a", "b", "c"])
    assert classes_of(labels, np.array([1.0, 0.0, 2.0])).tolist() == ["a", "c"]
    with pytest.raises(ValueError, match="only one class, c: a classifier needs two"):
        classes_of(labels, np.array([0.0, 0.0, 2.0]))


@given(st.lists(st.integers(-50, 50), min_size=3, max_size=30))
def test_many_labels_map_to_numbers_and_back(listed):
    labels = np.array([*listed, 100, 101])
    classes = classes_of(labels, None)
    numbers = class_numbers(labels, classes)
    assert numbers.dtype == np.int64
    scores = np.eye(classes.size)[numbers]
    assert from_scores(scores, classes).tolist() == labels.tolist()


def test_the_first_of_equal_scores_is_predicted():
    scores = np.array([[1.0, 1.0, 0.0], [0.0, 2.0, 2.0], [0.0, 0.0, 0.0]])
    assert from_scores(scores, np.array(["a", "b", "c"])).tolist() == ["a", "b", "a"]


def test_margins():
    assert margins_of(np.array([2.0, -3.0]), np.array([1, 1])).tolist() == [2.0, -3.0]
    scores = np.array([[1.0, 3.0, 2.0], [1.0, 3.0, 2.0], [4.0, 4.0, 0.0]])
    assert margins_of(scores, np.array([1, 2, 0])).tolist() == [1.0, -1.0, 0.0]


def test_labels_that_cannot_be_sorted():
    with pytest.raises(TypeError, match="mixes labels"):
        classes_of(np.array([1, "a"], dtype=object), None)


LABELS = np.array([3, 3, 3, 8])
CLASSES = classes_of(LABELS, None)
NUMBERS = class_numbers(LABELS, CLASSES)


def test_no_class_weights_leave_the_weights():
    weights = np.arange(4.0)
    assert with_class_weights(None, CLASSES, NUMBERS, None) is None
    assert with_class_weights(None, CLASSES, NUMBERS, weights) is weights


@pytest.mark.parametrize("weights", [None, np.array([1.0, 2.0, 0.5, 4.0]), np.array([0.0, 2.0, 0.0, 1.0])])
def test_balanced_classes_weigh_the_same_in_total(weights):
    balanced = with_class_weights("balanced", CLASSES, NUMBERS, weights)
    assert balanced[NUMBERS == 0].sum() == pytest.approx(balanced[NUMBERS == 1].sum())
    assert balanced.sum() == pytest.approx(4.0 if weights is None else weights.sum())


def test_three_balanced_classes():
    numbers = np.array([0, 0, 0, 1, 1, 2])
    balanced = with_class_weights("balanced", np.array([3, 5, 8]), numbers, None)
    np.testing.assert_allclose(balanced, 6.0 / (3.0 * np.array([3, 3, 3, 2, 2, 1])))


def test_a_mapping_multiplies_and_defaults_to_one():
    assert with_class_weights({8: 5.0}, CLASSES, NUMBERS, None).tolist() == [1.0, 1.0, 1.0, 5.0]
    assert with_class_weights({3: 0.5}, CLASSES, NUMBERS, np.full(4, 2.0)).tolist() == [1.0, 1.0, 1.0, 2.0]


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
        with_class_weights(spec, CLASSES, NUMBERS, None)
