"""A plane between two classes, as lines of a summary."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.models.examples import Examples

SHOWN_WEIGHTS = 8  # --json has them all


def plane_rows(examples: Examples, weights: Any, intercept: float, classes: Any) -> list[tuple[str, str]]:
    """The largest weights with the names of their columns, the intercept unless it is zero, and the two sides."""
    used = np.flatnonzero(weights)
    shown = np.sort(used[np.argsort(-np.abs(weights[used]), kind="stable")[:SHOWN_WEIGHTS]]).tolist()
    said = [f"{weights[j]:+.6g} * {examples.feature_name(j)}" for j in shown]
    if used.size > len(shown):
        said.append(f"... and {used.size - len(shown)} more columns of smaller weight")
    if intercept != 0.0:
        said.append(f"{intercept:+.6g}")
    said.append(f"> 0 for {classes[1]!r}, < 0 for {classes[0]!r}")
    return [("Plane" if k == 0 else "", line) for k, line in enumerate(said)]
