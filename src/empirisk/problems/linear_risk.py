"""What a regularized risk of a linear predictor shows to passes and solvers, with one score a row or one a class."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from empirisk.protocols import Vector
from empirisk.rows.blocks import Block


class LinearRisk(Protocol):
    """(1/S) sum_i s_i loss(scores of row i, label of row i) + Omega(weights): `EmpiricalRisk` and `MulticlassRisk`."""

    loss: Any
    design: Any
    regularizer: Any
    labels: NDArray[Any]
    weights: Vector  # of the rows; empty where all are one
    total_weight: float  # S
    fit_intercept: bool
    n_threads: int
    blocks: list[Block]  # of rows, for passes
