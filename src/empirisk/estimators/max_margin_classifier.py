"""The classifier of the widest gap."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from empirisk.estimators.plane_classifier import PlaneClassifier
from empirisk.models.options import check_callback
from empirisk.models.plane import plane_model
from empirisk.other_packages import hinting
from empirisk.parameters import check_boolean
from empirisk.separation.enclosing_ball import enclosing_ball
from empirisk.separation.fine_plane import FineSeparation
from empirisk.separation.inseparability import Inseparability
from empirisk.separation.points import points_of
from empirisk.separation.separate import Undecided
from empirisk.separation.widest_gap import WidestGap, widest_gap_of_points


class NotSeparated(ValueError):
    """No plane has every training point on its side, or none was found: `verdict` has the conflicting points."""

    @hinting
    def __init__(self, verdict: FineSeparation | Inseparability | Undecided) -> None:
        super().__init__(verdict)
        self.verdict = verdict

    def __str__(self) -> str:
        return f"there is no widest gap to fit. {self.verdict.sentence()}"


class MaxMarginClassifier(PlaneClassifier):
    """The plane farthest from the nearest points of two separable classes, with a proof that none is farther.

    Minimises ||w||^2 / 2 over w and b where y_i (<w, x_i> + b) >= 1 for every row. Labels are -1 and +1 inside, in
    sorted order; the last one is predicted where <w, x> + b >= 0. Where no plane separates the classes, `fit` raises
    `NotSeparated`, whose `verdict` names the conflicting rows; `LinearClassifier(loss="hinge")` fits such data.

    Parameters, by keyword:
        fit_intercept: whether b is fitted; it is 0 otherwise.
        tol: certified when the duality gap is at most tol ||w||^2 / 2; of the ball, tol times its radius.
        time_limit: seconds after which the search stops with what it has; None for no limit.
        callback: called with the progress (run, numbers, seconds), of the plane and of the ball; returning True stops.

    After `fit`: coef_ (1, d) and intercept_ (1,), scaled so that the support points have y (<w, x> + b) = 1, classes_,
    n_features_in_, feature_names_in_ (for data with named columns), support_ (rows), dual_coef_ (their shares times y:
    the two nearest points of the hulls of the classes differ by sum_i dual_coef_i x_i), margin_ (1 / ||w||, rounded
    down), certificate_ (a `WidestGap`), model_ (what `save` writes), ball_ (an `EnclosingBall` of the data), and
    relative_margin_, an interval for the margin divided by the radius of the smallest ball. A fit that ends uncertified
    warns.

    >>> import empirisk as er
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MaxMarginClassifier().fit(X, y == 0)
    >>> print(f"{model.margin_:.6f} of {model.ball_.radius_high:.6f}")
    0.817556 of 3.542787
    >>> model.support_.tolist(), er.verify(model, X, y == 0).holds
    ([23, 41, 98], True)
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        time_limit: float | None = None,
        callback: Any = None,
    ) -> None:
        self._remember(locals())

    def fit(self, X: Any, y: Any) -> MaxMarginClassifier:
        """Fit to the rows of X and their labels, of two classes."""
        fit_intercept = check_boolean("fit_intercept", self.fit_intercept)
        callback = check_callback("callback", self.callback)
        X, y = self._two_classes(X, y, "OneVsOneClassifier")
        points = points_of(X, y, fit_intercept)
        gap = widest_gap_of_points(points, tol=self.tol, time_limit=self.time_limit, callback=callback)
        if not isinstance(gap, WidestGap):
            raise NotSeparated(gap)
        ball = enclosing_ball(points.design, tol=self.tol, time_limit=self.time_limit, callback=callback)
        names = getattr(self, "feature_names_in_", None)
        plane = gap.found_plane(self.tol)
        self._keep_plane(plane_model(plane, points.classes, self._parameters(), self.tol, names))
        self.support_ = gap.support_rows
        self.dual_coef_ = np.array(gap.dual_weights * points.y[gap.support_rows], ndmin=2)
        self.margin_ = gap.margin_low
        self.ball_ = ball
        self.relative_margin_ = gap.relative_to(ball)
        for found, noun in ((gap, "gap"), (ball, "ball")):
            if not found.is_within(self.tol):
                said = f"the {noun} is not certified to {self.tol:g}: {found.sentence()}"
                warnings.warn(f"MaxMarginClassifier: {said}", ConvergenceWarning, stacklevel=2)
        return self
