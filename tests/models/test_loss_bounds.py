"""Bounds of regressions: the clipped losses of rows that took no part in the fit."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import empirisk as er
from empirisk.protocols import Unsupported

rng = np.random.default_rng(3)
X = rng.normal(size=(120, 2))
Y = X @ [1.0, -2.0] + 0.5 * rng.normal(size=120)
NEW = rng.normal(size=(300, 2))
NEW_Y = NEW @ [1.0, -2.0] + 0.5 * rng.normal(size=300)


@pytest.fixture(scope="module")
def fitted():
    return er.LinearRegressor().fit(X, Y)


def test_the_loss_on_other_rows_is_bounded(fitted):
    bound = fitted.bound(NEW, NEW_Y, clip=0.4)
    losses = np.minimum(0.5 * (fitted.predict(NEW) - NEW_Y) ** 2, 0.4)
    assert np.any(losses == 0.4)
    assert bound.kind == "test_losses"
    assert bound.largest == 0.4
    assert bound.empirical == pytest.approx(np.mean(losses), rel=1e-12)
    assert np.mean(losses) < bound.value < np.mean(losses) + 0.05
    assert er.verify(bound, fitted.model_.clipped_losses(NEW, NEW_Y, 0.4)).holds
    assert not er.verify(bound, fitted.model_.clipped_losses(NEW, NEW_Y, 0.3)).holds
    assert fitted.bound(NEW, NEW_Y, "test_losses", 0.5, 0.4).value < bound.value
    assert fitted.bound(1e200 * NEW, NEW_Y, clip=0.4).is_vacuous  # every loss overflows, and counts as 0.4


def test_rows_of_the_fit_in_another_order_are_no_test(fitted):
    with pytest.raises(ValueError, match="these are the rows of the fit"):
        fitted.bound(X[::-1], Y[::-1], clip=0.4)


def test_a_table_has_the_one_that_applies(fitted):
    by_kind = {line.kind: line for line in er.bounds.table(fitted, NEW, NEW_Y, clip=1.0).lines}
    assert by_kind["test_losses"].bound.value == fitted.bound(NEW, NEW_Y, clip=1.0).value
    assert [kind for kind, line in by_kind.items() if line.bound is not None] == ["test_losses"]
    assert by_kind["vc_tail"].why == "the kind 'vc_tail' is not about a regression"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: m.bound(X, Y, clip=1.0), "these are the rows of the fit: the loss of a regression is bounded on o"),
        (lambda m: m.bound(NEW, NEW_Y), "a regression needs clip=c"),
        (lambda m: m.bound(NEW, NEW_Y, clip=0.0), "clip must be a positive finite number, got 0.0"),
        (lambda m: m.bound(NEW, NEW_Y, clip=-1.0), "clip must be"),
        (lambda m: m.bound(NEW, NEW_Y, clip=float("nan")), "clip must be"),
        (lambda m: m.bound(NEW, NEW_Y, clip=1.0, delta=1.0), "delta must be"),
        (
            lambda m: m.bound(NEW, NEW_Y, kind="vc_tail", clip=1.0),
            "'vc_tail' is not about a regression; there are auto",
        ),
        (lambda m: m.bound(NEW, NEW_Y[:-1], clip=1.0), "y must be a number for each of the 300 rows"),
        (lambda m: m.bound(NEW, np.full(300, np.nan), clip=1.0), "finite|NaN"),
        (lambda m: m.bound(NEW, np.full(300, "a"), clip=1.0), "y must be a number"),
        (lambda m: m.bound(NEW[:, :1], NEW_Y, clip=1.0), "X has 1 features"),
        (lambda m: m.bound(NEW[:0], NEW_Y[:0], clip=1.0), "no losses|empty|rows"),
        (lambda m: m.model_.bound(NEW, NEW_Y, clip=1.0, sample_weight=np.ones(300)), "give no sample weights"),
    ],
)
def test_refused(fitted, call, said):
    with pytest.raises(ValueError, match=said):
        call(fitted)


def test_refused_of_others():
    with pytest.raises(NotFittedError):
        er.LinearRegressor().bound(X, Y, clip=1.0)
    with pytest.raises(Unsupported, match="several targets"):
        er.LinearRegressor().fit(X, np.column_stack([Y, Y])).bound(NEW, np.column_stack([NEW_Y, NEW_Y]), clip=1.0)
    classifier = er.LinearClassifier().fit(X, Y > 0.0).model_
    with pytest.raises(ValueError, match="clip is for the losses of a regression"):
        classifier.bound(NEW, NEW_Y > 0.0, clip=1.0)


def test_a_given_loss_outside_of_its_range_is_named():
    losses = er.bounds.losses_of([0.1, 0.7, 1.5])
    with pytest.raises(ValueError, match=r"between 0 and 1, got 1.5 in row 2"):
        er.bounds.risk_bound("test_losses", losses, 0.05, {"largest": 1.0, "seed": 0})
