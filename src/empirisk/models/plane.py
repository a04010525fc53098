"""A plane between two classes that was not fitted by a loss: it predicts, and proves what was asked of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import name_of
from empirisk.designs import CSR, Dense, check_finite
from empirisk.models.columns import Columns
from empirisk.models.labels import from_scores, other_classes
from empirisk.models.scores import Scores, checked_scores
from empirisk.models.verification import verified_by_itself, verify
from empirisk.problems.passes import scores_of
from empirisk.protocols import Certificate, Unsupported, Vector, Verification
from empirisk.rows.blocks import available_threads
from empirisk.separation.perceptron_runs.answer import Answer
from empirisk.separation.perceptron_runs.status import PerceptronStatus
from empirisk.separation.perceptron_runs.voted import VotedPlanes
from empirisk.zero_one.budget import SearchStatus

if TYPE_CHECKING:  # a model that was read from a file needs none of the code that found it
    from empirisk.separation.perceptron import PerceptronRun
    from empirisk.separation.widest_gap import WidestGap
    from empirisk.zero_one.fewest_errors import FewestErrors

# How a plane was found -> the name of what proves it, which speaks of that plane and of no other.
METHODS = {"perceptron": "mistake_bound", "widest_gap": "widest_gap", "fewest_errors": "zero_one_optimality"}
NO_PLANE = "inseparability"  # what a perceptron's model holds in its place, where no plane separates the data
WIDEST = "the gap is proven to be the widest, within the tolerance"  # how a search for it ends, or with what is lacking


class PlaneModel(NamedTuple):
    """Weights and intercept, how they were found, and the certificate."""

    method: str  # one of METHODS
    parameters: dict[str, Any]  # of the method: numbers, texts, truth values and None
    weights: Vector
    intercept: float
    classes: NDArray[Any]  # two, sorted
    certificate: Certificate | None  # None where nothing is proven
    certified: bool  # whether it leaves nothing open of what was asked
    status: str  # one of those of the method
    tol: float = 0.0  # what was asked of the certificate, where that is a number
    voted: VotedPlanes | None = None  # the planes that vote in place of this one
    feature_names: tuple[str, ...] | None = None
    columns: Columns | None = None  # how a table became numbers
    first_index: int | None = None  # of the features in svmlight data: 0 or 1
    label_name: str | None = None  # the columns of the table that were labels and weights
    weights_name: str | None = None

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return int(self.weights.size)

    @property
    def point(self) -> Answer:
        """What the certificate speaks of."""
        return Answer(self.weights, self.intercept, self.voted)

    @property
    def has_many_classes(self) -> bool:
        """False: there is one score."""
        return False

    def scores(self, X: Any) -> Scores:
        """<w, x> + b for each row of X; where planes vote, the vote from -1 to +1."""
        return checked_scores(X, self.n_features, self._scores_of)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X: the last of the two where the score is >= 0."""
        return self.answers(self.scores(X))

    def answers(self, scores: Scores) -> NDArray[Any]:
        """What these scores predict."""
        return from_scores(scores, self.classes)

    def check_probabilities(self) -> None:
        """Refuse: a plane gives none."""
        raise Unsupported("this model is a plane, which gives no probabilities: fit the loss 'logistic' for these")

    def chances(self, scores: Scores) -> Scores:
        """None."""
        self.check_probabilities()
        return scores

    def remark(self) -> str:
        """How the search ended, which the certificate bears out, and what it does not speak of."""
        if self.certificate is None:
            return f"How the search ended, of which the file has no proof: {self.status}."
        said = f"How the search ended: {self.status}."
        if name_of(self.certificate) == NO_PLANE:
            said += " The certificate is about the data: it says nothing about how good this plane is."
        return said

    def shortfall(self, tol: float) -> str:
        """What the certificate leaves open of what was asked of the plane; empty where nothing."""
        return shortfall_of(self.method, self.certificate, tol)

    def _scores_of(self, design: Dense | CSR) -> Scores:
        if self.voted is None:
            return scores_of(design, self.weights, self.intercept, available_threads())
        check_finite(design)  # a vote would hide it
        return self.voted.votes(design)


