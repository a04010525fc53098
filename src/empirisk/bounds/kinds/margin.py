"""The margin bound of a plane of two classes, `margin`."""

from __future__ import annotations

import numpy as np

from empirisk.bounds.augmented_rows import distances_and_lengths
from empirisk.bounds.kinds.kind import FIXED_COLUMNS, INDEPENDENT, Arrays, Ingredients, Kind, Terms, register
from empirisk.bounds.labelled_rows import LabelledRows
from empirisk.bounds.margins.margin_bound import margin_bound
from empirisk.bounds.one_plane import one_plane
from empirisk.bounds.vc import log_of

ROOM = 1e-9  # sums over rows round otherwise on another machine


def _margin(rows: LabelledRows, delta: float, choices: Ingredients, evidence: Arrays) -> Terms:
    plane = one_plane(rows, choices["is_affine"], evidence)
    if not np.any(plane.vector()):
        raise ValueError("a plane of zero weights has no margins")
    distances, lengths = distances_and_lengths(rows.design, rows.labels, plane.vector(), plane.is_affine)
    # A label that is no class is wrong on either side.
    log_delta = log_of(delta)
    bound = margin_bound(np.where(rows.labels == 0.0, -np.inf, distances), lengths, log_delta)
    errors = int(np.count_nonzero(plane.errors(rows)))
    made_of = {name: x for name, x in bound._asdict().items() if name != "value"}
    parts = {"errors": errors, "log_delta": log_delta, **made_of, **choices}
    return Terms(bound.value, errors / rows.n_rows, parts, "the plane", f"{INDEPENDENT}; {FIXED_COLUMNS}")


PARTS = {"errors": int, "log_delta": float, "power": int, "ramp": float, "complexity": float, "is_affine": bool}
register(Kind("margin", LabelledRows, _margin, PARTS, ("is_affine",), room=ROOM))
