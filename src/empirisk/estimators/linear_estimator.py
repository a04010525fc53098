"""What the linear classifier and the linear regressor share: checked parameters, checked data, one fit."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y, validate_data

from empirisk.arithmetic.exact_floats import check_exact
from empirisk.data.frames import from_frame, refuse_gaps
from empirisk.designs import check_exact_matrix
from empirisk.models import FitOptions, LinearModel, fit_linear
from empirisk.models.options import check_callback
from empirisk.other_packages import hint_for
from empirisk.parameters import check_boolean

# Finiteness is left to the model: its check needs no copy and names the row and the column.
ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": (np.float64, np.float32),
    "ensure_all_finite": False,
}


class LinearEstimator(BaseEstimator):
    """The common part of the two linear estimators; not for direct use."""

    model_: Any  # what `save` writes
    certificate_: Any  # of the kind that proves its answers; None where nothing is proven
    solution_: Any  # what the run or the search gave back
    _kept_as = "model_"  # the attribute that only a fitted one has

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def set_params(self, **params: Any) -> Any:
        """As in scikit-learn, and a parameter of another package is answered with what to write here."""
        known = self.get_params(deep=False)
        for name in params:
            if name not in known and hint_for(name, known):
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}{hint_for(name, known)}")
        return super().set_params(**params)

    def _remember(self, arguments: Mapping[str, Any]) -> None:
        """Keep the constructor's arguments as attributes, untouched: scikit-learn's contract."""
        for name, value in arguments.items():
            if name != "self":
                setattr(self, name, value)

    def _fit(self, task: str, X: Any, y: Any, sample_weight: Any) -> LinearModel:
        """Fit, set the attributes that both estimators have, and warn when the answer is not certified."""
        parameters = self.get_params(deep=False)
        asked = {name: value for name, value in parameters.items() if name in FitOptions._fields}
        options = FitOptions(task=task, **asked).checked()
        warm_start = check_boolean("warm_start", self.warm_start)
        callback = check_callback("callback", self.callback)
        keep_points = check_boolean("keep_points", self.keep_points)
        if task == "classification":
            refuse_several_targets(y, "classifier", "MultiOutputClassifier")
        X, y = self._arrays(X, y, task)
        if task == "classification":
            check_classification_targets(y)
        names = getattr(self, "feature_names_in_", None)
        fit = fit_linear(
            X,
            y,
            options,
            sample_weight=sample_weight,
            callback=callback,
            start=self._previous() if warm_start else None,
            feature_names=None if names is None else tuple(names),
            keep_points=keep_points,
        )
        model = self.model_ = fit.model
        self.solution_ = fit.solution
        self.certificate_ = model.certificate
        self.n_iter_ = math.ceil(model.passes)
        self.l1_, self.l2_ = model.options.l1, model.options.l2
        self.cv_results_ = None if model.cross_validation is None else model.cross_validation.results()
        if model.cut_choice():
            warnings.warn(f"{type(self).__name__}: {model.cut_choice()}.", UserWarning, stacklevel=3)
        if not model.certified:
            warnings.warn(self._uncertified(), ConvergenceWarning, stacklevel=3)
        return model

    def _rows(self, X: Any) -> Any:
        """X as rows to predict, once fitted and with the columns of the fit."""
        check_is_fitted(self, self._kept_as)
        rows = from_frame(X)
        if rows is X:
            check_exact_matrix(X)
            return validate_data(self, X, reset=False, **ACCEPTED)
        validate_data(self, X, reset=False, skip_check_array=True)
        refuse_gaps(X, rows)
        return check_array(rows, estimator=self, input_name="X", **ACCEPTED)

    def _arrays(self, X: Any, y: Any, task: str, reset: bool = True) -> tuple[Any, Any]:
        """X and y to fit, the columns noted or, without `reset`, compared; scikit-learn would copy a frame twice."""
        is_regression = task == "regression"
        several = is_regression and _target_count(y) > 1
        accepted = {**ACCEPTED, "y_numeric": is_regression, "multi_output": several}
        rows = from_frame(X)
        if task == "regression" and y is not None:
            check_exact(y, "y")  # scikit-learn would round it
        if rows is X:
            check_exact_matrix(X)
            return validate_data(self, X, y, reset=reset, **accepted)
        validate_data(self, X, y, reset=reset, skip_check_array=True)
        refuse_gaps(X, rows)
        return check_X_y(rows, y, estimator=self, **accepted)

    def _previous(self) -> tuple[Any, Any] | None:
        """Where the last fit ended."""
        model = getattr(self, "model_", None)
        return None if model is None else (model.weights, model.intercept)

    def _uncertified(self) -> str:
        said = str(self.solution_.status).removeprefix("stopped: ")
        return f"{type(self).__name__} is not certified ({said}): {self.model_.reached()}; {self.model_.advice()}."


def _target_count(y: Any) -> int:
    shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    return int(shape[1]) if len(shape) > 1 else 1


def refuse_several_targets(y: Any, kind: str, wrapper: str) -> None:
    """Refuse an n x T array of them, with what of scikit-learn's takes it."""
    if _target_count(y) > 1:
        raise ValueError(
            f"y has {_target_count(y)} columns, and a {kind} fits one target: "
            f"wrap it in scikit-learn's {wrapper}, which fits one for each column of y"
        )
