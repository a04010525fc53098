"""A chapter that finds planes in its own way brings its model without a change to the package."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import empirisk as er
from empirisk.certificates.registry import KINDS, register
from empirisk.certificates.verification import digest
from empirisk.model_file import ModelFileError, load, save
from empirisk.models.plane import plane_model
from empirisk.protocols import Verification, Words
from empirisk.separation.found_plane import Endings, FoundPlane
from empirisk.separation.perceptron_runs.answer import Answer
from empirisk.separation.points import points_of
from tests.model_file.files import changed

X = np.array([[1.0, 0.0], [2.0, 1.0], [-1.0, 0.5], [-2.0, 0.0]])
Y = np.array(["up", "up", "down", "down"])


class MiddleOfMeans(NamedTuple):
    """The plane is the middle between the means of the classes."""

    subject: str

    def plane_endings(self, tol: float) -> Endings:
        return Endings("means", ("done",))

    def problem_of(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return points_of(X, y, True)

    def verify(self, problem: Any, point: Any) -> Verification:
        rows = problem.design.values
        means = [rows[problem.y == sign].mean(axis=0) for sign in (-1.0, 1.0)]
        found = Answer(means[1] - means[0], float(means[0] @ means[0] - means[1] @ means[1]) / 2.0)
        return Verification(digest(found) == self.subject == digest(point), "The means, computed again.")

    def is_within(self, tol: float) -> bool:
        return True

    def sentence(self) -> str:
        return "The plane is the middle between the means."

    def words(self, tol: float) -> Words:
        return Words(self.sentence(), (), "the means")

    def to_json(self) -> dict[str, Any]:
        return {"kind": "middle_of_means", "subject": self.subject}

    def arrays(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Any) -> MiddleOfMeans:
        return cls(data["subject"])


@pytest.fixture
def own():
    """The model of the middle, while its certificate is registered."""
    register(MiddleOfMeans)
    low, high = X[Y == "down"].mean(axis=0), X[Y == "up"].mean(axis=0)
    plane = Answer(high - low, float(low @ low - high @ high) / 2.0)
    found = FoundPlane("means", plane, MiddleOfMeans(digest(plane)), "done")
    yield plane_model(found, np.unique(Y), {"fit_intercept": True})
    KINDS.pop("middle_of_means")


def test_it_is_saved_predicts_and_is_verified(own, tmp_path):
    save(own, tmp_path / "model")
    back = load(tmp_path / "model")
    assert (back.method, back.certified, back.status) == ("means", True, "done")
    assert back.predict(X).tolist() == Y.tolist()
    assert er.verify(back, X, Y).holds
    assert not er.verify(back._replace(intercept=9.0), X, Y).holds


def test_a_plane_of_another_method_is_not_proven_by_it(own, tmp_path):
    save(own, tmp_path / "model")
    changed(tmp_path / "model", lambda content, arrays: content["model"].update(method="perceptron"))
    with pytest.raises(ModelFileError, match="a plane of 'perceptron' is not proven by 'middle_of_means'"):
        load(tmp_path / "model")


def test_what_finds_a_plane_and_what_proves_it_name_the_same_method():
    answers = (
        er.perceptron(X, Y).found_plane(),
        er.widest_gap(X, Y).found_plane(1e-6),
        er.fewest_errors(X, Y).found_plane(),
    )
    assert [found.method for found in answers] == ["perceptron", "widest_gap", "fewest_errors"]
    for found in answers:
        endings = found.certificate.plane_endings(1e-6)
        assert endings.method == found.method
        assert found.status in endings.statuses
