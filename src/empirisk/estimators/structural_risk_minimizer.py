"""The classifier whose guaranteed risk is least."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.preprocessing import PolynomialFeatures
from sklearn.utils.validation import check_is_fitted

from empirisk.bounds.integers.code import IntegerPlane
from empirisk.bounds.integers.planes import integer_bound, search_planes
from empirisk.bounds.integers.score_card import score_card
from empirisk.bounds.labelled_rows import labelled_rows
from empirisk.bounds.structural.classes import (
    FAMILIES,
    PlaneClass,
    column_classes,
    degree_classes,
    group_classes,
    nonzero_classes,
)
from empirisk.bounds.structural.fits import fit_classes
from empirisk.bounds.structural.minimize import Planes, judge_classes
from empirisk.designs import matrix_of
from empirisk.estimators.plane_classifier import PlaneClassifier
from empirisk.models.options import FitOptions
from empirisk.models.plane import plane_model
from empirisk.near_names import near
from empirisk.other_packages import hinting
from empirisk.parameters import check_boolean, check_count, check_share
from empirisk.protocols import Vector
from empirisk.separation.found_plane import FoundPlane
from empirisk.separation.perceptron_runs.answer import Answer
from empirisk.separation.points import Points, points_of


class StructuralRiskMinimizer(PlaneClassifier):
    """The plane with the least proven bound J on its future error, among the classes of a list fixed in advance.

    With probability 1 - delta over the draw of the rows, the share of future rows that it predicts wrong is at most J:
    for all planes of all classes at once, so that the one with the least J may be taken. The families:

    - "integers": sum_j v_j 2^e_j x_j + c with integers. J = B(k, n, delta exp(-length)), with the length of the plane
      in a prefix code; J itself is minimised, by a search. `text()` is a score card of points to add up.
    - "columns", the first 1, 2, 4, ... columns (or `sizes`); "groups", the columns of more and more of `groups`;
      "degrees", polynomials up to `degree`; "nonzero", at most 1, 2, 4, ... (or `sizes`) weights that are not zero, in
      the columns that an l1 path chooses; or a list of (estimator, h), linear ones, with the VC dimension h of each.
      A logistic fit of each class, J of class j by the hypergeometric tail at delta / (j (j + 1)).

    Labels are -1 and +1 inside, in sorted order; the last one is predicted where <w, x> + b >= 0. Rows count alike:
    there are no sample weights. What the columns are must not have been chosen by looking at these rows.

    Parameters, by keyword:
        family: a name from above, or a list of (estimator, h).
        delta: the probability that the bound may fail, between 0 and 1.
        fit_intercept: whether there is an intercept; it is 0 otherwise.
        orders: search orders for "integers", of which the best is taken; each takes seconds at most on usual data.
        sizes, groups, degree: of the families that have them.
        cv: folds of the cross-validation that stands beside J in the table, 0 for none; not for "integers".
        random_state: the seed: an integer, a NumPy generator, or None for 0.

    After `fit`: coef_ (1, d) and intercept_ (1,), classes_, n_features_in_, feature_names_in_ (for data with named
    columns), bound_ and certificate_ (a `RiskBound`), table_ (a dictionary for each search order or class, the chosen
    one marked), cv_choice_ (the row of the table that cross-validation picks, None without), plane_ (an `IntegerPlane`,
    None for other families), model_ (what `save` writes). With "degrees" all of them are about `monomials(X)`.

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = StructuralRiskMinimizer(orders=1).fit(X, y)
    >>> model.bound_.value < 0.2, model.bound_.value > 1.0 - model.score(X, y)
    (True, True)
    """

    @hinting
    def __init__(
        self,
        *,
        family: Any = "integers",
        delta: float = 0.05,
        fit_intercept: bool = True,
        orders: int = 5,
        sizes: Any = None,
        groups: Any = None,
        degree: int = 3,
        cv: int = 5,
        random_state: Any = None,
    ) -> None:
        self._remember(locals())

    def fit(self, X: Any, y: Any) -> StructuralRiskMinimizer:
        """Fit to the rows of X and their labels, of two classes."""
        delta = check_share("delta", self.delta)
        fit_intercept = check_boolean("fit_intercept", self.fit_intercept)
        seed = FitOptions(random_state=self.random_state).checked().random_state
        if isinstance(self.family, str) and self.family not in FAMILIES:
            known = f"{', '.join(map(repr, FAMILIES))} or a list of (estimator, h)"
            raise ValueError(f"family must be {known}, got {self.family!r}{near(self.family, FAMILIES)}")
        X, y = self._two_classes(X, y)
        points = points_of(X, y, fit_intercept)
        self.plane_: IntegerPlane | None = None
        self.cv_choice_: int | None = None
        self._expansion: Any = None
        if isinstance(self.family, str) and self.family == "integers":
            self._fit_integers(points, y, delta, seed)
        else:
            self._fit_classes(points, y, delta, seed)
        names = getattr(self, "feature_names_in_", None) if self._expansion is None else None
        answer = Answer(self.bound_.evidence["weights"][0], float(self.bound_.evidence["intercept"][0]))
        method, (status,), _ = self.bound_.plane_endings(0.0)
        parameters = {**self._parameters(seed=seed), **self._plain_family()}
        self._keep_plane(
            plane_model(
                FoundPlane(method, answer, self.bound_, status), points.classes, parameters, feature_names=names
            )
        )
        return self

    def text(self) -> str:
        """The score card, or the table of the classes, with the guarantee below it."""
        check_is_fitted(self, self._kept_as)
        if self.plane_ is not None:
            names = getattr(self, "feature_names_in_", None)
            return score_card(self.plane_, self.classes_.tolist(), self.bound_, None if names is None else list(names))
        heading = f"  {'class':<20} {'h':>8} {'errors':>8} {'J':>8} {'cv':>8}"
        lines = [
            f"{'*' if row['chosen'] else ' '} {row['class']:<20} {row['h']:>8} {row['empirical']:>8.4f} "
            f"{row['J']:>8.4f} {row['cv_error']:>8.4f}"
            for row in self.table_
        ]
        return "\n".join([heading, *lines, self.bound_.sentence()])

    def bound(self, X: Any, y: Any, kind: str = "auto", delta: float = 0.05) -> Any:
        """A bound on the error of future rows, an `er.RiskBound`: of the kind that was minimised, or by testing."""
        check_is_fitted(self, self._kept_as)
        return self.model_.bound(X if self._expansion is None else self.monomials(X), y, kind, delta)

    def decision_function(self, X: Any) -> Vector:
        """<w, x> + b for each row of X; with "degrees" x are its monomials."""
        rows = self.monomials(X)
        return self.model_.scores(rows)

    def monomials(self, X: Any) -> Any:
        """The rows of X in the columns of coef_ and of the certificate: monomials with "degrees", else as they are."""
        rows = self._rows(X)
        if self._expansion is None:
            return rows
        with np.errstate(over="ignore"):  # what overflows is refused by row and column
            return self._expansion.transform(rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X."""
        scores = self.decision_function(X)
        return self.classes_[(scores >= 0.0).astype(np.intp)]

    def _fit_integers(self, points: Points, y: Any, delta: float, seed: int) -> None:
        searched = search_planes(points, math.log(delta), orders=check_count("orders", self.orders), seed=seed)
        rows = labelled_rows(points.design, y)
        bounds = [integer_bound(plane, rows, delta) for plane in searched.planes]
        best = int(np.argmin([bound.value for bound in bounds]))
        self.plane_, self.bound_ = searched.planes[best], bounds[best]
        self.table_ = [
            {
                "order": order,
                "nonzero": bound.ingredients["nonzero"],
                "largest": int(np.abs(plane.values).max(initial=0)),
                "code_length": bound.ingredients["code_length"],
                "empirical": bound.empirical,
                "J": bound.value,
                "chosen": order == best,
            }
            for order, (plane, bound) in enumerate(zip(searched.planes, bounds, strict=True))
        ]

    def _fit_classes(self, points: Points, y: Any, delta: float, seed: int) -> None:
        folds = check_count("cv", self.cv, 0)
        if folds == 1:
            raise ValueError("cv must be 0 for none, or at least 2 folds, got 1")
        told: list[int] | None = None
        if isinstance(self.family, str):
            points, classes = self._classes(points)

            def fit_all(some: Points) -> Planes:
                return fit_classes(some, classes)

        else:
            estimators, told = _estimators_of(self.family)
            every = np.ones(points.n_columns, dtype=np.int64)
            classes = [PlaneClass(type(e).__name__, every, points.n_columns) for e in estimators]

            def fit_all(some: Points) -> Planes:
                return [_plane_of(e, some) for e in estimators]

        rows = labelled_rows(points.design, y)
        judged = judge_classes(points, rows, classes, fit_all, delta, told=told, folds=folds, seed=seed)
        best = int(np.argmin([found.bound.value for found in judged]))
        self.bound_ = judged[best].bound
        self.table_ = [
            {
                "class": found.name,
                "h": found.h,
                "empirical": found.bound.empirical,
                "J": found.bound.value,
                "cv_error": found.cv_error,
                "chosen": place == best,
            }
            for place, found in enumerate(judged)
        ]
        errors = [found.cv_error for found in judged]
        self.cv_choice_ = None if np.any(np.isnan(errors)) else int(np.argmin(errors))

    def _classes(self, points: Points) -> tuple[Points, list[PlaneClass]]:
        """The list of the family, and the points in its columns."""
        if self.family == "columns":
            return points, column_classes(points.n_columns, self.sizes)
        if self.family == "nonzero":
            return points, nonzero_classes(points.n_columns, self.sizes)
        if self.family == "groups":
            return points, group_classes(points.n_columns, self.groups)
        classes = degree_classes(points.n_columns, self.degree)
        self._expansion = PolynomialFeatures(self.degree, include_bias=False).fit(matrix_of(points.design))
        with np.errstate(over="ignore"):
            expanded = self._expansion.transform(matrix_of(points.design))
        return points_of(expanded, points.y, points.fit_intercept)._replace(classes=points.classes), classes

    def _plain_family(self) -> dict[str, Any]:
        """Parameters as a file can hold them."""
        is_named = isinstance(self.family, str)
        plain = {"family": self.family if is_named else "estimators"}
        return {**plain, **{name: None if getattr(self, name) is None else str(getattr(self, name)) for name in LISTS}}


LISTS = ("sizes", "groups")


def _estimators_of(family: Any) -> tuple[list[Any], list[int]]:
    """The pairs (estimator, h) apart."""
    try:
        pairs = [(estimator, h) for estimator, h in family]
    except (TypeError, ValueError):
        pairs = []
    if not pairs or not all(hasattr(estimator, "fit") for estimator, _ in pairs):
        raise TypeError(f"family must be a name or a list of pairs (estimator, h), got {family!r}")
    return [estimator for estimator, _ in pairs], [check_count("h", h) for _, h in pairs]


def _plane_of(estimator: Any, points: Points) -> tuple[Vector, float]:
    """The plane that a copy of it fits."""
    fitted = clone(estimator).fit(matrix_of(points.design), points.y)
    weights = np.asarray(getattr(fitted, "coef_", ()), dtype=np.float64)
    if weights.size != points.n_columns:
        raise TypeError(f"{type(estimator).__name__} fits no plane: it has no coef_ of a weight for each column")
    intercept = np.ravel(np.asarray(fitted.intercept_, dtype=np.float64))
    return weights.ravel(), float(intercept[0])
