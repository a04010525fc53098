"""What the classifiers share whose answer is one plane between two classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.linear_estimator import LinearEstimator
from empirisk.models.plane import PlaneModel
from empirisk.models.planes import PlanesModel
from empirisk.models.scikit_learn import coefficients_of, intercepts_of
from empirisk.protocols import Vector

NOT_OF_THE_PLANE = ("callback", "random_state", "warm_start")  # parameters that say nothing about it


class PlaneClassifier(ClassifierMixin, LinearEstimator):
    """Two classes, a plane with coef_ (1, d), intercept_ (1,) and classes_, and the model that `save` writes."""

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

    def _keep_plane(self, model: PlaneModel | PlanesModel) -> None:
        """The attributes that all of them have."""
        self.model_ = model
        self.certificate_ = model.certificate
        self.classes_ = model.classes
        self.coef_ = coefficients_of(model)
        self.intercept_ = intercepts_of(model)

    def _parameters(self, **found: Any) -> dict[str, Any]:
        """How the plane was found, for the model: the parameters, and what became of some of them."""
        asked = {name: value for name, value in self.get_params(deep=False).items() if name not in NOT_OF_THE_PLANE}
        return {**asked, **found}

    def bound(self, X: Any, y: Any, kind: str = "auto", delta: float = 0.05) -> Any:
        """A bound on the error of future rows, an `er.RiskBound`; docs/bounds.md has the kinds."""
        check_is_fitted(self)
        return self.model_.bound(X, y, kind, delta)

    def decision_function(self, X: Any) -> Vector:
        """<w, x> + b for each row of X, and each class of three or more; where planes vote, the vote from -1 to +1."""
        rows = self._rows(X)
        return self.model_.scores(rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X."""
        rows = self._rows(X)
        return self.model_.predict(rows)
