"""From a fitted plane to one with integer weights whose guaranteed risk is least: a score card in its place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from empirisk.bounds.integers.code import IntegerPlane
from empirisk.bounds.integers.planes import integer_bound, search_planes
from empirisk.bounds.integers.score_card import score_card
from empirisk.bounds.labelled_rows import labelled_rows
from empirisk.bounds.risk_bound import RiskBound
from empirisk.models.fitted import rows_of
from empirisk.models.labels import other_classes
from empirisk.models.plane import PlaneModel, plane_model
from empirisk.parameters import check_count, check_share
from empirisk.protocols import Unsupported, Vector
from empirisk.separation.found_plane import FoundPlane
from empirisk.separation.perceptron_runs.answer import Answer
from empirisk.separation.points import Points, points_of

KEPT = ("feature_names", "columns", "first_index", "label_name", "weights_name")  # what a model knows of its file
Planes = Sequence[tuple[Vector, float]]


class IntegerFit(NamedTuple):
    """A plane with integer weights, the model of it, and the bound on its future error."""

    plane: IntegerPlane
    model: PlaneModel
    bound: RiskBound

    def text(self) -> str:
        """The score card, with the guarantee below it."""
        return score_card(self.plane, self.model.classes.tolist(), self.bound, self.model.feature_names)


def integer_fit(points: Points, y: Any, delta: float, orders: int, seed: int, starts: Planes = ()) -> IntegerFit:
    """The best integer plane of so many search orders for these points, with labels y as the user has them."""
    delta, orders = check_share("delta", delta), check_count("orders", orders)
    plane = search_planes(points, math.log(delta), orders=orders, seed=seed, starts=starts).plane
    bound = integer_bound(plane, labelled_rows(points.design, y), delta)
    method, (status,), _ = bound.plane_endings(0.0)
    found = FoundPlane(method, Answer(plane.weights(), float(plane.intercept)), bound, status)
    parameters = {"family": "integers", "delta": delta, "orders": orders, "seed": seed}
    return IntegerFit(plane, plane_model(found, points.classes, parameters), bound)


def integers_of(model: Any, X: Any, y: Any, delta: float = 0.05, orders: int = 5, seed: int = 0) -> IntegerFit:
    """The same, where the search starts from the plane of a model, too.

    X and y are rows with both labels of the model. The bound holds whatever the model was fitted on.
    """
    if model.classes is None or len(model.classes) != 2:
        raise Unsupported("planes with integer weights are between two classes, and this model has others to predict")
    points = points_of(rows_of(model, X), y)
    if points.n_columns != model.n_features:
        raise ValueError(f"X has {points.n_columns} columns, the model {model.n_features}")
    stranger = other_classes(np.asarray(y), model.classes, None)
    if stranger is not None:
        raise ValueError(f"these are not labels of the model: {stranger}")
    start = np.asarray(model.weights, dtype=np.float64), float(model.intercept)
    fit = integer_fit(points, y, delta, orders, seed, [start])
    return fit._replace(model=fit.model._replace(**{name: getattr(model, name) for name in KEPT}))
