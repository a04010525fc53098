"""Runs in files: what was saved comes back to the last bit, the same run is the same bytes, forgeries are found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.model_file import ModelFileError, load, save, to_bytes
from empirisk.models.online import OnlineModel, online_model
from tests.model_file.files import SIGNS, X, assert_same, changed

RUNS = [
    ("mixture", "logistic", {}),
    ("mixture:learners=adagrad(alpha=0.5)+gradient_descent", "squared", {}),
    ("adagrad", "logistic", {}),
    ("adagrad", "hinge", {"l1": 0.02, "l2": 0.01, "start": ([0.0, 1.0, 0.5], -1.0)}),
    ("adagrad", "squared", {"constraint": "l2_ball:radius=1", "fit_intercept": False}),
    ("gradient_descent", "logistic", {"l2": 0.01}),
    ("gradient_descent:steps=doubling", "logistic", {"l1": 0.01}),
]


def learned(learner: str = "adagrad", loss: str = "logistic", **options: Any) -> OnlineModel:
    run = er.online.learn(X, SIGNS.astype(float), learner, loss=loss, **options)
    return online_model(run, None if loss == "squared" else np.array([-1, 1]))


@pytest.mark.parametrize(("learner", "loss", "options"), RUNS, ids=str)
def test_what_was_saved_comes_back(learner, loss, options, tmp_path):
    model = learned(learner, loss, **options)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    for name in OnlineModel._fields:
        if name == "state":
            assert list(model.state) == list(again.state)
            assert_same(tuple(model.state.values()), tuple(again.state.values()))
        else:
            assert_same(getattr(model, name), getattr(again, name))
    assert to_bytes(again) == to_bytes(model) == to_bytes(learned(learner, loss, **options))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert er.verify(again, X, SIGNS).holds
    fields = {name: getattr(again, name) for name in ("feature_names", "columns", "first_index")}
    assert set(fields.values()) == {None}


def test_before_the_first_round():
    for learner, options in (("adagrad", {}), ("adagrad", {"constraint": "l1_ball:radius=1"})):
        runs = [er.online.learn(X[:0], SIGNS[:0].astype(float), learner, **options) for _ in range(2)]
        first, second = (to_bytes(online_model(run, np.array([-1, 1]))) for run in runs)
        assert first == second


def put(name: str, value: Any) -> Any:
    return lambda content, arrays: content["model"].update({name: value})


def put_array(name: str, value: Any) -> Any:
    return lambda content, arrays: arrays.update({name: np.array(value)})


VW = {"format": "vw", "options": {"features": "hash", "bits": 18}, "settled": {}}
FORGERIES = [
    (put("code", 1), "has other fields than it can have: 'code'"),
    (put("learner", "os"), "learner must be one of"),
    (put("learner", 3), "learner must be text"),
    (put("learner", "adagrad:alpha=1"), "the learner 'adagrad:alpha=1' is written 'adagrad'"),
    (put("learner", "gradient_descent"), "has no array"),
    (put("loss", "zero_one"), ""),
    (put("l1", -1.0), "l1"),
    (put("l2", 1), "l2 must be a finite number"),
    (put("fit_intercept", 1), "fit_intercept must be true or false"),
    (put("is_settled", None), "is_settled must be true or false"),
    (put("classes", {"type": "int", "dtype": "<i8", "values": [0, 1, 2]}), "two classes"),
    (put("passes", 0), "passes must be a whole number >= 1"),
    (put("n_rows", -1), "n_rows must be a whole number >= 0"),
    (put("n_rows", 10), "the numbers of the ledger are none of a run"),
    (put("n_columns", 10**12), "n_columns and the state disagree"),
    (put("n_columns", 2), "n_features must not exceed n_columns"),
    (put("n_features", 2.0), "n_features must be a whole number"),
    (put("row_format", {"format": "xml", "options": {}, "settled": {}}), "format must be one of"),
    (put("row_format", {"format": 3, "options": {}, "settled": {}}), "bad format of the rows"),
    (put("row_format", {"format": "vw", "options": {}, "settled": {}}), "are not all there"),
    (put("row_format", {"format": "vw", "options": {"bits": 99}, "settled": {}}), "bits must be a whole number"),
    (put("row_format", {"format": "svmlight", "options": {}, "settled": {"a": 1}}), "settle nothing"),
    (put("row_format", {"format": "svmlight", "options": {}, "settled": {}}), "first_index and the format"),
    (put("row_format", VW), "columns that occurred are told of hashed names alone"),
    (put("row_format", {**VW, "options": {"features": "exact", "bits": None}}), "exact names are those"),
    (put_array("used", np.zeros(1 << 15, np.uint8)), "columns that occurred"),
    (put("sums", ["0", "1"]), "two words of 64 bits"),
    (put("sums", None), "two words of 64 bits"),
    (put("first_intercept", "0"), "first_intercept must be a finite number"),
    (put("constraint", "l2_ball"), "has no array"),
    (put("first_index", 2), "first_index must be 0 or 1"),
    (put_array("numbers", np.full(9, np.nan)), "numbers must be finite"),
    (put_array("numbers", np.full(9, 0.5)), "the numbers of the ledger"),
    (put_array("numbers", np.zeros(8)), "numbers must be 9 float64"),
    (put_array("first", np.zeros(4)), "first must be 3 float64"),
    (put_array("state.rule.w", np.full(3, np.nan)), "rule.w must be numbers"),
    (put_array("state.rule.w", np.zeros(3, np.float32)), "has no array rule.w of this kind"),
    (put_array("state.rule.x", np.zeros(3)), "unexpected arrays"),
    (lambda content, arrays: arrays.pop("state.rule.records"), "has no array rule.records of this kind"),
]


@pytest.mark.parametrize(("forge", "said"), FORGERIES, ids=[str(k) for k in range(len(FORGERIES))])
def test_forgeries(forge, said, tmp_path):
    path = tmp_path / "model"
    save(learned(), path)
    changed(path, forge)
    with pytest.raises(ModelFileError) as error:
        load(path)
    assert said in str(error.value)


def test_classes_that_are_not_settled_are_the_usual_ones(tmp_path):
    model = learned()._replace(is_settled=False)
    save(model, tmp_path / "model")
    assert not load(tmp_path / "model").is_settled
    with pytest.raises(ModelFileError, match="classes that are not settled are -1 and 1"):
        to_bytes(model._replace(classes=np.array([0, 1])))


def test_an_intercept_where_there_is_none():
    model = learned(fit_intercept=False)
    with pytest.raises(ModelFileError, match="an intercept in a model without one"):
        to_bytes(model._replace(first=model.first._replace(intercept=1.0)))
