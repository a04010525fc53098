"""Bounds on the future loss of a fitted regression: by testing, on rows that took no part in the fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from empirisk.arithmetic.exact_floats import as_exact_array
from empirisk.bounds.kinds.kind import WEIGHTS_REFUSED
from empirisk.bounds.losses import losses_of
from empirisk.bounds.risk_bound import RiskBound, risk_bound
from empirisk.compiled import adopt
from empirisk.losses.on_vectors import values_and_slopes
from empirisk.parameters import check_positive, check_share
from empirisk.problems.empirical_risk import check_labels
from empirisk.protocols import Unsupported, Vector

if TYPE_CHECKING:
    from empirisk.models.linear import LinearModel

KIND, SEED = "test_losses", 0
NO_CLIP = "a regression needs clip=c, fixed before these rows were looked at: losses above c count as c"


def clipped_losses(model: LinearModel, X: Any, y: Any, clip: float) -> Vector:
    """min(loss(z_i, y_i), c) of each row, by the loss of the fit: what a bound with this clip is computed from."""
    c = check_positive("clip", clip)
    if model.n_targets > 1:
        raise Unsupported(
            "several targets have no bound here: bound the losses that you make of them, losses_of(losses)"
        )
    scores, labels = model.scores(X), as_exact_array(y)
    if labels.shape != scores.shape or labels.dtype.kind not in "biuf":
        raise ValueError(f"y must be a number for each of the {scores.size} rows of X, got shape {labels.shape}")
    numbers = labels.astype(np.float64)
    check_labels(model.options.loss, numbers)
    adopt(model.options.loss)
    losses, slopes = np.empty(scores.size), np.empty(scores.size)
    with np.errstate(all="ignore"):  # a loss that overflows is above c
        values_and_slopes(model.options.loss, scores, numbers, losses, slopes)
    return np.minimum(losses, c)


def loss_bound(
    model: LinearModel, X: Any, y: Any, kind: str, delta: float, clip: float | None, sample_weight: Any
) -> RiskBound:
    """The bound `test_losses` of the clipped losses; refused on the rows of the fit."""
    check_share("delta", delta)
    if sample_weight is not None:
        raise ValueError(WEIGHTS_REFUSED)
    if kind not in ("auto", KIND):
        raise ValueError(f"the kind {kind!r:.100} is not about a regression; there are auto, {KIND}")
    if clip is None:
        raise ValueError(NO_CLIP)
    losses = losses_of(clipped_losses(model, X, y, clip))
    if model.may_have_seen(X, y):
        raise ValueError("these are the rows of the fit: the loss of a regression is bounded on other rows only")
    return risk_bound(KIND, losses, delta, {"largest": float(clip), "seed": SEED})
