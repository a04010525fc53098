"""The linear classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from empirisk.estimators.linear_estimator import LinearEstimator
from empirisk.losses import as_loss
from empirisk.protocols import Vector, offers


def _is_likelihood(classifier: LinearClassifier) -> bool:
    return offers(as_loss(classifier.loss, "classification"), "probability")


class LinearClassifier(ClassifierMixin, LinearEstimator):
    """A linear classifier of two classes, with a proof of how close it is to the best one.

    Minimises  (1/S) sum_i s_i loss(<w, x_i> + b, y_i) + l1 ||w||_1 + l2/2 ||w||^2  over w and b, where s_i are the
    sample weights (times the class weights) and S is their sum. The intercept b is not penalised. Labels are mapped
    to -1 and +1 in sorted order; the last class is predicted where <w, x> + b >= 0.

    Parameters, by keyword:
        loss: "logistic", "squared_hinge", "hinge", "squared", or a loss object such as Logistic(scale=2.0).
        l1, l2: strengths of the penalty.
        fit_intercept: whether b is fitted; it is 0 otherwise.
        class_weight: None, "balanced" (each class weighs the same in total) or a mapping from labels to weights.
        solver: "auto", "newton", "proximal_newton", "lbfgs", "sdca" or a solver object.
        tol: certified when the duality gap is at most tol * max(|P|, 1e-6 P(0, 0)), P being the objective.
        max_passes: where to stop at the latest; a pass is one visit of every row.
        warm_start: start from the previous fit where that had as many features.
        random_state: the seed of solvers that sample: an integer, a NumPy generator, or None for 0.
        n_threads: None for all cores. The answer is the same to the byte for any number.
        callback: called with the trace at each check; returning True stops.

    After `fit`: coef_ (1, d), intercept_ (1,), classes_, n_features_in_, feature_names_in_ (for data with named
    columns), n_iter_ (passes), certificate_, solution_ and model_. A fit that ends uncertified warns.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LinearClassifier(l2=0.01).fit(scale(X), y)
    >>> print(f"{model.score(scale(X), y):.3f}")
    0.986
    >>> model.certificate_.relative_gap <= 1e-6
    True
    """

    def __init__(
        self,
        *,
        loss: Any = "logistic",
        l1: float = 0.0,
        l2: float = 1e-4,
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_passes: int = 1000,
        warm_start: bool = False,
        random_state: Any = None,
        n_threads: int | None = None,
        callback: Any = None,
    ) -> None:
        self._remember(locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearClassifier:
        """Fit to the rows of X, their labels and their weights (1 unless given)."""
        model = self._fit("classification", X, y, sample_weight)
        self.classes_ = model.classes
        self.coef_ = model.weights[np.newaxis, :].copy()
        self.intercept_ = np.array([model.intercept])
        return self

    def decision_function(self, X: Any) -> Vector:
        """<w, x> + b for each row of X."""
        rows = self._rows(X)
        return self.model_.scores(rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X."""
        rows = self._rows(X)
        return self.model_.predict(rows)

    @available_if(_is_likelihood)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The chances of the classes, a row for each row of X; only where the loss is a likelihood."""
        rows = self._rows(X)
        last = self.model_.probabilities(rows)
        return np.column_stack([1.0 - last, last])

    @available_if(_is_likelihood)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of `predict_proba`: -inf where a chance rounds to zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
