"""A fitted model in the words of scikit-learn, so that its tools take one that was read from a file.

Nothing here loads scikit-learn: what needs it is asked by scikit-learn alone. A model is fitted once and for all, so
`fit` refuses, and a clone is the model itself.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from empirisk.models.fitted import rows_of
from empirisk.models.labels import listed
from empirisk.protocols import Unsupported

Model = TypeVar("Model", bound=type)


def coefficients_of(model: Any) -> NDArray[np.float64]:
    """The weights in the shape of scikit-learn's linear models: (1, d) for two classes, (K, d) for more, (d,) for one
    target of a regression."""
    return np.array(model.weights, ndmin=1 if model.classes is None else 2)


def intercepts_of(model: Any) -> Any:
    """Likewise: (1,) for two classes, (K,) for more, a float for one target of a regression."""
    return model.intercept if model.classes is None else np.array(model.intercept, ndmin=1)


def score_of(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """The share of right classes; for a regression R^2 = 1 - sum (y - prediction)^2 / sum (y - mean of y)^2, and where
    y is constant 1 for predictions without an error, else 0."""
    predicted, truth = model.predict(X), np.asarray(y)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if truth.shape != predicted.shape:
        raise ValueError(f"y must have the shape {predicted.shape} of the predictions, got {truth.shape}")
    if model.classes is not None:
        if not np.isin(truth, model.classes).any():
            raise ValueError(f"y holds none of the classes of the model, {listed(model.classes)}")
        return float(np.average(predicted == truth, weights=weights))
    residual = np.average((truth - predicted) ** 2, axis=0, weights=weights)
    total = np.average((truth - np.average(truth, axis=0, weights=weights)) ** 2, axis=0, weights=weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(total > 0.0, 1.0 - residual / total, np.where(residual > 0.0, 0.0, 1.0))
    return float(np.mean(shares))


def _classes(model: Any) -> NDArray[Any]:
    if model.classes is None:
        raise AttributeError("this model is a regression: it has no classes_")
    return np.asarray(model.classes)


def _decision_function(model: Any) -> Any:
    if model.classes is None:
        raise AttributeError("this model is a regression: its predict gives the scores")

    def decision_function(X: Any) -> NDArray[np.float64]:
        return np.asarray(model.scores(X))

    return decision_function  # scikit-learn goes by the names of such functions


def _predict_proba(model: Any) -> Any:
    try:
        model.check_probabilities()
    except Unsupported as error:
        raise AttributeError(str(error)) from None

    def predict_proba(X: Any) -> NDArray[np.float64]:
        return np.asarray(model.chances(model.scores(X)))

    return predict_proba


def _predict_log_proba(model: Any) -> Any:
    chances = _predict_proba(model)

    def predict_log_proba(X: Any) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(chances(X)))

    return predict_log_proba


def _feature_names(model: Any) -> NDArray[Any]:
    if model.feature_names is None:
        raise AttributeError("the columns of this model have no names")
    return np.array(model.feature_names, dtype=object)


def _fit(model: Any, X: Any = None, y: Any = None, **_: Any) -> Any:
    """Refuse: the model is fitted, and its certificate speaks of the data of that fit."""
    raise Unsupported(
        "this model is fitted, and its certificate speaks of the data of that fit: fit an estimator such as "
        "er.LinearClassifier, or, to fit the steps of a Pipeline before it, wrap it in sklearn.frozen.FrozenEstimator"
    )


def _tags(model: Any) -> Any:
    from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

    is_classifier = model.classes is not None
    return Tags(
        estimator_type="classifier" if is_classifier else "regressor",
        target_tags=TargetTags(required=True),
        classifier_tags=ClassifierTags() if is_classifier else None,
        regressor_tags=None if is_classifier else RegressorTags(),
        input_tags=InputTags(sparse=True),
    )


def _no_context(model: Any) -> Any:
    raise AttributeError("a fitted model keeps no context of a fit")


WORDS: dict[str, Any] = {
    "coef_": property(coefficients_of),
    "intercept_": property(intercepts_of),
    "classes_": property(_classes),
    "n_features_in_": property(lambda model: model.n_features),
    "feature_names_in_": property(_feature_names),
    "decision_function": property(_decision_function),
    "predict_proba": property(_predict_proba),
    "predict_log_proba": property(_predict_log_proba),
    "rows": rows_of,
    "score": score_of,
    "fit": _fit,
    "__sklearn_is_fitted__": lambda _: True,
    "__sklearn_clone__": lambda model: model,
    "__sklearn_tags__": _tags,
    # A Pipeline leaves this on its steps just before it calls their fit: taken, so that the sentence of fit is heard.
    "_parent_callback_ctx": property(_no_context, lambda model, context: None, lambda model: None),
}


def speaks_scikit_learn(model: Model) -> Model:
    """Add these words to a class of fitted models, a named tuple with weights, intercept and classes that predicts."""
    for word, meaning in WORDS.items():
        setattr(model, word, meaning)
    return model
