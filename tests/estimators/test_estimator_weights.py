"""Sample weights and class weights: what they mean, and what is refused."""

import numpy as np
import pytest

from empirisk import LinearClassifier, LinearRegressor

pytestmark = pytest.mark.compiled

RANDOM = np.random.default_rng(1)
X = RANDOM.standard_normal((60, 3))
TARGET = X @ [1.0, -2.0, 0.5] + 0.3 * RANDOM.standard_normal(60)
LABELS = (TARGET + RANDOM.standard_normal(60) > 0.7).astype(int)
COUNTS = RANDOM.integers(0, 4, 60)
BOTH = pytest.mark.parametrize(("kind", "y"), [(LinearClassifier, LABELS), (LinearRegressor, TARGET)])


def assert_same(one, other):
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=1e-7, atol=1e-9)
    assert one.certificate_.objective == pytest.approx(other.certificate_.objective, rel=1e-10)


@BOTH
def test_integer_weights_are_repeated_rows(kind, y):
    weighted = kind(l2=0.01, tol=1e-10).fit(X, y, sample_weight=COUNTS)
    repeated = kind(l2=0.01, tol=1e-10).fit(np.repeat(X, COUNTS, axis=0), np.repeat(y, COUNTS))
    assert_same(weighted, repeated)


@BOTH
def test_rows_of_weight_zero_are_as_if_absent(kind, y):
    weights = (COUNTS > 0).astype(float)
    spoiled = np.where(weights[:, np.newaxis] > 0, X, 1e6)
    kept = weights > 0
    assert_same(
        kind(l2=0.01, tol=1e-10).fit(spoiled, y, sample_weight=weights),
        kind(l2=0.01, tol=1e-10).fit(X[kept], y[kept]),
    )


def test_a_class_that_only_weightless_rows_have_is_absent():
    labels = np.where(np.arange(60) < 5, 7, LABELS)
    weights = (np.arange(60) >= 5).astype(float)
    fitted = LinearClassifier(l2=0.01).fit(X, labels, sample_weight=weights)
    assert fitted.classes_.tolist() == [0, 1]


@BOTH
def test_the_unit_of_weights_does_not_matter(kind, y):
    weights = RANDOM.uniform(0.5, 2.0, 60)
    assert_same(
        kind(l2=0.01, tol=1e-10).fit(X, y, sample_weight=weights),
        kind(l2=0.01, tol=1e-10).fit(X, y, sample_weight=1e6 * weights),
    )


def test_balanced_classes_weigh_the_same():
    shares = 60 / (2.0 * np.bincount(LABELS))
    balanced = LinearClassifier(l2=0.01, tol=1e-10, class_weight="balanced").fit(X, LABELS)
    assert_same(balanced, LinearClassifier(l2=0.01, tol=1e-10).fit(X, LABELS, sample_weight=shares[LABELS]))
    assert_same(balanced, LinearClassifier(l2=0.01, tol=1e-10, class_weight=dict(enumerate(shares))).fit(X, LABELS))


def test_class_weights_multiply_sample_weights():
    weights = RANDOM.uniform(0.5, 2.0, 60)
    by_class = LinearClassifier(l2=0.01, tol=1e-10, class_weight={1: 5.0}).fit(X, LABELS, sample_weight=weights)
    by_row = LinearClassifier(l2=0.01, tol=1e-10).fit(
        X, LABELS, sample_weight=weights * np.where(LABELS == 1, 5.0, 1.0)
    )
    assert_same(by_class, by_row)


@BOTH
@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.zeros(60), "sample_weight is zero for every row"),
        (np.r_[-1.0, np.ones(59)], "non-negative, found -1.0 at row 0"),
        (np.r_[np.nan, np.ones(59)], "NaN or infinity"),
        (np.r_[np.inf, np.ones(59)], "NaN or infinity"),
        (np.ones(59), "59 value"),
        (np.ones((60, 1)), "one-dimensional"),
    ],
)
def test_wrong_weights(kind, y, weights, words):
    with pytest.raises(ValueError, match=words):
        kind().fit(X, y, sample_weight=weights)


@BOTH
def test_weights_are_left_as_they_were(kind, y):
    weights = COUNTS.astype(float)
    kind(l2=0.01).fit(X, y, sample_weight=weights)
    assert np.array_equal(weights, COUNTS)
