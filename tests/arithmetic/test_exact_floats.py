"""Which numbers float64 holds, and that no answer is about numbers that were rounded on the way in."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import empirisk as er
from empirisk.arithmetic.exact_floats import (
    as_exact_array,
    check_exact,
    exact_floats,
    first_inexact,
    is_exact,
    is_exact_text,
)

pytestmark = pytest.mark.interpreted

LARGE = 2**53
WAYS_OUT = "which float64 cannot hold exactly: subtract an offset, divide, or leave the column out"
whole = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.builds(lambda k, e: k << e, st.integers(-(2**54), 2**54 - 1), st.integers(0, 9)),
    st.integers(-3, 3).map(lambda k: LARGE + k),
)


@given(st.lists(whole, min_size=1, max_size=5))
def test_integers(numbers):
    expected = next((k for k, number in enumerate(numbers) if int(float(number)) != number), -1)
    assert first_inexact(np.array(numbers, np.int64)) == expected
    assert first_inexact(np.array(numbers, object)) == expected
    positive = np.array([abs(number) for number in numbers], np.uint64)
    assert first_inexact(positive) == expected
    for number in numbers:
        assert is_exact_text(f" {number} ") == is_exact(number) == (int(float(number)) == number)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (2**1000, True),
        (10**400, False),
        (10**5000, False),
        (Fraction(1, 3), False),
        (Fraction(3, 4), True),
        (Decimal("0.1"), True),  # a decimal fraction is rounded, as in a file
        (Decimal(LARGE + 1), False),
        (Decimal("1e999999"), False),
        (Decimal("nan"), True),
        (np.longdouble(0.1), True),
        (np.float32(0.1), True),
        (True, True),
        (None, True),
        ("9007199254740993", False),
        ("9007199254740993.0", True),
        ("0" * 5000 + "7", True),
        ("7" * 5000, False),
        ("x", True),
    ],
    ids=range(18),
)
def test_numbers_of_other_kinds(number, expected):
    assert is_exact(number) is expected


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="longdouble is float64 on this machine")
def test_long_doubles():
    values = np.array([1.0, np.nan, np.inf, 0.1], np.longdouble)
    assert first_inexact(values) == -1
    values[3] += np.longdouble(2) ** -60
    assert first_inexact(values) == 3
    with pytest.raises(ValueError, match=r"y holds 0.1\d+ \(row 3, .*exactly: round it first, as astype\(float\) does"):
        exact_floats(values, "y")


def test_lists_of_whole_and_other_numbers():
    assert as_exact_array([1, 0.5]).dtype == np.float64
    assert as_exact_array([1e300, 0.5]).tolist() == [1e300, 0.5]
    mixed = as_exact_array([LARGE + 1, 0.5])
    assert mixed.tolist() == [LARGE + 1, 0.5]
    check_exact([LARGE + 2, 0.5], "y")
    with pytest.raises(ValueError, match=r"sample_weight holds 9007199254740993 \(row 0, counted from 0\)"):
        check_exact([LARGE + 1, 0.5], "sample_weight")


X = np.array([[1, LARGE], [2, LARGE + 1], [3, 5], [4, 7]])
Y = np.array([0, 1, 0, 1])
INPUTS = {
    "int64": X,
    "uint64": X.astype(np.uint64),
    "objects": X.astype(object),
    "list": X.tolist(),
    "mixed list": [[0.5, LARGE], [0.5, LARGE + 1], [3, 5], [4, 7]],
    "csr": scipy.sparse.csr_array(X),
    "coo": scipy.sparse.coo_array(X),
    "fractions": np.array([[Fraction(int(value)) for value in row] for row in X]),
}
if np.finfo(np.longdouble).nmant > 52:
    INPUTS["longdouble"] = X.astype(np.longdouble)
TAKE = {
    "separate": lambda X: er.separate(X, Y),
    "widest_gap": lambda X: er.widest_gap(X, Y),
    "fewest_errors": lambda X: er.fewest_errors(X, Y),
    "perceptron": lambda X: er.perceptron(X, Y),
    "problem": lambda X: er.EmpiricalRisk(X, np.where(Y, 1.0, -1.0), "logistic", l2=1.0),
    "classifier": lambda X: er.LinearClassifier().fit(X, Y),
    "regressor": lambda X: er.LinearRegressor().fit(X, Y),
    "plane classifier": lambda X: er.Perceptron().fit(X, Y),
    "predict": lambda X: er.LinearClassifier(l2=1.0).fit([[0, 1], [1, 0]], [0, 1]).predict(X),
}


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("take", TAKE)
def test_no_door_rounds_the_numbers_of_X(take, kind):
    advice = "round it first" if kind in ("fractions", "longdouble") else "subtract an offset, divide, or leave the"
    said = rf"X holds 9007199254740993(\.0)? \(row 1, column 1, counted from 0\), which float64 cannot .*: {advice}"
    with pytest.raises(ValueError, match=said):
        TAKE[take](INPUTS[kind])


def test_large_numbers_that_float64_holds_are_taken():
    """Counter-example: the two points are apart, as they were given."""
    assert er.separate(np.array([[LARGE], [LARGE + 2]]), [0, 1]).is_separable
    assert not er.separate(np.array([[LARGE], [LARGE]]), [0, 1]).is_separable


def test_targets_and_weights_are_not_rounded():
    rows = [[1.0], [2.0], [3.0]]
    for y in ([LARGE, LARGE + 1, 5], np.array([LARGE, LARGE + 1, 5]), [0.5, LARGE + 1, 5]):
        with pytest.raises(ValueError, match=r"y holds 9007199254740993 \(row 1, .*: subtract an offset, or divide"):
            er.LinearRegressor().fit(rows, y)
        with pytest.raises(ValueError, match=r"sample_weight holds 9007199254740993 \(row 1"):
            er.LinearRegressor().fit(rows, [1, 2, 4], sample_weight=y)
        with pytest.raises(ValueError, match=r"y holds 9007199254740993 \(row 1"):
            er.EmpiricalRisk(np.array(rows), y, "squared", l2=1.0)


@pytest.mark.parametrize("kind", [np.int64, np.uint64, np.longdouble, object])
def test_different_labels_stay_different(kind, tmp_path):
    if kind == np.longdouble and np.finfo(np.longdouble).nmant <= 52:
        return
    labels = np.array([LARGE, LARGE + 1], kind)
    rows = np.array([[1.0], [2.0]])
    assert er.separate(rows, labels).is_separable
    if kind is object:  # scikit-learn takes text alone
        return
    fitted = er.LinearClassifier(l2=0.1).fit(rows, labels)
    assert fitted.classes_.dtype == labels.dtype
    assert fitted.predict(rows).tolist() == labels.tolist()
    if kind != np.longdouble:
        er.save(fitted, tmp_path / "m")
        assert er.load(tmp_path / "m").predict(rows).tolist() == labels.tolist()
