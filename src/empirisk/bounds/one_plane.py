"""The plane of two classes that some kinds of bounds are about, from their evidence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.bounds.augmented_rows import joined
from empirisk.bounds.kinds.kind import Arrays
from empirisk.bounds.labelled_rows import LabelledRows
from empirisk.bounds.mistakes import mistakes
from empirisk.protocols import Vector


class OnePlane(NamedTuple):
    """w and b; b is 0 where the plane goes through the origin, by design."""

    weights: Vector
    intercept: float
    is_affine: bool

    def vector(self) -> Vector:
        """For the rows z~."""
        return joined(self.weights, self.intercept if self.is_affine else None)

    def errors(self, rows: LabelledRows) -> NDArray[np.bool_]:
        """Which rows it predicts wrong."""
        return mistakes(rows, self.weights[None, :], np.array([self.intercept]))


def one_plane(rows: LabelledRows, is_affine: object, evidence: Arrays) -> OnePlane:
    """The plane of the evidence; ValueError where there are more classes."""
    if len(rows.classes) > 2:
        raise ValueError("this bound is for two classes; vc_tail is for more, too")
    if not isinstance(is_affine, bool):
        raise ValueError("whether the planes are affine must be said by True or False")
    plane = OnePlane(evidence["weights"][0], float(evidence["intercept"][0]), is_affine)
    if not is_affine and plane.intercept != 0.0:
        raise ValueError("a plane through the origin has no intercept")
    return plane
