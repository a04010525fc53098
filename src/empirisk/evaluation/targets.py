"""How good a regression of several targets is on rows with labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.answers import Answers
from empirisk.evaluation.measures import Measure, mean_of_dependent
from empirisk.evaluation.regression import RegressionScore, regression_score
from empirisk.protocols import Vector


class TargetsScore(NamedTuple):
    """On `rows` rows of positive weight: each target by itself, and the means over the targets."""

    rows: int
    targets: tuple[RegressionScore, ...]
    level: float

    @property
    def task(self) -> str:
        """What was judged."""
        return "regression"

    def measures(self) -> dict[str, Measure]:
        """The mean of each measure over the targets, by name; these share their rows."""
        each = [target.measures() for target in self.targets]
        return {name: mean_of_dependent([one[name] for one in each], self.level, "the targets") for name in each[0]}

    def to_json(self) -> dict[str, Any]:
        """As plain numbers and texts."""
        told = {name: measure.to_json() for name, measure in self.measures().items()}
        targets = [target.to_json() for target in self.targets]
        return {"task": self.task, "rows": self.rows, **told, "quantile": self.targets[0].quantile, "targets": targets}


def targets_score(answers: Answers, labels: NDArray[Any], weights: Vector | None, level: float) -> TargetsScore:
    """`labels` are n x T, as the predictions are; `weights` are None where all are equal."""
    each = [
        regression_score(answers._replace(predicted=answers.predicted[:, t]), labels[:, t], weights, level)
        for t in range(labels.shape[1])
    ]
    return TargetsScore(len(labels), tuple(each), level)


def as_targets(y: NDArray[Any], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The labels as finite numbers in the shape of the predictions."""
    if y.shape != shape:
        said = f"y must have {shape[1]} targets for each of the {shape[0]} rows of X"
        raise ValueError(f"{said}, got shape {y.shape}")
    if y.dtype.kind not in "biuf" or not np.all(np.isfinite(y)):
        raise ValueError("y must hold finite numbers")
    return y.astype(np.float64)
