"""A score card in the place of a fitted plane."""

import numpy as np
import pytest

import empirisk as er
from empirisk.models import FitOptions, fit_linear
from empirisk.protocols import Unsupported

RNG = np.random.default_rng(0)
X = RNG.integers(-2, 3, (60, 3)).astype(float)
Y = np.where(X[:, 0] - X[:, 2] + 0.3 * RNG.normal(size=60) >= 0.0, "yes", "no")


def fitted(y=Y, **options):
    return fit_linear(X, y, FitOptions(**options), feature_names=("a", "b", "c")).model


def test_from_a_fitted_plane():
    found = fitted().integers(X, Y, orders=1)
    assert er.verify(found.model, X, Y).holds
    assert found.model.certificate is found.bound
    assert np.array_equal(found.model.weights, found.plane.weights())
    assert " of a" in found.text()
    assert found.text().endswith(found.bound.sentence())
    assert found.model.bound(X, Y).value == found.bound.value  # and not that of all planes
    assert found.model.bound(X[::2], Y[::2], kind="integers").value > found.bound.value
    with pytest.raises(ValueError, match="'structural' does not apply: the plane was not chosen for its bound"):
        found.model.bound(X, Y, kind="structural")
    with pytest.raises(ValueError, match="'integers' does not apply: the plane was not chosen for its bound"):
        fitted().bound(X, Y, kind="integers")
    again = found.model.integers(X, Y, orders=1)
    assert again.bound.value <= found.bound.value


def test_what_is_refused():
    model = fitted()
    with pytest.raises(ValueError, match="delta must be"):
        model.integers(X, Y, delta=0.0)
    with pytest.raises(ValueError, match="X has 2 columns, the model 3"):
        model.integers(X[:, :2], Y)
    with pytest.raises(ValueError, match="not labels of the model"):
        model.integers(X, np.where(Y == "yes", "ja", "nein"))
    with pytest.raises(ValueError, match="only one class"):
        model.integers(X[Y == "yes"], Y[Y == "yes"])
    with pytest.raises(Unsupported, match="between two classes"):
        fitted(X[:, 0], task="regression", loss="squared").integers(X, Y)
