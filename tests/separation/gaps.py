"""Points with a gap between their classes, and the kinds of planes that may lie in it."""

from __future__ import annotations

import numpy as np
import pytest

KINDS = pytest.mark.parametrize(
    ("fit_intercept", "augmented"), [(True, False), (True, True), (False, False)], ids=["free", "augmented", "origin"]
)


def separable(seed=0, n=60, d=4, fit_intercept=True, gap=0.1):
    """Points on both sides of a plane, each moved away from it by the gap."""
    rng = np.random.default_rng(seed)
    X, w, b = rng.normal(size=(n, d)), rng.normal(size=d), 0.3 * fit_intercept
    w /= np.linalg.norm(w)
    y = np.where(X @ w + b > 0.0, 1, -1)
    return X + gap * y[:, None] * w, y
