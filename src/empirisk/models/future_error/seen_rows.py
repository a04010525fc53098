"""Whether rows are those of a fit, though their fingerprint is another one: in another order, or each of them twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from empirisk.certificates import certify
from empirisk.models.fitted import rows_of
from empirisk.models.posing import pose
from empirisk.models.predictions import OwnLoss
from empirisk.problems.linear_point import LinearPoint

if TYPE_CHECKING:
    from empirisk.models.linear import LinearModel

SAME = 1e-12  # of the loss: what the order of a sum can change, while other rows differ by 1 / sqrt(n)


def has_loss_of_fit(model: LinearModel, X: Any, y: Any) -> bool:
    """Whether the mean loss on these rows is that on the rows of the fit, to rounding, and not zero.

    Rows that took no part in a fit have it by chance once in 1e9 times, or where both are one table of few numbers.
    """
    if isinstance(model.options.loss, OwnLoss):
        return False
    try:
        problem = pose(rows_of(model, X), y, model.options, None, model.classes, model.scaling).problem
    except (TypeError, ValueError):  # rows that no such fit could have had
        return False
    if problem.rows.n_columns != model.n_features:
        return False
    point = model.point
    if model.scaling is not None:
        point = LinearPoint(*model.scaling.unfold(*point[:2]))
    with np.errstate(all="ignore"):
        penalty = sum(float(problem.regularizer.value(w)) for w in np.atleast_2d(point.weights))
        found, then = _objective(certify(problem, point)), _objective(model.certificate)
        return abs(found - then) <= SAME * (then - penalty) and then - penalty > 1e-6 * then


def _objective(certificate: Any) -> float:
    """That of the certificates that have one."""
    return float(getattr(certificate, "objective", np.nan))
