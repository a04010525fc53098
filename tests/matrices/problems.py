"""Small data for the matrices: labels that each loss takes."""

import numpy as np

from empirisk.capabilities import offers, tasks_of
from empirisk.losses import LOSSES

FITTED = [name for name, cls in LOSSES.items() if offers(cls(), "derivative")]


def data(loss="logistic", seed=0, n=120, d=6):
    """Rows, labels for this loss, and integer weights from 0 to 2."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.7)
    t = X @ rng.normal(size=d) + 0.5 * rng.normal(size=n) + 0.3
    y = np.where(t > 0, 1.0, -1.0)
    if "classification" not in tasks_of(LOSSES[loss]()):
        y = rng.poisson(np.exp(0.3 * t)).astype(float) if loss == "poisson" else t
    return X, y, rng.integers(0, 3, size=n).astype(float)
