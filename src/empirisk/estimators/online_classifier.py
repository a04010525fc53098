"""The online classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from empirisk.capabilities import offers
from empirisk.estimators.linear_estimator import refuse_several_targets
from empirisk.estimators.online_estimator import OnlineEstimator, check_some_weight
from empirisk.losses import as_loss
from empirisk.models.labels import classes_of, from_scores, listed
from empirisk.models.predictions import probabilities_of
from empirisk.other_packages import hinting
from empirisk.problems.construction import finite_vector
from empirisk.protocols import Vector


def _is_likelihood(classifier: OnlineClassifier) -> bool:
    return offers(as_loss(classifier.loss, "classification"), "probability")


class OnlineClassifier(ClassifierMixin, OnlineEstimator):
    """A linear classifier that learns from row after row, and says how far it was from the best one in hindsight.

    In each round a row is answered with <w, x> + b, its label is shown, s loss(<w, x> + b, y) + l1 ||w||_1 +
    l2/2 ||w||^2 is paid, s being its weight, and w and b move. Rows one at a time, in chunks or all at once make the
    same bytes. Two classes are mapped to -1 and +1 in sorted order; the last one is predicted where <w, x> + b >= 0.
    Three or more are learned one against the rest, each by a run of its own.

    Parameters, by keyword, read by `fit` and by the first `partial_fit`:
        learner: a name such as "mixture", "adagrad" or "gradient_descent", with parameters as in "adagrad:alpha=0.3",
            or an object such as er.online.Adagrad(alpha=0.3); docs/online_learning.md has them all. The mixture chooses
            its steps itself; it takes neither penalty nor constraint, and a loss whose slope is bounded.
        loss: a convex loss, by name such as "logistic" or "hinge", or a loss object.
        l1, l2: strengths of the penalty, which is charged in every round.
        constraint: None, a text such as "l2_ball:radius=2", or an object such as Box(low=-1.0): where w must lie.
        fit_intercept: whether b is learned; it is 0 otherwise.

    After `fit` or `partial_fit`: classes_, n_features_in_, feature_names_in_ (for data with named columns), runs_ (a
    `Run` for two classes, of more one each), and, computed when asked, coef_ (1, d) and intercept_ (1,), for K > 2
    classes (K, d) and (K,), and ledger_, what was paid. Of the mixture, coef_ is that of its best lane so far, and
    predictions are those of all lanes together.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = OnlineClassifier().fit(scale(X), y)
    >>> model.ledger_.rounds, model.ledger_.errors
    (569, 22)
    >>> bound = model.regret(scale(X), y, against="l2_ball:radius=10")
    >>> bound.regret <= bound.bound
    True
    """

    _task = "classification"

    @hinting
    def __init__(
        self,
        *,
        learner: Any = "mixture",
        loss: Any = "logistic",
        l1: float = 0.0,
        l2: float = 0.0,
        constraint: Any = None,
        fit_intercept: bool = True,
    ) -> None:
        self._remember(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnlineClassifier:
        """Start anew, and learn from the rows of X in their order, once; a row of weight zero is no round."""
        refuse_several_targets(y, "classifier", "MultiOutputClassifier")
        X, y = self._arrays(X, y, self._task)
        check_classification_targets(y)
        classes = classes_of(y, check_some_weight(sample_weight, y.size))
        self._start(classes, X, y, sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> OnlineClassifier:
        """Go on with the rows of X. The first call names all classes, for those that come later."""
        if not hasattr(self, "runs_"):
            if classes is None:
                raise ValueError("the first call of partial_fit needs classes=..., all labels that will ever come")
            refuse_several_targets(y, "classifier", "MultiOutputClassifier")
            X, y = self._arrays(X, y, self._task)
            self._start(classes_of(np.asarray(classes), None), X, y, sample_weight)
            return self
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes must be those of the first call, {listed(self.classes_)}; fit starts anew")
        X, y = self._next_rows(X, y)
        self._learn(self.runs_, X, self._labels(y, sample_weight), sample_weight)
        return self

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights as they are now."""
        return np.array([run.point().weights for run in self._fitted_runs()])

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercepts as they are now."""
        return np.array([run.point().intercept for run in self._fitted_runs()])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """What would be answered to each row of X; for three classes or more a column of scores for each."""
        rows = self._rows(X)
        scores = [run.scores(rows) for run in self.runs_]
        return scores[0] if len(scores) == 1 else np.column_stack(scores)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X."""
        return from_scores(self.decision_function(X), self.classes_)

    @available_if(_is_likelihood)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The chances of the classes, a row for each row of X; only where the loss is a likelihood.

        Three classes or more: the chance of each against the others, divided by their sum.
        """
        scores = self.decision_function(X)
        return probabilities_of(self.runs_[0].game.loss, scores, is_softmax=False)

    @available_if(_is_likelihood)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of `predict_proba`: -inf where a chance rounds to zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _start(self, classes: NDArray[Any], X: Any, y: NDArray[Any], sample_weight: Any) -> None:
        """New runs, kept once they have learned from these rows."""
        places = {label: k for k, label in enumerate(classes.tolist())}
        runs = self._begun(X.shape[1], 1 if classes.size == 2 else classes.size)
        self._learn(runs, X, _signs(y, places, sample_weight), sample_weight)
        self.classes_, self._places, self.runs_ = classes, places, runs

    def _labels(self, y: NDArray[Any], sample_weight: Any) -> Sequence[Vector]:
        return _signs(y, self._places, sample_weight)


def _signs(y: NDArray[Any], places: dict[Any, int], sample_weight: Any) -> Sequence[Vector]:
    """+1 for the last of two classes, -1 for the first; of three or more, for each of them +1 where it is the label."""
    found = [places.get(label, -1) for label in y.tolist()]
    if -1 in found:
        _refuse_strangers(y.tolist(), found, places, sample_weight)
        found = [max(place, 0) for place in found]
    numbers = np.array(found, dtype=np.float64)
    if len(places) == 2:
        return [2.0 * numbers - 1.0]
    return [np.where(numbers == k, 1.0, -1.0) for k in range(len(places))]


def _refuse_strangers(labels: list[Any], found: list[int], places: dict[Any, int], sample_weight: Any) -> None:
    """Refuse a label that is no class, unless its row is no round."""
    weights = None if sample_weight is None else finite_vector("sample_weight", sample_weight, len(labels))
    for i, label in enumerate(labels):
        if found[i] == -1 and (weights is None or weights[i] > 0.0):
            known = listed(np.array(list(places), dtype=object))
            raise ValueError(f"y holds the label {label!r} (row {i}, counted from 0), and the classes are {known}")
