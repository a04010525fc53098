"""What a report shows: the fit, its data, and the commands that made and verify it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.protocols import Vector

if TYPE_CHECKING:  # a report reads the fit; it needs none of the code that made it
    from empirisk.bounds.risk_bound import RiskBound
    from empirisk.evaluation.judged import Judged
    from empirisk.models import LinearModel
    from empirisk.solution import Solution


class Contents(NamedTuple):
    """Everything the sections need."""

    model: LinearModel
    solution: Solution
    margins: NDArray[Any]  # y z, or z_k - the largest other score; label minus prediction for regression
    feature_names: Sequence[str] | None
    command: str
    verify_command: str
    data_name: str
    n_rows: int
    seconds: float  # of work
    compile_seconds: float = 0.0  # beside them; 0 where all machine code was in the cache
    judged: Judged | None = None  # on rows that took no part in the fit
    judged_on: str = ""  # which rows these are
    future_error: RiskBound | None = None  # a bound on that of new rows

    def checked(self) -> Contents:
        """The same, with margins as floats; raises ValueError where the names do not fit the weights."""
        names = self.model.feature_names if self.feature_names is None else self.feature_names
        if names is not None and len(names) != self.model.n_features:
            raise ValueError(f"{len(names)} feature names for {self.model.n_features} columns")
        margins = np.asarray(self.margins, dtype=np.float64).ravel()
        return self._replace(feature_names=names, margins=margins)

    @property
    def is_classifier(self) -> bool:
        """Whether the model has classes."""
        return self.model.classes is not None

    @property
    def has_many_classes(self) -> bool:
        """Whether there are weights for each class."""
        return self.model.has_many_classes

    @property
    def target(self) -> float:
        """The gap that was asked for."""
        target = self.solution.trace.target
        return target if math.isfinite(target) else self.model.options.tol * self.model.certificate.scale

    def name(self, column: int) -> str:
        """The name of a column, or its number where it has none."""
        return f"column {column + self.first_column}" if self.feature_names is None else str(self.feature_names[column])

    @property
    def first_column(self) -> int:
        """Columns without names are counted as in the file they came from, else from 1."""
        return 1 if self.model.first_index is None else self.model.first_index

    def effects(self) -> Vector:
        """What one standard deviation of each column does to the score; the weights where nothing was scaled."""
        scaling = self.model.scaling
        return self.model.weights if scaling is None else self.model.weights * scaling.scale
