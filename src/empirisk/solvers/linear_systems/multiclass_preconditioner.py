"""Preconditioners for conjugate gradients on the Hessian of a multi-class problem."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.designs import n_entries
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import shares
from empirisk.protocols import Matrix, Vector
from empirisk.rows.blocks import map_blocks
from empirisk.solvers.linear_systems.cholesky import factored
from empirisk.solvers.linear_systems.multiclass_hessian import add_penalty, augmented
from empirisk.solvers.linear_systems.preconditioner import Diagonal, centered, inverse_diagonal

ROWS_PER_COLUMN = 3  # of the sample of a class
LARGEST = 2048  # columns of a block
MOST_PASSES = 30.0  # that building the blocks may cost


class Blocks(NamedTuple):
    """The inverses of the classes' diagonal blocks, each from a sample of the rows (Erdogdu and Montanari, 2015)."""

    inverses: list[Matrix]
    n_threads: int
    centers: bool  # softmax: keep the sum over the classes at zero

    def apply(self, residual: Matrix) -> Matrix:
        """M^-1 residual."""
        out = np.zeros(residual.shape)
        used = self.inverses[0].shape[0]
        right = centered(residual, self.centers)

        def task(c: int) -> None:
            out[:used, c] = self.inverses[c] @ right[:used, c]

        map_blocks(task, list(range(residual.shape[1])), self.n_threads)
        return centered(out, self.centers)


def blocks_are_cheap(problem: MulticlassRisk) -> bool:
    """The samples are a part of the rows, and their matrices cost a few passes."""
    n, d = problem.design.n_rows(), problem.design.n_columns()
    entries = n_entries(problem.design)
    cost = 0.5 * ROWS_PER_COLUMN * d**3 + d**3
    return d <= LARGEST and ROWS_PER_COLUMN * d <= 2 * n and cost <= MOST_PASSES * 6.0 * entries


def preconditioner(problem: MulticlassRisk, curvatures: Matrix) -> Blocks | Diagonal:
    """The better one that is affordable, for the curvatures that the loss wrote."""
    softmax = not problem.loss.splits()
    second = problem.loss.scale * curvatures * (1.0 - curvatures) if softmax else curvatures
    weighted = shares(problem)[:, None] * second
    if blocks_are_cheap(problem):
        # At zero weights the classes are alike.
        different = 1 if bool(np.all(weighted == weighted[:, :1])) else problem.n_classes
        inverses = map_blocks(
            lambda c: _sampled_inverse(problem, weighted[:, c]), list(range(different)), problem.n_threads
        )
        if all(inverse is not None for inverse in inverses):
            return Blocks(inverses * (problem.n_classes // different), problem.n_threads, softmax)
    return Diagonal(inverse_diagonal(problem, weighted.mean(axis=1))[:, None], softmax)


def _sampled_inverse(problem: MulticlassRisk, weights: Vector) -> Matrix | None:
    """From rows drawn in proportion to their weights, at equal distances in the cumulative sum."""
    total = np.cumsum(weights)
    if not (np.isfinite(total[-1]) and total[-1] > 0.0):
        return None
    count = ROWS_PER_COLUMN * problem.design.n_columns()
    rows = np.searchsorted(total, total[-1] * (np.arange(count) + 0.5) / count)
    chosen, times = np.unique(np.minimum(rows, weights.size - 1), return_counts=True)
    part = augmented(problem, chosen)
    part *= np.sqrt(times * (total[-1] / count))[:, None]
    factor = factored(add_penalty(problem, part.T @ part))
    return None if factor is None else factor.inverse()
