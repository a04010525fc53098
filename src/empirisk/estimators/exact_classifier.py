"""The classifier with the fewest training errors."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from empirisk.estimators.plane_classifier import PlaneClassifier
from empirisk.models.options import FitOptions, check_callback
from empirisk.models.plane import plane_model
from empirisk.other_packages import hinting
from empirisk.parameters import check_boolean
from empirisk.zero_one.fewest_errors import fewest_errors


class ExactClassifier(PlaneClassifier):
    """The plane with the fewest training errors, and the proof that no other has fewer.

    Minimises sum_i s_i [y_i (<w, x_i> + b) <= 0] over w and b: the zero-one loss itself, not a surrogate. A point on
    the plane counts as an error. Labels are -1 and +1 inside, in sorted order; the last one is predicted where
    <w, x> + b >= 0. The search is exponential in the number of columns: up to five and some hundred rows it takes
    milliseconds to seconds. It can be ended at any time; what it has proven by then is a lower bound.

    Parameters, by keyword:
        fit_intercept: whether b is fitted; it is 0 otherwise.
        time_limit: seconds after which the search stops with the best plane and bound; None for no limit.
        max_nodes: boxes of planes after which it stops; None for no limit.
        random_state: the seed: an integer, a NumPy generator, or None for 0.
        callback: called with the progress (best, bound, gap, nodes, seconds); returning True stops.

    After `fit`: coef_ (1, d) and intercept_ (1,), classes_, n_features_in_, feature_names_in_ (for data with named
    columns), errors_ (their weight), bound_ (every plane loses as much, or more), is_optimal_, certificate_ (a
    `ZeroOneOptimality`), status_ (why it ended), n_nodes_, solution_ (a `FewestErrors`), model_ (what `save` writes).
    A fit that ends before its proof warns. Ctrl-C ends the search, not the program: the fit keeps what was found.

    >>> import empirisk as er
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ExactClassifier().fit(X[:200, :2], y[:200])
    >>> model.errors_, model.is_optimal_
    (19.0, True)
    >>> er.verify(model, X[:200, :2], y[:200]).holds
    True
    """

    @hinting
    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        time_limit: float | None = 60.0,
        max_nodes: int | None = None,
        random_state: Any = None,
        callback: Any = None,
    ) -> None:
        self._remember(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ExactClassifier:
        """Fit to the rows of X, their labels, of two classes, and their weights (1 unless given)."""
        fit_intercept = check_boolean("fit_intercept", self.fit_intercept)
        callback = check_callback("callback", self.callback)
        seed = FitOptions(random_state=self.random_state).checked().random_state
        X, y = self._two_classes(X, y)
        answer = fewest_errors(
            X,
            y,
            sample_weight=sample_weight,
            fit_intercept=fit_intercept,
            time_limit=self.time_limit,
            max_nodes=self.max_nodes,
            seed=seed,
            callback=callback,
        )
        names = getattr(self, "feature_names_in_", None)
        parameters = self._parameters(seed=seed)
        self._keep_plane(plane_model(answer.found_plane(), np.unique(y), parameters, feature_names=names))
        self.solution_ = answer
        self.errors_, self.bound_ = answer.errors, answer.bound
        self.is_optimal_ = answer.is_optimal
        self.status_ = answer.status
        self.n_nodes_ = answer.nodes
        if not answer.is_optimal:
            warnings.warn(
                f"ExactClassifier ended without a proof ({answer.status}): {answer.certificate.sentence()} Raise "
                "time_limit or max_nodes, or take fewer columns.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self
