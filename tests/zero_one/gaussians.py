"""Two clouds of points that overlap."""

from __future__ import annotations

import numpy as np


def gaussians(n, d, seed=0, apart=1.0):
    """n points of d columns, every other one of the other class."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, -1, 1)
    return rng.standard_normal((n, d)) + apart * y[:, None] / np.sqrt(d), y
