"""A plane for each of three classes or more against the rest: the largest score predicts, each has its own proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import CSR, Dense
from empirisk.encodings.columns import Columns
from empirisk.models.fitted import rows_of
from empirisk.models.plane import VOTED, PlaneModel
from empirisk.models.plane_predictions import predicts_by_planes
from empirisk.models.scikit_learn import speaks_scikit_learn
from empirisk.models.scores import Scores
from empirisk.models.verification import check_data, other_labels, verify
from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Certificate, Unsupported, Vector, Verification

if TYPE_CHECKING:
    from empirisk.bounds.risk_bound import RiskBound


class ClassProofs(NamedTuple):
    """What is proven of the plane of each class; None where nothing is."""

    classes: tuple[Any, ...]
    certificates: tuple[Certificate | None, ...]

    def sentence(self) -> str:
        """The claim of each class in words."""
        said = ("Nothing is proven." if proof is None else proof.sentence() for proof in self.certificates)
        return " ".join(f"{name} against the rest: {one}" for name, one in zip(self.classes, said, strict=True))

    def to_json(self) -> dict[str, Any]:
        """Each as it would be alone."""
        each = [None if proof is None else proof.to_json() for proof in self.certificates]
        return {"kind": "class_proofs", "classes": list(self.classes), "certificates": each}


@predicts_by_planes
@speaks_scikit_learn
class PlanesModel(NamedTuple):
    """The planes in the order of the classes, each between the rest (False) and its class (True)."""

    planes: tuple[PlaneModel, ...]
    classes: NDArray[Any]  # three or more, sorted
    feature_names: tuple[str, ...] | None = None
    columns: Columns | None = None  # how a table became numbers
    first_index: int | None = None  # of the features in svmlight data: 0 or 1
    label_name: str | None = None  # the columns of the table that were labels and weights
    weights_name: str | None = None

    def __repr__(self) -> str:
        """In a line: the fields hold arrays."""
        return f"<PlanesModel of {self.n_features} features and {self.classes.size} classes by {self.method}>"

    @property
    def weights(self) -> NDArray[np.float64]:
        """One line a class."""
        return np.array([plane.weights for plane in self.planes])

    @property
    def intercept(self) -> Vector:
        """One a class."""
        return np.array([plane.intercept for plane in self.planes])

    @property
    def point(self) -> LinearPoint:
        """What a bound of the future error speaks of."""
        return LinearPoint(self.weights, self.intercept)

    @property
    def method(self) -> str:
        """How the planes were found."""
        return self.planes[0].method

    @property
    def parameters(self) -> dict[str, Any]:
        """Of the method."""
        return self.planes[0].parameters

    @property
    def certificate(self) -> ClassProofs:
        """Those of the planes."""
        return ClassProofs(tuple(self.classes.tolist()), tuple(plane.certificate for plane in self.planes))

    @property
    def certified(self) -> bool:
        """Whether every plane is."""
        return all(plane.certified for plane in self.planes)

    @property
    def status(self) -> str:
        """How the search of each class ended."""
        return "; ".join(f"{name}: {plane.status}" for name, plane in zip(self.classes, self.planes, strict=True))

    @property
    def tol(self) -> float:
        """What was asked of the certificates, where that is a number."""
        return self.planes[0].tol

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return self.planes[0].n_features

    @property
    def has_many_classes(self) -> bool:
        """True: there is a score for each."""
        return True

    def remark(self) -> str:
        """How the search of each class ended."""
        return " ".join(f"{name}: {plane.remark()}" for name, plane in zip(self.classes, self.planes, strict=True))

    def told(self) -> dict[str, Any]:
        """What no data can refute: the planes have it in common."""
        return self.planes[0].told()

    def shortfall(self, tol: float) -> str:
        """What the certificates leave open of what was asked; empty where nothing."""
        each = ((name, plane.shortfall(tol)) for name, plane in zip(self.classes, self.planes, strict=True))
        return "; ".join(f"for {name}, {said}" for name, said in each if said)

    def bound(self, X: Any, y: Any, kind: str = "auto", delta: float = 0.05, sample_weight: Any = None) -> RiskBound:
        """A bound on the future error: on other rows than those of the planes by testing, on those by the theory."""
        if any(plane.voted is not None for plane in self.planes):
            raise Unsupported(VOTED)
        from empirisk.models.future_error.bounding import Bounded, bound_of, rows_to_bound  # no fit needs them

        rows = rows_to_bound(self, self.classes, X, y, sample_weight)
        each = zip(self.planes, rows.against_the_rest(), strict=True)
        is_seen = any(plane.may_be_found_on(own.fingerprint()) for plane, own in each)
        is_affine = any(plane.is_affine for plane in self.planes)
        return bound_of(Bounded(rows, self.weights, self.intercept, is_affine, is_seen, self), kind, delta)

    def scores_of(self, design: Dense | CSR) -> Scores:
        """The scores of the rows of a design."""
        return np.column_stack([plane.scores_of(design) for plane in self.planes])


def planes_model(
    planes: Sequence[PlaneModel], classes: NDArray[Any], feature_names: Sequence[str] | None = None
) -> PlanesModel:
    """The model of planes that were found for each class against the rest."""
    return PlanesModel(tuple(planes), classes, None if feature_names is None else tuple(map(str, feature_names)))


@verify.register
def _(model: PlanesModel, X: Any, y: Any = None, sample_weight: Any = None, loss: Any = None) -> Verification:
    """Whether the certificate of every class holds and speaks of its plane."""
    check_data(X, y)
    rows, labels = rows_of(model, X), np.asarray(y)
    stranger = other_labels(model.classes, labels, sample_weight)
    if stranger is not None:
        return stranger
    numbers: dict[str, float] = {}
    for name, plane in zip(model.classes, model.planes, strict=True):
        verdict = verify(plane, rows, labels == name, sample_weight)
        if not verdict.holds:
            return verdict._replace(sentence=f"{name} against the rest: {verdict.sentence}")
        numbers |= {f"{name} {key}": value for key, value in verdict.numbers.items()}
    return Verification(True, f"Recomputed for each of {model.classes.size} classes against the rest.", numbers)
