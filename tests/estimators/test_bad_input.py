"""Input that is wrong or extreme: one clear sentence, or finite weights and, where unproven, a warning that says so."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import ConvergenceWarning

from empirisk import LinearClassifier, LinearRegressor
from empirisk.constraints import HalfSpace
from empirisk.regularizers import NegativeEntropy, group_lasso

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


def test_targets_that_are_no_classes():
    with pytest.raises(ValueError, match="only one class, 1: a classifier needs two"):
        LinearClassifier().fit(X, np.ones(40, dtype=int))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        LinearClassifier().fit(X, TARGET)
    with pytest.raises(ValueError, match="only one class"):
        LinearClassifier().fit(X, LABELS, sample_weight=LABELS)
    with pytest.raises(ValueError, match="requires y to be passed"):
        LinearRegressor().fit(X, None)
    with pytest.raises(ValueError, match="y must hold numbers for regression"):
        LinearRegressor().fit(X, np.where(LABELS, "a", "b"))


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"loss": "hinge", "multiclass": "softmax"}, "for logistic; for hinge use multiclass='one_vs_rest'"),
        ({"constraint": "l2_ball"}, "softmax takes neither a constraint nor a regularizer"),
        ({"solver": "sgd"}, "solver 'sgd' has no form for softmax; use 'auto' or one of 'newton'"),
        ({"loss": "perceptron"}, "er.Perceptron"),
        ({"class_weight": {7: 2.0}}, "class_weight names 7, which is not a class; classes are 0, 1, 2"),
    ],
)
def test_what_many_classes_cannot_have(parameters, words):
    with pytest.raises(ValueError, match=words):
        LinearClassifier(**parameters).fit(X, np.arange(40) % 3)


def test_labels_that_a_loss_refuses():
    counts = np.arange(40) % 5
    with pytest.raises(ValueError, match=r"y must hold numbers >= 0 for the loss 'poisson', found -1 \(row 2"):
        LinearRegressor(loss="poisson").fit(X, np.where(np.arange(40) == 2, -1, counts))


@BOTH
@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"constraint": HalfSpace(np.ones(3), 1.0)}, "half-space"),
        ({"regularizer": group_lasso([[0, 1]], 1.0)}, "every column must be in a group, but column 2 is in none"),
        ({"regularizer": group_lasso([[0, 9]], 1.0)}, "the groups name column 9"),
        ({"regularizer": NegativeEntropy()}, "is not supported; supported are"),
        ({"l1": 0.1, "regularizer": group_lasso([[0, 1, 2, 3]], 1.0)}, "is not supported; supported are"),
    ],
)
def test_parts_that_do_not_go_together(kind, y, parameters, words):
    with pytest.raises(ValueError, match=words):
        kind(**parameters).fit(X, y)


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
