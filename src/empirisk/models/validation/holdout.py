"""Rows that are left out of a fit, to judge the model on: the same ones whenever the same data are split again."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.designs import as_design, matrix_of
from empirisk.protocols import Unsupported, Vector

Rows = NDArray[np.int64]
STEP, SEED_STEP, FIRST, SECOND = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


class Holdout(NamedTuple):
    """A share of the rows, of each class where there are classes; `n_rows` counts all of them, held out or not."""

    share: float
    seed: int
    n_rows: int

    def split(self, labels: NDArray[Any], weights: Vector | None, by_class: bool) -> tuple[Rows, Rows]:
        """The rows of the fit and those that are held out, both in order.

        Rows of weight zero stay with the fit. Of each class round(share * rows) are held out, but never all.
        """
        present = np.arange(self.n_rows) if weights is None else np.flatnonzero(weights > 0.0)
        mixed = present[np.argsort(_keys(present, self.seed), kind="stable")]
        groups = [mixed]
        if by_class:
            classes, places = np.unique(labels[mixed], return_inverse=True)
            groups = [mixed[places == k] for k in range(classes.size)]
        held = [rows[: min(math.floor(self.share * rows.size + 0.5), rows.size - 1)] for rows in groups]
        out = np.sort(np.concatenate(held))
        if not out.size:
            said = f"holdout={self.share:g} of {present.size} rows leaves none to judge the model on"
            raise Unsupported(f"{said}: give a larger share")
        return np.setdiff1d(np.arange(self.n_rows), out), out

    def sentence(self) -> str:
        """What a reader of the certificate must know."""
        return f"The fit left out {100.0 * self.share:g} % of the rows, drawn with seed {self.seed}, to be judged on."


def rows_of_the_fit(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """The data without the rows that the fit left out; as they are where it left out none, or they are others."""
    labels, weights = np.asarray(y), None if sample_weight is None else np.asarray(sample_weight)
    if model.holdout is None or labels.shape != (model.holdout.n_rows,):
        return X, y, sample_weight
    if weights is not None and weights.shape != labels.shape:
        return X, y, sample_weight
    try:
        rows, _ = model.holdout.split(labels, weights, model.classes is not None)
    except (TypeError, Unsupported):  # labels of several kinds, or too few: those of the fit could be split
        return X, y, sample_weight
    return matrix_of(as_design(X))[rows], labels[rows], None if weights is None else weights[rows]


def _keys(rows: Rows, seed: int) -> NDArray[np.uint64]:
    """A number of 64 bits for each row, as if drawn at random: splitmix64 (Steele, Lea and Flood 2014).

    Not NumPy's generators: they may draw otherwise in another version, and the split must be found again.
    """
    mixed = (rows.astype(np.uint64) + np.uint64(1)) * np.uint64(STEP) + np.uint64(seed * SEED_STEP % 2**64)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(FIRST)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(SECOND)
    return mixed ^ (mixed >> np.uint64(31))
