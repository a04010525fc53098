"""What the classifiers share whose answer is one plane between two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from empirisk.designs import as_design, check_finite
from empirisk.estimators.linear_estimator import LinearEstimator
from empirisk.models.labels import from_scores
from empirisk.problems.passes import scores_of
from empirisk.protocols import Vector


class PlaneClassifier(ClassifierMixin, LinearEstimator):
    """Two classes, a plane with coef_ (1, d), intercept_ (1,) and classes_, and the answer it came from as model_."""

    model_: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _two_classes(self, X: Any, y: Any, wrapper: str = "OneVsRestClassifier") -> tuple[Any, Any]:
        """X and y to fit; more than two classes are refused, with what of scikit-learn's takes them."""
        X, y = self._arrays(X, y, "classification")
        check_classification_targets(y)
        if type_of_target(y) == "multiclass":
            raise ValueError(
                f"Only binary classification is supported. y has {np.unique(y).size} classes, and a plane is between "
                f"two: wrap this in scikit-learn's {wrapper}"
            )
        return X, y

    def _keep_plane(self, classes: NDArray[Any], weights: Vector, intercept: float) -> None:
        self.classes_ = classes
        self.coef_ = np.array(weights, ndmin=2)
        self.intercept_ = np.array(intercept, ndmin=1)

    def decision_function(self, X: Any) -> Vector:
        """<w, x> + b for each row of X."""
        design = as_design(self._rows(X))
        check_finite(design)
        return scores_of(design, self.coef_[0], float(self.intercept_[0]))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X."""
        return from_scores(self.decision_function(X), self.classes_)
