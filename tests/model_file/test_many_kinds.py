"""Constraints, regularizers, many classes and every kind of certificate survive a file."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from empirisk.capabilities import name_of
from empirisk.certificates import KINDS
from empirisk.constraints import HalfSpace
from empirisk.model_file import ModelFileError, load, save
from empirisk.models import FitOptions, LinearModel, verify
from empirisk.protocols import Unsupported
from empirisk.regularizers import NegativeEntropy, group_lasso
from tests.model_file.files import MANY, SIGNS, X, assert_same, changed, fitted

TARGET = X @ [1.0, 0.3, -2.0]


class Wave(NamedTuple):
    """A user's loss that is not convex, with predictions of its own."""

    scale: float = 1.0

    def is_convex(self):
        return False

    def smoothness(self):
        return 2.0 * self.scale

    def value(self, z, y):
        return self.scale * (z - y) ** 2 / (1.0 + (z - y) ** 2)

    def derivative(self, z, y):
        return 2.0 * self.scale * (z - y) / (1.0 + (z - y) ** 2) ** 2

    def mean(self, z):
        return 2.0 * z


CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "ball": (SIGNS, {"constraint": "l2_ball:radius=0.25"}),
    "softmax": (MANY, {"standardize": True}),
    "softmax of texts": (np.array(["ä", "b", "c"])[MANY], {"fit_intercept": False}),
    "one against the rest": (MANY, {"loss": "hinge", "class_weight": {0: 2.0}}),
    "rest, smooth": (MANY, {"multiclass": "one_vs_rest"}),
    "rest in a ball": (MANY, {"multiclass": "one_vs_rest", "constraint": "l2_ball:radius=0.25", "standardize": True}),
    "no minimiser": (X[:, 0] > 0.0, {"l2": 0.0}),
}
# Options alone: the fits are those of tests/models.
ASKED: dict[str, dict[str, Any]] = {
    "box": {"constraint": "box:low=-0.1,high=0.1"},
    "half-space": {"constraint": HalfSpace(np.array([3.0, -1.0, 0.7]), 0.1)},
    "groups": {"regularizer": group_lasso([[2, 0], [1]], 0.3)},
    "entropy": {"l2": 0.0, "regularizer": NegativeEntropy(0.3), "constraint": "simplex:radius=2"},
    "perceptron": {"loss": "perceptron", "constraint": "simplex"},
    "multiclass": {"multiclass": "softmax"},
}


def assert_same_options(kept: FitOptions, asked: FitOptions) -> None:
    for name, one, other in zip(FitOptions._fields, kept, asked, strict=True):
        assert type(one) is type(other), name
        if name in ("constraint", "regularizer"):
            assert_same(one, other)
        else:
            assert one == other


def asked_for(model: LinearModel, case: str) -> LinearModel:
    return model._replace(options=FitOptions(**{"l2": 0.1, **ASKED[case]}).checked())


@pytest.mark.parametrize("case", CASES)
def test_it_comes_back_and_verifies(case, tmp_path):
    y, options = CASES[case]
    model = fitted(y, **options)
    save(model, tmp_path / "model")
    back = load(tmp_path / "model")
    assert_same(back._replace(options=None), model._replace(options=None))
    assert_same_options(back.options, model.options)
    assert verify(back, X, y).holds
    assert back.predict(X).tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("case", ASKED)
def test_options_come_back(case, model, tmp_path):
    save(asked_for(model, case), tmp_path / "model")
    assert_same_options(load(tmp_path / "model").options, asked_for(model, case).options)


def test_a_loss_that_is_not_convex(tmp_path):
    model = fitted(TARGET, task="regression", loss=Wave(), l2=0.5)
    save(model, tmp_path / "model")
    back = load(tmp_path / "model")
    assert name_of(back.certificate) == "stationarity"
    assert_same(back.certificate, model.certificate)
    assert verify(back, X, TARGET, loss=Wave()).holds
    np.testing.assert_allclose(model.predict(X), 2.0 * model.scores(X))
    assert_same(back.scores(X), model.scores(X))
    with pytest.raises(Unsupported, match="the mean of its user's own loss 'wave', which is not in the model file"):
        back.predict(X)


