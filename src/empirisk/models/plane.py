"""A plane between two classes that was not fitted by a loss: it predicts, and proves what was asked of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import CSR, Dense, check_finite
from empirisk.encodings.columns import Columns
from empirisk.models.fitted import rows_of
from empirisk.models.plane_predictions import predicts_by_planes
from empirisk.models.scikit_learn import speaks_scikit_learn
from empirisk.models.scores import Scores
from empirisk.models.verification import check_data, other_labels, verified_by_itself, verify
from empirisk.problems.passes import scores_of
from empirisk.protocols import Certificate, Unsupported, Vector, Verification
from empirisk.rows.threads import available_threads
from empirisk.separation.found_plane import FoundPlane, is_about_plane, shortfall_of
from empirisk.separation.perceptron_runs.answer import Answer
from empirisk.separation.perceptron_runs.voted import VotedPlanes

if TYPE_CHECKING:
    from empirisk.bounds.risk_bound import RiskBound
    from empirisk.models.future_error.integer_plane import IntegerFit

VOTED = "planes that vote have no bound of a plane: test their errors, er.bounds.losses_of(errors)"


@predicts_by_planes
@speaks_scikit_learn
class PlaneModel(NamedTuple):
    """Weights and intercept, how they were found, and the certificate."""

    method: str  # how the plane was found, in the words of the chapter that found it
    parameters: dict[str, Any]  # of the method: numbers, texts, truth values and None
    weights: Vector
    intercept: float
    classes: NDArray[Any]  # two, sorted
    certificate: Certificate | None  # None where nothing is proven
    certified: bool  # whether it leaves nothing open of what was asked
    status: str  # how the search ended: where there is a certificate, one of those that go with it
    tol: float = 0.0  # what was asked of the certificate, where that is a number
    voted: VotedPlanes | None = None  # the planes that vote in place of this one
    feature_names: tuple[str, ...] | None = None
    columns: Columns | None = None  # how a table became numbers
    first_index: int | None = None  # of the features in svmlight data: 0 or 1
    label_name: str | None = None  # the columns of the table that were labels and weights
    weights_name: str | None = None

    def __repr__(self) -> str:
        """In a line: the fields hold arrays."""
        return f"<PlaneModel of {self.n_features} features by {self.method}: {self.status}>"

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

    def remark(self) -> str:
        """How the search ended, which the certificate bears out, and what it does not speak of."""
        if self.certificate is None:
            return f"How the search ended, of which the file has no proof: {self.status}."
        said = f"How the search ended: {self.status}."
        if not is_about_plane(self.certificate):
            said += " The certificate is about the data: it says nothing about how good this plane is."
        return said

    def told(self) -> dict[str, Any]:
        """What no data can refute: `verify` shows it as the word of the file."""
        return {"tol": self.tol, **self.parameters}

    def bound(self, X: Any, y: Any, kind: str = "auto", delta: float = 0.05, sample_weight: Any = None) -> RiskBound:
        """A bound on the future error: on other rows than those of the fit by testing, on those by the theory.

        Where nothing tells which rows the plane was found on, these may be some of them.
        """
        if self.voted is not None:
            raise Unsupported(VOTED)
        from empirisk.models.future_error.bounding import Bounded, bound_of, rows_to_bound  # no fit needs them

        rows = rows_to_bound(self, self.classes, X, y, sample_weight)
        is_seen = self.may_be_found_on(rows.fingerprint())
        return bound_of(Bounded(rows, self.weights, self.intercept, self.is_affine, is_seen, self), kind, delta)

    @property
    def is_affine(self) -> bool:
        """Whether the plane could have an intercept."""
        return bool(self.parameters.get("fit_intercept", True)) or self.intercept != 0.0

    def may_be_found_on(self, fingerprint: str) -> bool:
        """Whether the plane was found on rows with this fingerprint, or nothing tells on which it was."""
        known = getattr(getattr(self.certificate, "plane", self.certificate), "fingerprint", None)
        return known is None or known == fingerprint

    def shortfall(self, tol: float) -> str:
        """What the certificate leaves open of what was asked of the plane; empty where nothing."""
        return shortfall_of(self.certificate, tol)

    def integers(self, X: Any, y: Any, delta: float = 0.05, orders: int = 5, seed: int = 0) -> IntegerFit:
        """A plane with integer weights in its place, whose bound on the future error is least: `integers_of`."""
        from empirisk.models.future_error.integer_plane import integers_of

        return integers_of(self, X, y, delta, orders, seed)

    def scores_of(self, design: Dense | CSR) -> Scores:
        """The scores of the rows of a design."""
        if self.voted is None:
            return scores_of(design, self.weights, self.intercept, available_threads())
        check_finite(design)  # a vote would hide it
        return self.voted.votes(design)


def plane_model(
    found: FoundPlane,
    classes: NDArray[Any],
    parameters: Mapping[str, Any],
    tol: float = 0.0,
    feature_names: Iterable[str] | None = None,
) -> PlaneModel:
    """The model of a plane that some search found with these parameters; `tol` was asked of its certificate."""
    certificate = found.certificate
    return PlaneModel(
        method=found.method,
        parameters={name: _plain(value) for name, value in parameters.items()},
        weights=found.plane.weights,
        intercept=float(found.plane.intercept),
        classes=classes,
        certificate=certificate,
        certified=not shortfall_of(certificate, tol),
        status=str(found.status),
        tol=float(tol),
        voted=found.plane.voted,
        feature_names=None if feature_names is None else tuple(map(str, feature_names)),
    )


@verify.register
def _(model: PlaneModel, X: Any, y: Any = None, sample_weight: Any = None, loss: Any = None) -> Verification:
    """Whether the certificate holds and speaks of this plane."""
    check_data(X, y)
    X = rows_of(model, X)
    if model.certificate is None:
        return Verification(False, "The model has no certificate.")
    stranger = other_labels(model.classes, y, sample_weight)
    if stranger is not None:
        return stranger
    point = model.point if is_about_plane(model.certificate) else None
    return verified_by_itself(model.certificate, point, X, y, sample_weight)


def _plain(value: Any) -> Any:
    """A number, text or truth value as JSON has it; no limit is None."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and math.isinf(value) else value
