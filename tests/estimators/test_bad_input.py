"""Input that is wrong or extreme: one clear sentence, or finite weights and, where unproven, a warning that says so."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

from empirisk import LinearClassifier, LinearRegressor

pytestmark = pytest.mark.compiled

RANDOM = np.random.default_rng(5)
X = RANDOM.standard_normal((40, 4))
TARGET = X @ [1.0, -1.0, 2.0, 0.0] + 0.5 * RANDOM.standard_normal(40)
LABELS = (TARGET > 0.0).astype(int)
BOTH = pytest.mark.parametrize(("kind", "y"), [(LinearClassifier, LABELS), (LinearRegressor, TARGET)])


def replaced(values, at, value):
    changed = np.array(values, dtype=float)
    changed[at] = value
    return changed


@BOTH
@pytest.mark.parametrize("container", [np.asarray, np.float32, scipy.sparse.csr_array, scipy.sparse.csc_array])
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_not_finite(kind, y, container, value, word):
    wrong = container(replaced(X, (7, 2), value))
    with pytest.raises(ValueError, match=rf"X contains {word} \(row 7, column 2"):
        kind().fit(wrong, y)
    fitted = kind(l2=0.1).fit(X, y)
    with pytest.raises(ValueError, match=rf"X contains {word} \(row 7, column 2"):
        fitted.predict(wrong)


@BOTH
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (np.empty((0, 4)), r"0 sample\(s\)"),
        (np.empty((40, 0)), r"0 feature\(s\)"),
        (X[:, 0], "Expected 2D array"),
        (X[:39], "inconsistent numbers of samples"),
        (X + 1j, "Complex data not supported"),
        (np.full((40, 2), "spam"), "could not convert string to float"),
    ],
)
def test_wrong_shape_or_type(kind, y, rows, words):
    with pytest.raises(ValueError, match=words):
        kind().fit(rows, y)


@BOTH
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_target_that_is_not_finite(kind, y, value):
    with pytest.raises(ValueError, match=r"Input y contains (NaN|infinity)"):
        kind().fit(X, replaced(y, 3, value))


def test_targets_that_are_no_two_classes():
    with pytest.raises(ValueError, match="only one class, 1: a classifier needs two"):
        LinearClassifier().fit(X, np.ones(40, dtype=int))
    with pytest.raises(ValueError, match="Only binary classification is supported so far"):
        LinearClassifier().fit(X, np.arange(40) % 3)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        LinearClassifier().fit(X, TARGET)
    with pytest.raises(ValueError, match="only one class"):
        LinearClassifier().fit(X, LABELS, sample_weight=LABELS)
    with pytest.raises(ValueError, match="requires y to be passed"):
        LinearRegressor().fit(X, None)
    with pytest.raises(ValueError, match="y must hold numbers for regression"):
        LinearRegressor().fit(X, np.where(LABELS, "a", "b"))


SCALES = np.array([1e-150, 1e150, 1.0, 1e10])
EXTREME = {
    "two rows": lambda: X[:2],
    "wide": lambda: np.hstack([X, RANDOM.standard_normal((40, 100))]),
    "constant": lambda: replaced(replaced(X, (slice(None), 1), 3.0), (slice(None), 2), 0.0),
    "duplicate": lambda: X[:, [0, 0, 1, 1]],
    "all zero": lambda: np.zeros((40, 4)),
    "one column": lambda: X[:, :1],
    "tiny": lambda: X * 1e-150,
    "huge": lambda: X * 1e150,
    "tiny and huge": lambda: X * SCALES,
    "subnormal": lambda: X * 1e-320,
    "far from zero": lambda: X + 1e8,
}
MODELS = [
    *(
        LinearClassifier(loss=loss, solver=solver)
        for loss in ("logistic", "squared_hinge", "squared")
        for solver in ("newton", "lbfgs", "sdca")
    ),
    LinearClassifier(loss="hinge"),
    *(LinearRegressor(solver=solver) for solver in ("newton", "lbfgs", "sdca")),
]


@pytest.mark.parametrize("container", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("extreme", EXTREME)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_extreme_data(model, extreme, container):
    rows = container(EXTREME[extreme]())
    y = (LABELS if isinstance(model, LinearClassifier) else TARGET)[: rows.shape[0]]
    y = np.array([0, 1]) if extreme == "two rows" else y
    fitted, warned = fit_quietly(model, rows, y)
    assert np.all(np.isfinite(fitted.coef_))
    assert np.all(np.isfinite(fitted.intercept_))
    assert fitted.model_.certified == (not warned)
    assert fitted.predict(rows).shape == y.shape


def fit_quietly(model, rows, y):
    """The model and whether it warned that it is not certified; any other warning is an error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        warnings.simplefilter("always", ConvergenceWarning)
        model.set_params(max_passes=50).fit(rows, y)
    return model, bool(caught)
