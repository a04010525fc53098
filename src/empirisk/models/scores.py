"""Scores of new rows, with a sentence for rows that have none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import CSR, Dense, as_design, check_finite
from empirisk.models.fitted import Fitted, rows_of

Scores = NDArray[np.float64]


def checked_scores(model: Fitted, X: Any, scores_of: Callable[[Dense | CSR], Scores]) -> Scores:
    """What `scores_of` gives for the rows of X: as many columns as the model has, and no score overflows."""
    design = as_design(rows_of(model, X))
    if design.n_columns() != model.n_features:
        raise ValueError(
            f"X has {design.n_columns()} features, but the model is expecting {model.n_features} features as input"
        )
    with np.errstate(all="ignore"):  # looked for below
        scores = scores_of(design)
    if not np.all(np.isfinite(scores)):  # NaN and infinity in X reach the scores, even through zero weights
        check_finite(design)
        row = int(np.argwhere(~np.isfinite(scores))[0, 0])
        raise ValueError(f"the score of row {row} (counted from 0) overflows: its values are too large for the model")
    return scores
