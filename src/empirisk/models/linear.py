"""A linear model: fitted, able to predict, and able to prove itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import name_of
from empirisk.certificates import Verification
from empirisk.certificates.verification import digest
from empirisk.designs import CSR, Dense
from empirisk.encodings.columns import Columns
from empirisk.losses import as_loss
from empirisk.models.advice import advice
from empirisk.models.fitted import rows_of, unknown_in_data_of
from empirisk.models.labels import from_scores
from empirisk.models.many_classes import uses_softmax
from empirisk.models.options import FitOptions
from empirisk.models.posing import agree, fingerprint_of, pose
from empirisk.models.predictions import OwnLoss, check_is_likelihood, means_of, probabilities_of
from empirisk.models.scaling import Scaling
from empirisk.models.scikit_learn import speaks_scikit_learn
from empirisk.models.scores import Scores, checked_scores
from empirisk.models.validation.cross_validation import CrossValidation
from empirisk.models.validation.holdout import Holdout, rows_of_the_fit
from empirisk.models.verification import cannot_be, check_data, other_labels, verify
from empirisk.problems.class_products import class_scores
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import scores_of
from empirisk.protocols import OptimalityCertificate, Unsupported, Vector
from empirisk.rows.threads import available_threads

if TYPE_CHECKING:
    from empirisk.bounds.risk_bound import RiskBound
    from empirisk.models.future_error.integer_plane import IntegerFit

EARLY = " Strengths: "  # in a reason, before how a cross-validation of fewer than two folds chose them


@speaks_scikit_learn
class LinearModel(NamedTuple):
    """Weights and intercept for columns as the user has them, what was asked, and the certificate."""

    options: FitOptions  # checked
    weights: NDArray[np.float64]  # d; K x d for three classes or more, or as many targets
    intercept: Any  # a float; K of them likewise
    classes: NDArray[Any] | None  # sorted; None for regression
    certificate: OptimalityCertificate  # of the scaled problem when scaling is given
    certified: bool
    status: str
    solver: str
    reason: str
    passes: float
    data_fingerprint: str
    scaling: Scaling | None = None
    feature_names: tuple[str, ...] | None = None
    subject: str = ""  # digest of weights and intercept as they are here; the certificate's own is of the scaled ones
    columns: Columns | None = None  # how a table became numbers
    first_index: int | None = None  # of the features in svmlight data: 0 or 1
    label_name: str | None = None  # the columns of the table that were labels and weights
    weights_name: str | None = None
    cross_validation: CrossValidation | None = None  # where a strength of the options was chosen by it
    holdout: Holdout | None = None  # the rows of the data that were left out of the fit

    def __repr__(self) -> str:
        """In a line: the fields hold arrays."""
        return f"<LinearModel of {self.n_features} features, {name_of(self.options.loss)} loss: {self.status}>"

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return int(self.weights.shape[-1])

    @property
    def point(self) -> LinearPoint:
        """Weights and intercept, for columns as the user has them."""
        return LinearPoint(self.weights, self.intercept)

    @property
    def has_many_classes(self) -> bool:
        """Whether there is a score for each class, or for each of several targets."""
        return self.weights.ndim == 2

    @property
    def is_affine(self) -> bool:
        """Whether the planes could have an intercept."""
        return self.options.fit_intercept or bool(np.any(self.intercept))

    @property
    def n_targets(self) -> int:
        """How many numbers are predicted for a row; 1 for a classifier."""
        return int(self.weights.shape[0]) if self.classes is None and self.has_many_classes else 1

    def scores(self, X: Any) -> Scores:
        """<w, x> + b for each row of X; for three classes or more a row of K scores."""
        return checked_scores(self, X, self._scores_of)

    def _scores_of(self, design: Dense | CSR) -> Scores:
        n_threads = self.options.n_threads or available_threads()
        if self.has_many_classes:
            return class_scores(design, self.point.stacked(), n_threads)
        return scores_of(design, self.weights, self.intercept, n_threads)

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels for a classifier; for a regressor the scores, or the loss's mean(z) where it offers one."""
        return self.answers(self.scores(X))

    def answers(self, scores: Scores) -> NDArray[Any]:
        """What these scores predict."""
        return means_of(self.options.loss, scores) if self.classes is None else from_scores(scores, self.classes)

    def integers(self, X: Any, y: Any, delta: float = 0.05, orders: int = 5, seed: int = 0) -> IntegerFit:
        """A plane with integer weights in its place, whose bound on the future error is least: `integers_of`."""
        from empirisk.models.future_error.integer_plane import integers_of

        return integers_of(self, X, y, delta, orders, seed)

    def probabilities(self, X: Any) -> Scores:
        """The chances of the classes, a row for each row of X, where the loss is a likelihood."""
        return self.chances(self.scores(X))

    def check_probabilities(self) -> None:
        """Raise Unsupported where the model gives none."""
        if self.classes is None:
            raise Unsupported("this model is a regression: it has no probabilities")
        check_is_likelihood(self.options.loss)

    def chances(self, scores: Scores) -> Scores:
        """The chances of the classes at these scores."""
        self.check_probabilities()
        return probabilities_of(self.options.loss, scores, uses_softmax(self.options))

    @property
    def tol(self) -> float:
        """What the certificate was asked to prove."""
        return self.options.tol

    def remark(self) -> str:
        """What a reader of the claim must know besides."""
        said = [] if self.holdout is None else [self.holdout.sentence()]
        if self.scaling is not None:
            said.append("The claim is about the standardised problem: columns scaled as in the model file.")
        return " ".join(said)

    def shortfall(self, tol: float) -> str:
        """What the certificate leaves open of what was asked; empty where nothing."""
        return self.certificate.words(tol).shortfall

    def bound(
        self,
        X: Any,
        y: Any,
        kind: str = "auto",
        delta: float = 0.05,
        sample_weight: Any = None,
        clip: float | None = None,
    ) -> RiskBound:
        """A bound on the future error: on other rows than those of the fit by testing, on those by the theory.

        Of a regression a bound on the future loss, clipped at `clip`, on other rows only.
        """
        from empirisk.models.future_error.bounding import Bounded, bound_of, rows_to_bound  # no fit needs them
        from empirisk.models.future_error.loss_bounds import loss_bound

        if self.classes is None:
            return loss_bound(self, X, y, kind, delta, clip, sample_weight)
        if clip is not None:
            raise ValueError("clip is for the losses of a regression: a classifier is right or wrong")
        rows = rows_to_bound(self, self.classes, X, y, sample_weight)
        if self.was_fitted_on(X, y):
            rows = rows._replace(printed=self.fingerprint_without_weights())
        is_seen = self.may_have_seen(X, y)
        return bound_of(Bounded(rows, self.weights, self.intercept, self.is_affine, is_seen, self), kind, delta)

    def clipped_losses(self, X: Any, y: Any, clip: float) -> Vector:
        """What the bound of a regression is computed from: min(loss(z_i, y_i), clip) of each row."""
        from empirisk.models.future_error.loss_bounds import clipped_losses

        return clipped_losses(self, X, y, clip)

    def was_fitted_on(self, X: Any, y: Any, sample_weight: Any = None) -> bool:
        """Whether these are the rows of the fit, by their fingerprint, or they with those that it held out."""
        own, labels, weights = rows_of_the_fit(self, rows_of(self, X), y, sample_weight)
        return fingerprint_of(own, labels, self.options, weights, self.classes) == self.data_fingerprint

    def may_have_seen(self, X: Any, y: Any) -> bool:
        """Whether these are, as far as can be told, the rows of the fit, be it in another order or weighted."""
        from empirisk.models.future_error.seen_rows import has_loss_of_fit

        # A fit with a column of weights has another fingerprint.
        return self.weights_name is not None or self.was_fitted_on(X, y) or has_loss_of_fit(self, X, y)

    def fingerprint_without_weights(self) -> str:
        """Of the rows given to a fit without sample weights; empty where the stored one is that of others."""
        is_theirs = self.options.class_weight is None and self.holdout is None
        return self.data_fingerprint if is_theirs else ""

    def told(self) -> dict[str, Any]:
        """What no data can refute: `verify` shows it as the word of the file."""
        chosen = self.cross_validation
        folds = {} if chosen is None else {"cross_validation": f"{chosen.n_folds} folds chose the strengths"}
        names = ("tol", "status", "solver", "passes", "reason")
        return {**{name: getattr(self, name) for name in names}, **folds}

    def advice(self) -> str:
        """What may help where the fit is not certified."""
        return advice(self.status, self.options)

    def cut_choice(self) -> str:
        """Why strengths were chosen by fewer folds than were asked for; empty where they were not."""
        if self.cross_validation is not None:
            return self.cross_validation.fewer_folds
        return self.reason.partition(EARLY)[2].removesuffix(".")

    def reached(self) -> str:
        """How close the fit came to what was asked, in words."""
        return self.shortfall(self.options.tol) or "the certificate is within what was asked"


