"""Preconditioners for conjugate gradients on the Hessian of a multi-class problem."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import shares, squared_row_norms
from empirisk.protocols import Matrix, Vector
from empirisk.rows.protocol import RowBlock, RowVector
from empirisk.rows.threads import in_threads
from empirisk.rows.vectors import row_sum
from empirisk.solvers.linear_systems.cholesky import Factored, factored, solved_or_kept
from empirisk.solvers.linear_systems.multiclass_hessian import add_penalty, augmented, product_cost, softmax_hessian
from empirisk.solvers.linear_systems.preconditioner import Diagonal, centered, inverse_diagonal

ROWS_PER_COLUMN = 3  # of the sample of a class
LARGEST = 2048  # columns of a block
MOST_PASSES = 30.0  # that building the blocks may cost
WHOLE_COORDINATES = 4096  # of all classes together: a matrix of 128 MiB
WHOLE_PRODUCTS = 8.0  # that the Hessian of a sample may cost
ROWS_PER_COORDINATE = 2  # of that sample, at least


class Blocks(NamedTuple):
    """The inverses of the classes' diagonal blocks, each from a sample of the rows (Erdogdu and Montanari, 2015)."""

    inverses: tuple[Matrix, ...]
    n_threads: int
    centers: bool  # softmax: keep the sum over the classes at zero

    def apply(self, residual: Matrix) -> Matrix:
        """M^-1 residual."""
        out = np.zeros(residual.shape)
        used = self.inverses[0].shape[0]
        right = centered(residual, self.centers)

        def task(c: int) -> None:
            out[:used, c] = self.inverses[c] @ right[:used, c]

        in_threads(task, list(range(residual.shape[1])), self.n_threads)
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
    size = (problem.rows.n_columns + problem.fit_intercept) * problem.n_classes
    if problem.loss.splits() or size > WHOLE_COORDINATES:
        return 0
    affordable = (WHOLE_PRODUCTS * product_cost(problem) - size**3 / 3.0) / (0.5 * size**2)
    most = int(min(affordable, problem.rows.n_rows / 2))
    return most if most >= ROWS_PER_COORDINATE * size else 0


def blocks_are_cheap(problem: MulticlassRisk) -> bool:
    """The samples are a part of the rows, and their matrices cost a few passes."""
    n, d = problem.rows.n_rows, problem.rows.n_columns
    entries = problem.rows.n_entries
    cost = 0.5 * ROWS_PER_COLUMN * d**3 + d**3
    return d <= LARGEST and ROWS_PER_COLUMN * d <= 2 * n and cost <= MOST_PASSES * 6.0 * entries


def preconditioner(problem: MulticlassRisk, curvatures: RowVector) -> SampledWhole | Blocks | Diagonal:
    """The best one that is affordable, for the curvatures that the loss wrote."""
    softmax = not problem.loss.splits()
    whole = _sampled_whole(problem, curvatures)
    if whole is not None:
        return whole
    if blocks_are_cheap(problem):
        rows, given, shape = problem.rows, (shares(problem), curvatures), (problem.n_classes,)
        weighted: Matrix = rows.gather(rows.vector(_weighted, _shares_scale(problem), rows=given, shape=shape))
        # At zero weights the classes are alike.
        different = 1 if bool(np.all(weighted == weighted[:, :1])) else problem.n_classes
        inverses = in_threads(
            lambda c: _sampled_inverse(problem, weighted[:, c]), list(range(different)), problem.n_threads
        )
        if all(inverse is not None for inverse in inverses):
            return Blocks(tuple(inverses) * (problem.n_classes // different), problem.n_threads, softmax)
    return mean_diagonal(problem, curvatures)


def mean_diagonal(problem: MulticlassRisk, curvatures: RowVector) -> Diagonal:
    """From the mean over the classes."""
    mean = problem.rows.vector(_mean_weighted, _shares_scale(problem), rows=(shares(problem), curvatures))
    return Diagonal(inverse_diagonal(problem, mean)[:, None], not problem.loss.splits())


def _shares_scale(problem: MulticlassRisk) -> float:
    """The scale of softmax, whose curvatures are shares; 0 where they are second derivatives."""
    return 0.0 if problem.loss.splits() else float(problem.loss.scale)


def _weighted(block: RowBlock, scale: float, weights: Vector, curvatures: Matrix, out: Matrix) -> None:
    """s_i/S times the second derivative in each score."""
    np.multiply(weights[:, None], scale * curvatures * (1.0 - curvatures) if scale else curvatures, out=out)


def _mean_weighted(block: RowBlock, scale: float, weights: Vector, curvatures: Matrix, out: Vector) -> None:
    each = np.empty(curvatures.shape)
    _weighted(block, scale, weights, curvatures, each)
    each.mean(axis=1, out=out)


def _sampled_whole(problem: MulticlassRisk, curvatures: RowVector) -> SampledWhole | None:
    """From rows drawn half evenly, half by what they bend; None where they are too few or tell too little.

    Rows of rare columns and classes bend most where they count, and an even sample would miss them.
    """
    count = whole_sample(problem)
    if not count:
        return None
    rows, even = problem.rows, shares(problem)
    bends = rows.vector(_bends, float(problem.fit_intercept), rows=(squared_row_norms(problem), even, curvatures))
    total = row_sum(rows, bends)
    if not 0.0 < total < math.inf:
        return None
    chances: Vector = rows.gather(0.5 * even + 0.5 * bends / total)
    chosen, times = systematic_draws(chances, count)
    sample = problem.with_rows(chosen).with_weights(times * rows.pick(even, chosen) / chances[chosen])
    matrix = add_penalty(sample, softmax_hessian(sample, rows.pick(curvatures, chosen)))
    factors = factored(matrix, most_jitter=0.0) if np.all(np.isfinite(matrix)) else None
    return None if factors is None else SampledWhole(factors)


def _bends(block: RowBlock, more: float, norms: Vector, weights: Vector, curvatures: Matrix, out: Vector) -> None:
    np.multiply(weights * (curvatures * (1.0 - curvatures)).sum(axis=1), norms + more, out=out)


def systematic_draws(chances: Vector, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows at equal distances in the cumulative sum of their chances, and how often each was met."""
    total = np.cumsum(chances)
    rows = np.searchsorted(total, total[-1] * (np.arange(count) + 0.5) / count)
    return np.unique(np.minimum(rows, chances.size - 1), return_counts=True)


def _sampled_inverse(problem: MulticlassRisk, weights: Vector) -> Matrix | None:
    """From rows drawn in proportion to their weights, at equal distances in the cumulative sum."""
    total = float(weights.sum())
    if not 0.0 < total < math.inf:
        return None
    count = ROWS_PER_COLUMN * problem.rows.n_columns
    chosen, times = systematic_draws(weights, count)
    part = augmented(problem.rows.take(chosen), problem.fit_intercept) * np.sqrt(times * (total / count))[:, None]
    factor = factored(add_penalty(problem, part.T @ part))
    return None if factor is None else factor.inverse()
