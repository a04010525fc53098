"""Rows for the tests of `empirisk stream`, and the digest of what it wrote."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

N = 60


def text_of(n: int = N, seed: int = 1, labels: tuple[int, int] = (-1, 1)) -> str:
    """Rows of which later ones have columns further to the right."""
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(n):
        columns = np.sort(rng.choice(np.arange(1, 6 + 2 * i), size=4, replace=False))
        values = rng.normal(size=4)
        label = labels[int(values.sum() + rng.normal() > 0.0)]
        lines.append(" ".join([str(label), *(f"{j}:{x:.4g}" for j, x in zip(columns, values, strict=True))]) + "\n")
    return "".join(lines)


def digest(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
