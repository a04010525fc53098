"""A model comes back from its file bit for bit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import empirisk as er
from empirisk.encodings.categories import Category
from empirisk.encodings.columns import Columns
from empirisk.encodings.numbers import Number
from empirisk.model_file import ModelFileError, load, save, to_bytes
from empirisk.models import verify
from empirisk.models.predictions import OwnLoss
from empirisk.protocols import Unsupported
from tests.model_file.files import SIGNS, Absolute, X, assert_same, fitted

LABELS = {
    "int": SIGNS,
    "int32": SIGNS.astype(np.int32),
    "float": SIGNS * 0.1,
    "bool": SIGNS > 0,
    "text": np.where(SIGNS > 0, "yes", "no"),
    "object": np.where(SIGNS > 0, 'quote " \\ \n é', "\ud800 sha256").astype(object),
}


@pytest.mark.parametrize("kind", LABELS)
def test_classes_come_back_with_their_type(kind, tmp_path):
    y = LABELS[kind]
    model = fitted(y)
    save(model, tmp_path / "model")
    assert_same(load(tmp_path / "model"), model)
    assert verify(load(tmp_path / "model"), X, y).holds


@pytest.mark.parametrize(
    "options",
    [
        {"loss": "logistic:scale=2", "solver": "lbfgs", "class_weight": "balanced", "n_threads": 1},
        {"loss": er.Logistic(scale=np.float64(0.3)), "random_state": 5},
        {"loss": "hinge", "solver": er.SDCA(seed=3), "l1": 0.01, "max_passes": 7, "tol": 0.5},
        {"task": "regression", "standardize": True, "fit_intercept": False},
        {"class_weight": {-1: 2, 1: 0.5}, "standardize": True},
        {"l2": "cv", "folds": 3, "n_strengths": 4},
        {"l1": "cv", "folds": 2, "n_strengths": 3, "task": "regression"},
    ],
    ids=lambda options: ",".join(options),
)
def test_every_option_survives(options, tmp_path):
    model = fitted(**options)
    save(model, tmp_path / "model")
    assert_same(load(tmp_path / "model")._replace(options=None), model._replace(options=None))
    kept, asked = load(tmp_path / "model").options, model.options
    assert type(kept.loss) is type(asked.loss)
    assert type(kept.solver) is type(asked.solver)
    assert kept == asked
    assert verify(load(tmp_path / "model"), X, SIGNS).holds


def test_names_and_columns_survive(model, tmp_path):
    columns = Columns((Category("color", ("", '\\"sha256\\":\\"' + "0" * 64)), Number("größe")), ("id",))
    model = model._replace(
        columns=columns, feature_names=columns.feature_names, label_name="y", weights_name="w", first_index=0
    )
    save(model, tmp_path / "model")
    assert_same(load(tmp_path / "model"), model)


def test_saving_is_deterministic_and_an_estimator_saves_its_model(model):
    class Estimator:
        model_ = model

    assert to_bytes(model) == to_bytes(model) == to_bytes(Estimator())


def test_the_public_names():
    assert er.save is save
    assert er.load is load


@pytest.mark.parametrize("thing", [object(), er.Logistic(), None])
def test_only_fitted_models_are_saved(thing, tmp_path):
    with pytest.raises(TypeError, match="save takes a fitted model or estimator, or a certificate, got"):
        save(thing, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_could_not_be_read_is_not_written(model, tmp_path):
    with pytest.raises(ModelFileError, match="this model cannot be saved: weights must be finite"):
        save(model._replace(weights=np.array([1.0, np.nan, 0.0])), tmp_path / "model")
    with pytest.raises(ModelFileError, match="this model cannot be saved: labels must be text"):
        save(model._replace(classes=np.array([b"a", b"b"])), tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_an_own_loss_saves_predicts_and_asks_for_the_loss_to_verify(tmp_path):
    y = X @ [1.0, 0.3, -2.0]
    model = fitted(y, task="regression", loss=Absolute(2.0), solver="lbfgs")
    save(model, tmp_path / "model")
    back = load(tmp_path / "model")
    assert back.options.loss == OwnLoss("absolute")
    assert_same(back.predict(X), model.predict(X))
    assert to_bytes(back) == to_bytes(model)
    with pytest.raises(Unsupported, match="own loss 'absolute': to verify it, give the loss object"):
        verify(back, X, y)
    assert verify(back, X, y, loss=Absolute(2.0)).holds
    assert not verify(back, X, y, loss=Absolute(3.0)).holds


def test_an_own_loss_with_a_built_in_name_is_not_taken_for_it(tmp_path):
    class Logistic(NamedTuple):
        scale: float = 1.0

        value = Absolute.value
        derivative = Absolute.derivative
        smoothness = Absolute.smoothness
        conjugate = Absolute.conjugate

    save(fitted(loss=Logistic(), solver="lbfgs"), tmp_path / "model")
    assert load(tmp_path / "model").options.loss == OwnLoss("logistic")