@verify.register
def _(model: LinearModel, X: Any, y: Any = None, sample_weight: Any = None, loss: Any = None) -> Verification:
    """Pose the problem again, scaled as in the fit, and check the certificate at the point of the model."""
    check_data(X, y)
    X = rows_of(model, X, unknown_in_data_of(model))
    options = model.options if loss is None else model.options._replace(loss=as_loss(loss, model.options.task))
    if isinstance(options.loss, OwnLoss):
        said = f"the model was fitted with its user's own loss {options.loss.name!r}"
        raise Unsupported(f"{said}: to verify it, give the loss object, verify(model, X, y, loss=...)")
    if model.subject != digest(model.point):
        return Verification(False, "The certificate speaks of other weights than these.")
    X, y, sample_weight = rows_of_the_fit(model, X, y, sample_weight)
    stranger = None if model.classes is None else other_labels(model.classes, y, sample_weight)
    if stranger is not None:
        return stranger
    try:
        posed = pose(X, y, options, sample_weight, model.classes, model.scaling)
    except Unsupported:
        raise
    except (TypeError, ValueError) as error:
        return cannot_be(error)
    is_other = posed.fingerprint != model.data_fingerprint
    said = "These are not the data the model was fitted on (their fingerprint differs). " if is_other else ""
    if not agree(posed.scaling, model.scaling):
        return Verification(False, said + "The stored scaling of the columns is not that of these data.")
    if posed.problem.rows.n_columns != model.n_features:
        counts = f"The data have {posed.problem.rows.n_columns} columns, the model {model.n_features}."
        return Verification(False, said + counts)
    point = model.point
    if model.scaling is not None:
        point = LinearPoint(*model.scaling.unfold(*point[:2]))
    verdict = model.certificate.verify(posed.problem, point)
    return verdict._replace(holds=False, sentence=said + verdict.sentence) if is_other else verdict
