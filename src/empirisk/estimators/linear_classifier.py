"""The linear classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from empirisk.capabilities import offers
from empirisk.estimators.linear_estimator import LinearEstimator
from empirisk.losses import as_loss
from empirisk.models.scikit_learn import coefficients_of, intercepts_of
from empirisk.other_packages import hinting
from empirisk.protocols import Solver


def _is_likelihood(classifier: LinearClassifier) -> bool:
    return offers(as_loss(classifier.loss, "classification"), "probability")


class LinearClassifier(ClassifierMixin, LinearEstimator):
    """A linear classifier of two classes or more, with a proof of how close it is to the best one.

    Minimises  (1/S) sum_i s_i loss(<w, x_i> + b, y_i) + l1 ||w||_1 + l2/2 ||w||^2  over w and b, where s_i are the
    sample weights (times the class weights) and S is their sum. The intercept b is not penalised. Two classes are
    mapped to -1 and +1 in sorted order; the last one is predicted where <w, x> + b >= 0. Three or more have a weight
    vector and an intercept each; the class with the largest score is predicted, the first of equal ones.

    Parameters, by keyword:
        loss: a name such as "logistic" or "hinge", with parameters as in "smoothed_hinge:width=0.5", or a loss object
            such as Logistic(scale=2.0); docs/losses.md has them all.
        l1, l2: strengths of the penalty; "cv" for the one with the least mean loss in a cross-validation. l2 is 1e-4
            where it is None, and 0 where it is None beside a regularizer: that states the penalty then.
        constraint: None, a text such as "l2_ball:radius=2", or an object such as Box(low=0.0): where w must lie.
        regularizer: None, or a further penalty: group_lasso(groups, strength), NegativeEntropy(strength), or
            ElasticNet(l1, l2), which adds to l1 and l2.
        multiclass: for three classes or more: "softmax" (the logistic loss of all classes together), "one_vs_rest"
            (each class against the others: the sum of K problems), or "auto": softmax for the logistic loss,
            one_vs_rest for the others. A constraint or regularizer goes with one_vs_rest, where it holds for the
            weights of each class.
        fit_intercept: whether b is fitted; it is 0 otherwise.
        class_weight: None, "balanced" (each class weighs the same in total) or a mapping from labels to weights.
        solver: "auto", a name such as "newton" or "sdca", or a solver object; docs/solvers.md has them all.
        tol: certified when the duality gap is at most tol * max(|P|, 1e-6 P(0, 0)), P being the objective.
        max_passes: where to stop at the latest; a pass is one visit of every row.
        warm_start: start from the previous fit where that had as many features and classes.
        random_state: the seed of solvers that sample: an integer, a NumPy generator, or None for 0.
        n_threads: None for all cores. The answer is the same to the byte for any number.
        callback: called with the trace at each check of the fit on all data; returning True stops.
        keep_points: whether `solution_.trace.points` has the path of the fit, a point for each step of the solver.
        folds: of the cross-validation; each class is dealt out evenly, shuffled by random_state.
        n_strengths: how many it tries, evenly spaced in the logarithm; where both strengths are "cv", every l1 with
            every l2, of which there are a quarter as many.
        time_limit: seconds of work, compiling left out, after which no step begins and the best point so far is the
            answer; the choice of strengths may take half of it. None for no limit.

    After `fit`: coef_ (1, d) and intercept_ (1,), for K > 2 classes (K, d) and (K,), classes_, n_features_in_,
    feature_names_in_ (for data with named columns), n_iter_ (passes), l1_ and l2_ (the strengths used), cv_results_ (a
    dictionary of arrays, or None), certificate_, solution_ and model_. A fit that ends uncertified warns.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LinearClassifier(l2=0.01).fit(scale(X), y)
    >>> print(f"{model.score(scale(X), y):.3f}")
    0.986
    >>> model.certificate_.relative_gap <= 1e-6
    True
    """

    @hinting
    def __init__(
        self,
        *,
        loss: Any = "logistic",
        l1: Any = 0.0,
        l2: Any = None,
        constraint: Any = None,
        regularizer: Any = None,
        multiclass: str = "auto",
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: str | Solver = "auto",
        tol: float = 1e-6,
        max_passes: int = 1000,
        warm_start: bool = False,
        random_state: Any = None,
        n_threads: int | None = None,
        callback: Any = None,
        keep_points: bool = False,
        folds: int = 5,
        n_strengths: int = 20,
        time_limit: float | None = None,
    ) -> None:
        self._remember(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearClassifier:
        """Fit to the rows of X, their labels and their weights (1 unless given)."""
        model = self._fit("classification", X, y, sample_weight)
        self.classes_ = model.classes
        self.coef_ = coefficients_of(model)
        self.intercept_ = intercepts_of(model)
        return self

    def bound(self, X: Any, y: Any, kind: str = "auto", delta: float = 0.05) -> Any:
        """A bound on the error of future rows, an `er.RiskBound`; docs/bounds.md has the kinds."""
        check_is_fitted(self)
        return self.model_.bound(X, y, kind, delta)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """<w, x> + b for each row of X; for three classes or more a column of scores for each."""
        rows = self._rows(X)
        return self.model_.scores(rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X."""
        rows = self._rows(X)
        return self.model_.predict(rows)

    @available_if(_is_likelihood)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The chances of the classes, a row for each row of X; only where the loss is a likelihood.

        Three classes or more, one against the rest: the chance of each against the others, divided by their sum.
        """
        rows = self._rows(X)
        return self.model_.probabilities(rows)

    @available_if(_is_likelihood)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithm of `predict_proba`: -inf where a chance rounds to zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