def test_every_kind_of_certificate_is_tried():
    kinds = {name_of(fitted(y, **options).certificate) for y, options in CASES.values()}
    about_problems = {kind for kind, cls in KINDS.items() if cls.__module__.startswith("empirisk.certificates.")}
    assert kinds | {"stationarity"} == about_problems


def in_options(**values: Any) -> Any:
    return lambda content, arrays: content["model"]["options"].update(values)


def in_arrays(**values: Any) -> Any:
    return lambda content, arrays: arrays.update(values)


FORGERIES = {
    "an unknown constraint": ("ball", in_options(constraint="os.system")),
    "a constraint of another type": ("ball", in_options(constraint=3)),
    "a constraint with a list of names": ("ball", in_options(constraint={"l2_ball": 1.0})),
    "a half-space without its normal": ("half-space", lambda content, arrays: arrays.pop("constraint_normal")),
    "a normal without its half-space": ("ball", in_arrays(constraint_normal=np.ones(3))),
    "a normal of zeros": ("half-space", in_arrays(constraint_normal=np.zeros(3))),
    "an unknown regularizer": ("groups", in_options(regularizer={"eval": {}})),
    "groups without members": ("groups", lambda content, arrays: arrays.pop("regularizer_members")),
    "groups that overlap": ("groups", in_arrays(regularizer_members=np.array([0, 0, 1]))),
    "an unknown way of many classes": ("softmax", in_options(multiclass="vote")),
    "one weight vector for three classes": ("softmax", in_arrays(weights=np.zeros(3))),
    "weights of two classes out of three": ("softmax", in_arrays(weights=np.zeros((2, 3)))),
    "one intercept for three classes": ("softmax", lambda c, a: c["model"].update(intercept=0.0)),
    "intercepts of a list of lists": ("softmax", lambda c, a: c["model"].update(intercept=[[0.0], [0.0], [0.0]])),
    "two classes of three": ("softmax", lambda c, a: c["model"]["classes"].update(values=[0, 1])),
    "classes out of order": ("softmax", lambda c, a: c["model"]["classes"].update(values=[0, 2, 1])),
    "starts out of order": ("one against the rest", in_arrays(**{"certificate.dual_starts": np.array([0, 5, 3, 2])})),
    "starts of other classes": ("one against the rest", in_arrays(**{"certificate.dual_starts": np.array([0, 1])})),
    "no starts": ("one against the rest", lambda content, arrays: arrays.pop("certificate.dual_starts")),
    "a direction with a duality gap": ("ball", in_arrays(**{"certificate.direction": np.zeros(4)})),
    "a direction that is not finite": ("no minimiser", in_arrays(**{"certificate.direction": np.full(4, np.nan)})),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_parts_are_refused(forgery, model, tmp_path):
    case, change = FORGERIES[forgery]
    save(asked_for(model, case) if case in ASKED else fitted(CASES[case][0], **CASES[case][1]), tmp_path / "model")
    changed(tmp_path / "model", change)
    with pytest.raises(ModelFileError, match="is not a valid model file: "):
        load(tmp_path / "model")


def test_changed_parts_do_not_verify(tmp_path):
    changes = [
        ("softmax", lambda c, a: a["weights"].put(4, np.nextafter(a["weights"].flat[4], 9.0))),
        ("softmax", lambda c, a: c["model"]["certificate"].update(gap=1e-300)),
        ("one against the rest", lambda c, a: c["model"]["certificate"]["classes"][1].update(gap=1e-300)),
        ("one against the rest", lambda c, a: c["model"]["classes"].update(values=[0, 1, 3])),
        ("ball", in_options(constraint="l2_ball:radius=0.2")),
        ("no minimiser", lambda c, a: a["certificate.direction"].put(0, -1.0)),
        ("no minimiser", in_arrays(**{"certificate.direction": np.ones(3)})),
    ]
    for case, change in changes:
        y, options = CASES[case]
        save(fitted(y, **options), tmp_path / "model")
        changed(tmp_path / "model", change)
        assert not verify(load(tmp_path / "model"), X, y).holds, case
