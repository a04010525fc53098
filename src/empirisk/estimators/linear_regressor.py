"""The linear regressor."""

from __future__ import annotations

from typing import Any

from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.linear_estimator import LinearEstimator
from empirisk.models.scikit_learn import coefficients_of, intercepts_of
from empirisk.other_packages import hinting
from empirisk.protocols import Solver, Vector


class LinearRegressor(RegressorMixin, LinearEstimator):
    """A linear regressor, with a proof of how close it is to the best one.

    Minimises  (1/S) sum_i s_i loss(<w, x_i> + b, y_i) + l1 ||w||_1 + l2/2 ||w||^2  over w and b, where s_i are the
    sample weights and S is their sum. The intercept b is not penalised. The squared loss is half the square,
    so scikit-learn's Ridge(alpha=n * l2) minimises the same for n rows of weight one.

    The parameters are those of `LinearClassifier` without class_weight and multiclass; loss is a name such as
    "squared", "huber:delta=1.5" or "quantile", or a loss object (docs/losses.md has them all).

    Several targets, n x T, are T problems with one strength: coef_ is (T, d), intercept_ (T,), and
    the certificate has a gap for each.

    After `fit`: coef_ (d,), intercept_ (a float), n_features_in_, feature_names_in_ (for data with named columns),
    n_iter_ (passes), l1_ and l2_ (the strengths used), cv_results_ (a dictionary of arrays, or None), certificate_,
    solution_ and model_. A fit that ends uncertified warns.

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = LinearRegressor(l2=1e-5).fit(X, y)
    >>> print(f"{model.score(X, y):.3f}")
    0.517
    >>> model.certificate_.relative_gap <= 1e-6
    True
    """

    @hinting
    def __init__(
        self,
        *,
        loss: Any = "squared",
        l1: Any = 0.0,
        l2: Any = None,
        constraint: Any = None,
        regularizer: Any = None,
        fit_intercept: bool = True,
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearRegressor:
        """Fit to the rows of X, their targets (n, or n x T for several) and their weights (1 unless given)."""
        model = self._fit("regression", X, y, sample_weight)
        self.coef_ = coefficients_of(model)
        self.intercept_ = intercepts_of(model)
        return self

    def bound(self, X: Any, y: Any, kind: str = "auto", delta: float = 0.05, clip: float | None = None) -> Any:
        """A bound on the expected loss of future rows, losses above `clip` counting as `clip`: an `er.RiskBound`.

        On rows that took no part in the fit; `clip` is fixed before they are looked at.
        """
        check_is_fitted(self)
        return self.model_.bound(X, y, kind, delta, clip=clip)

    def predict(self, X: Any) -> Vector:
        """<w, x> + b for each row of X, or what the loss makes of it: exp(<w, x> + b) for the Poisson loss."""
        rows = self._rows(X)
        return self.model_.predict(rows)
