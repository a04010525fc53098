"""A linear model: fitted, able to predict, and able to prove itself."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.certificates import DualityGap, Verification, duality_gap
from empirisk.compiled import adopt, kernel
from empirisk.data.blocks import available_threads
from empirisk.data.fingerprint import fingerprint
from empirisk.designs import as_design, check_finite, matrix_of
from empirisk.driver import minimize
from empirisk.losses import as_loss
from empirisk.models.columns import Columns
from empirisk.models.labels import from_scores, to_signs, two_classes, with_class_weights
from empirisk.models.options import FitOptions
from empirisk.models.scaling import Scaling, scaling_of
from empirisk.problems.empirical_risk import EmpiricalRisk, check_weights
from empirisk.problems.passes import scores_of
from empirisk.protocols import Unsupported, Vector, name_of, offers
from empirisk.solution import Solution, Status


class OwnLoss(NamedTuple):
    """Stands for a user's own loss in a model that was read from a file: its name, no code."""

    name: str


class LinearModel(NamedTuple):
    """Weights and intercept for columns as the user has them, what was asked, and the certificate."""

    options: FitOptions  # checked
    weights: Vector
    intercept: float
    classes: NDArray[Any] | None  # sorted; None for regression
    certificate: DualityGap  # of the scaled problem when scaling is given
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

    def scores(self, X: Any) -> Vector:
        """<w, x> + b for each row of X."""
        design = as_design(X)
        if design.n_columns() != self.weights.size:
            raise ValueError(
                f"X has {design.n_columns()} features, but the model is expecting {self.weights.size} features as input"
            )
        scores = scores_of(design, self.weights, self.intercept, self.options.n_threads or available_threads())
        if not np.all(np.isfinite(scores)):  # NaN and infinity in X reach the scores, even through zero weights
            check_finite(design)
            row = int(np.argmin(np.isfinite(scores)))
            raise ValueError(
                f"the score of row {row} (counted from 0) overflows: its values are too large for the model"
            )
        return scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels for a classifier, scores for a regressor."""
        scores = self.scores(X)
        return scores if self.classes is None else from_scores(scores, self.classes)

    def probabilities(self, X: Any) -> Vector:
        """The chance of the last class, where the loss is a likelihood."""
        return probabilities_of(self.options.loss, self.scores(X))


def probabilities_of(loss: Any, scores: Vector) -> Vector:
    """The chance of label +1 at each score; raises Unsupported where the loss is not a likelihood."""
    if isinstance(loss, OwnLoss):
        raise Unsupported(f"the model file names its user's own loss {loss.name!r}, which gives no probabilities")
    if not offers(loss, "probability"):
        raise Unsupported(f"the loss {name_of(loss)!r} is not a likelihood: use 'logistic' for probabilities")
    adopt(loss)
    chances = np.empty(scores.size)
    _probabilities(loss, scores, chances)
    return chances


def fit_linear(
    X: Any,
    y: Any,
    options: FitOptions,
    *,
    sample_weight: Any = None,
    callback: Any = None,
    start: tuple[Vector, float] | None = None,
    feature_names: tuple[str, ...] | None = None,
) -> tuple[LinearModel, Solution]:
    """Fit a linear model; `start` is a point (weights, intercept) in the columns as they are."""
    options = options.checked()
    problem, classes, scaling, print_of_data = _problem(X, y, options, sample_weight, None)
    if start is not None and scaling is not None:
        start = scaling.unfold(*start)
    solution = minimize(
        problem,
        options.solver,
        tol=options.tol,
        max_passes=options.max_passes,
        callback=callback,
        start=start,
        seed=options.random_state,
    )
    w, b, certificate = solution.weights, solution.intercept, solution.certificate
    if scaling is not None:
        w, b, certificate = _fold_back(problem, scaling, solution)
    certified = bool(solution.certified and certificate.is_within(options.tol))
    model = LinearModel(
        options=options,
        weights=w,
        intercept=b,
        classes=classes,
        certificate=certificate,
        certified=certified,
        status=str(Status.FLOATING_POINT if solution.certified and not certified else solution.status),
        solver=solution.solver,
        reason=solution.reason,
        passes=solution.passes,
        data_fingerprint=print_of_data,
        scaling=scaling,
        feature_names=feature_names,
        subject=certificate.about(w, b).subject,
    )
    return model, solution


def verify(model: Any, X: Any, y: Any, sample_weight: Any = None, loss: Any = None) -> Verification:
    """Rebuild the problem from these data and check the certificate; says so when the data are others.

    `model` is a LinearModel or a fitted estimator, which holds one as `model_`.
    A model with a user's own loss that was read from a file needs the `loss` object.
    """
    model = getattr(model, "model_", model)
    options = model.options if loss is None else model.options._replace(loss=as_loss(loss, model.options.task))
    if isinstance(options.loss, OwnLoss):
        said = f"the model was fitted with its user's own loss {options.loss.name!r}"
        raise Unsupported(f"{said}: to verify it, give the loss object, verify(model, X, y, loss=...)")
    if model.subject != model.certificate.about(model.weights, model.intercept).subject:
        return Verification(False, "The certificate speaks of other weights than these.", np.nan)
    stranger = None if model.classes is None else _other_classes(np.asarray(y), model.classes, sample_weight)
    if stranger is not None:
        return Verification(False, f"These are not the data the model was fitted on: {stranger}.", np.nan)
    problem, _, scaling, print_of_data = _problem(X, y, options, sample_weight, model.classes, model.scaling)
    is_other = print_of_data != model.data_fingerprint
    said = "These are not the data the model was fitted on (their fingerprint differs). " if is_other else ""
    if not _agree(scaling, model.scaling):
        return Verification(False, said + "The stored scaling of the columns is not that of these data.", np.nan)
    if problem.design.n_columns() != model.weights.size:
        counts = f"The data have {problem.design.n_columns()} columns, the model {model.weights.size}."
        return Verification(False, said + counts, np.nan)
    w, b = model.weights, model.intercept
    if model.scaling is not None:
        w, b = model.scaling.unfold(w, b)
    verdict = model.certificate.verify(problem, w, b)
    return Verification(False, said + verdict.sentence, verdict.gap) if is_other else verdict


def _other_classes(labels: NDArray[Any], classes: NDArray[Any], sample_weight: Any) -> str | None:
    """What is wrong where the labels are not the two classes of the fit."""
    if labels.ndim != 1:
        return None
    if sample_weight is not None and np.shape(sample_weight) == labels.shape:
        labels = labels[np.asarray(sample_weight) > 0.0]
    known, found = classes.tolist(), set(labels.tolist())
    others = sorted(found.difference(known), key=str)
    if others:
        return f"they hold the label {others[0]!r}, and the model knows {known[0]!r} and {known[1]!r}"
    return None if len(found) == 2 else f"they hold labels of one class only, {next(iter(found), None)!r}"


def _problem(
    X: Any, y: Any, options: FitOptions, sample_weight: Any, classes: Any, stored: Scaling | None = None
) -> tuple[EmpiricalRisk, NDArray[Any] | None, Scaling | None, str]:
    """The problem that these data and options pose, with the classes and scaling of the fit where given."""
    scaling: Scaling | None = None
    labels, design = np.asarray(y), as_design(X)
    n = design.n_rows()
    if n == 0 or design.n_columns() == 0:
        raise ValueError(f"X is empty: it has {n} row(s) and {design.n_columns()} column(s)")
    weights = None if sample_weight is None else check_weights(sample_weight, n)
    if labels.shape != (n,):
        raise ValueError(f"y must have one label for each of the {n} rows of X, got shape {labels.shape}")
    if options.task == "classification":
        classes = two_classes(labels, weights) if classes is None else classes
        labels = to_signs(labels, classes)
        weights = with_class_weights(options.class_weight, classes, labels, weights)
    elif labels.dtype.kind not in "biuf":
        raise ValueError(f"y must hold numbers for regression, got dtype {labels.dtype}")
    labels = labels.astype(np.float64)
    if options.standardize:
        check_finite(design)
        scaling = scaling_of(matrix_of(design), weights, options.fit_intercept)
    # The stored scaling, where it agrees with that of the data: other machines round sums otherwise.
    used = stored if stored is not None and _agree(scaling, stored) else scaling
    problem = EmpiricalRisk(
        design if used is None else used.apply(matrix_of(design)),
        labels,
        options.loss,
        l1=options.l1,
        l2=options.l2,
        sample_weight=weights,
        fit_intercept=options.fit_intercept,
        n_threads=options.n_threads,
    )
    return problem, classes, scaling, fingerprint(design, labels, weights, problem.n_threads)


def _agree(scaling: Scaling | None, stored: Scaling | None) -> bool:
    """Equal up to the rounding of sums."""
    if scaling is None or stored is None:
        return scaling is stored
    if scaling.scale.shape != stored.scale.shape:
        return False
    close = np.abs(scaling.shift - stored.shift) <= 1e-9 * (np.abs(scaling.shift) + scaling.scale)
    return bool(np.all(close & (np.abs(scaling.scale - stored.scale) <= 1e-9 * scaling.scale)))


def _fold_back(problem: EmpiricalRisk, scaling: Scaling, solution: Solution) -> tuple[Vector, float, DualityGap]:
    """Weights for the columns as they were, and the certificate at exactly the point they unfold to."""
    w, b = scaling.fold(solution.weights, solution.intercept)
    unfolded = scaling.unfold(w, b)
    dual = solution.certificate.given(problem.design.n_rows())
    return w, b, duality_gap(problem, *unfolded, dual).about(*unfolded)


@kernel
def _probabilities(loss, scores, out):
    for i in range(scores.size):
        out[i] = loss.probability(scores[i])