def shortfall_of(method: str, certificate: Certificate | None, tol: float) -> str:
    """What a certificate leaves open of what was asked of a plane that was found by this method."""
    if certificate is None:
        return "there is no certificate"
    if name_of(certificate) != METHODS[method]:
        return "it is about the data, and a plane that separates them was asked"
    return certificate.words(tol).shortfall


def is_possible_status(method: str, status: str, certificate: Certificate | None, tol: float) -> bool:
    """Whether a search by this method can have ended so, with this certificate."""
    short = shortfall_of(method, certificate, tol)
    if method == "widest_gap":
        return status == (short or WIDEST)
    known: Any = PerceptronStatus if method == "perceptron" else SearchStatus
    if status not in [*known]:
        return False
    is_success = PerceptronStatus(status).is_separated if method == "perceptron" else status == SearchStatus.PROVEN
    return certificate is None or is_success == (not short)


def _plane_model(
    method: str,
    parameters: Mapping[str, Any],
    plane: Answer,
    classes: NDArray[Any],
    certificate: Certificate | None,
    status: str,
    tol: float = 0.0,
    feature_names: Iterable[str] | None = None,
) -> PlaneModel:
    """The model of a plane that was found in this way."""
    return PlaneModel(
        method=method,
        parameters={name: _plain(value) for name, value in parameters.items()},
        weights=plane.weights,
        intercept=float(plane.intercept),
        classes=classes,
        certificate=certificate,
        certified=not shortfall_of(method, certificate, tol),
        status=str(status),
        tol=float(tol),
        voted=plane.voted,
        feature_names=None if feature_names is None else tuple(map(str, feature_names)),
    )


def perceptron_model(
    run: PerceptronRun, parameters: Mapping[str, Any], feature_names: Iterable[str] | None = None
) -> PlaneModel:
    """The model of a perceptron's run; where no plane separates the data, with the proof of that."""
    plane, certificate = Answer(run.weights, run.intercept, run.voted), run.certificate or run.conflict
    return _plane_model(
        "perceptron", parameters, plane, run.classes, certificate, run.status, feature_names=feature_names
    )


def widest_gap_model(
    gap: WidestGap,
    classes: NDArray[Any],
    tol: float,
    parameters: Mapping[str, Any],
    feature_names: Iterable[str] | None = None,
) -> PlaneModel:
    """The model of the widest gap; `tol` was asked."""
    status = gap.words(tol).shortfall or WIDEST
    plane = Answer(gap.weights, gap.intercept)
    return _plane_model("widest_gap", parameters, plane, classes, gap, status, tol, feature_names)


def fewest_errors_model(
    answer: FewestErrors,
    classes: NDArray[Any],
    parameters: Mapping[str, Any],
    feature_names: Iterable[str] | None = None,
) -> PlaneModel:
    """The model of the plane with the fewest errors that were found."""
    plane = Answer(answer.weights, answer.intercept)
    certificate, status = answer.certificate, answer.status
    return _plane_model("fewest_errors", parameters, plane, classes, certificate, status, feature_names=feature_names)


@verify.register
def _(model: PlaneModel, X: Any, y: Any = None, sample_weight: Any = None, loss: Any = None) -> Verification:
    """Whether the certificate holds and speaks of this plane."""
    if model.certificate is None:
        return Verification(False, "The model has no certificate.")
    stranger = None if y is None else other_classes(np.asarray(y), model.classes, sample_weight)
    if stranger is not None:
        return Verification(False, f"These are not the data the model was fitted on: {stranger}.")
    return verified_by_itself(model.certificate, model.point, X, y, sample_weight)


def _plain(value: Any) -> Any:
    """A number, text or truth value as JSON has it; no limit is None."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and math.isinf(value) else value
