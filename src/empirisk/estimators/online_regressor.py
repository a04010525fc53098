"""The online regressor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from empirisk.estimators.linear_estimator import refuse_several_targets
from empirisk.estimators.online_estimator import OnlineEstimator, check_some_weight
from empirisk.models.predictions import means_of
from empirisk.other_packages import hinting
from empirisk.protocols import Vector


class OnlineRegressor(RegressorMixin, OnlineEstimator):
    """A linear regressor that learns from row after row, and says how far it was from the best one in hindsight.

    A round and the parameters are those of `OnlineClassifier`; loss is a name such as "squared", "huber:delta=1.5" or
    "quantile", or a loss object. The learner is "adagrad" unless given: the mixture does not take the squared loss.

    After `fit` or `partial_fit`: n_features_in_, feature_names_in_ (for data with named columns), runs_ (a tuple of one
    `Run`), and, computed when asked, coef_ (d,), intercept_ (a float) and ledger_, what was paid.

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = OnlineRegressor(learner="adagrad:alpha=20").fit(scale(X), y)
    >>> print(f"{model.score(scale(X), y):.3f}")
    0.508
    """

    _task = "regression"

    @hinting
    def __init__(
        self,
        *,
        learner: Any = "adagrad",
        loss: Any = "squared",
        l1: float = 0.0,
        l2: float = 0.0,
        constraint: Any = None,
        fit_intercept: bool = True,
    ) -> None:
        self._remember(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnlineRegressor:
        """Start anew, and learn from the rows of X in their order, once; a row of weight zero is no round."""
        refuse_several_targets(y, "regressor that learns online", "MultiOutputRegressor")
        X, y = self._arrays(X, y, self._task)
        check_some_weight(sample_weight, y.size)
        self._start(X, y, sample_weight)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> OnlineRegressor:
        """Go on with the rows of X."""
        if not hasattr(self, "runs_"):
            refuse_several_targets(y, "regressor that learns online", "MultiOutputRegressor")
            self._start(*self._arrays(X, y, self._task), sample_weight)
            return self
        X, y = self._next_rows(X, y)
        self._learn(self.runs_, X, self._labels(y, sample_weight), sample_weight)
        return self

    @property
    def coef_(self) -> Vector:
        """The weights as they are now."""
        return self._fitted_runs()[0].point().weights

    @property
    def intercept_(self) -> float:
        """The intercept as it is now."""
        return float(self._fitted_runs()[0].point().intercept)

    def predict(self, X: Any) -> Vector:
        """What would be answered to each row of X, or what the loss makes of it: exp(<w, x> + b) for Poisson."""
        rows = self._rows(X)
        run = self.runs_[0]
        return means_of(run.game.loss, run.scores(rows))

    def _start(self, X: Any, y: NDArray[Any], sample_weight: Any) -> None:
        """A new run, kept once it has learned from these rows."""
        runs = self._begun(X.shape[1], 1)
        self._learn(runs, X, self._labels(y, sample_weight), sample_weight)
        self.runs_ = runs

    def _labels(self, y: NDArray[Any], sample_weight: Any) -> Sequence[Vector]:
        return (y,)
