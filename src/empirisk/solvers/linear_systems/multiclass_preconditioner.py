"""Preconditioners for conjugate gradients on the Hessian of a multi-class problem."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from empirisk.designs import n_entries
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import shares
from empirisk.protocols import Matrix, Vector
from empirisk.rows.blocks import map_blocks
from empirisk.solvers.linear_systems.cholesky import Factored, factored, solved_or_kept
from empirisk.solvers.linear_systems.multiclass_hessian import add_penalty, augmented, product_cost, softmax_hessian
from empirisk.solvers.linear_systems.preconditioner import Diagonal, centered, inverse_diagonal
from empirisk.solvers.sampling.row_sample import spread_rows

ROWS_PER_COLUMN = 3  # of the sample of a class
LARGEST = 2048  # columns of a block
MOST_PASSES = 30.0  # that building the blocks may cost
WHOLE_COORDINATES = 1024  # of all classes together: a matrix of 8 MiB
WHOLE_PRODUCTS = 8.0  # that the Hessian of a sample may cost
ROWS_PER_COORDINATE = 4  # of that sample, at least


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


class SampledWhole(NamedTuple):
    """Solve with the Hessian of all classes from a sample of the rows: how the classes hang together counts too."""

    factors: Factored

    def apply(self, residual: Matrix) -> Matrix:
        """M^-1 residual, whose sum over the classes is kept at zero."""
        solved = solved_or_kept(self.factors, centered(residual, True).ravel())
        return centered(solved.reshape(residual.shape), True)


def whole_sample(problem: MulticlassRisk) -> int:
    """The rows of a sample whose Hessian of all classes is affordable and tells enough; 0 where there is none."""
    size = (problem.design.n_columns() + problem.fit_intercept) * problem.n_classes
    if problem.loss.splits() or size > WHOLE_COORDINATES:
        return 0
    affordable = (WHOLE_PRODUCTS * product_cost(problem) - size**3 / 3.0) / (0.5 * size**2)
    most = int(min(affordable, problem.design.n_rows() / 2))
    return most if most >= ROWS_PER_COORDINATE * size else 0


def blocks_are_cheap(problem: MulticlassRisk) -> bool:
    """The samples are a part of the rows, and their matrices cost a few passes."""
    n, d = problem.design.n_rows(), problem.design.n_columns()
    entries = n_entries(problem.design)
    cost = 0.5 * ROWS_PER_COLUMN * d**3 + d**3
    return d <= LARGEST and ROWS_PER_COLUMN * d <= 2 * n and cost <= MOST_PASSES * 6.0 * entries


def preconditioner(problem: MulticlassRisk, curvatures: Matrix) -> SampledWhole | Blocks | Diagonal:
    """The best one that is affordable, for the curvatures that the loss wrote."""
    softmax = not problem.loss.splits()
    whole = _sampled_whole(problem, curvatures)
    if whole is not None:
        return whole
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


def _sampled_whole(problem: MulticlassRisk, curvatures: Matrix) -> SampledWhole | None:
    """From rows spread over all of them; None where they are too few, have no weight, or tell too little."""
    count = whole_sample(problem)
    rows = spread_rows(problem, problem.design.n_rows() // count, 0) if count else None
    if rows is None:
        return None
    sample = problem.with_rows(rows)
    matrix = add_penalty(sample, softmax_hessian(sample, curvatures[rows]))
    factors = factored(matrix, most_jitter=0.0) if np.all(np.isfinite(matrix)) else None
    return None if factors is None else SampledWhole(factors)


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
