"""Stochastic dual coordinate ascent for many classes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic.copying import fill
from empirisk.capabilities import has_kinks
from empirisk.compiled import kernel
from empirisk.designs import CSR, Dense
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import scores_at, shares, squared_row_norms, sum_of_rows
from empirisk.protocols import Matrix, Progress, Vector
from empirisk.rows.threads import in_threads
from empirisk.solvers.sampling.random_bits import Words, generator_of, seeded, words_of
from empirisk.solvers.sdca import stiffness

CLASSES_AT_A_TIME = 32  # of a separable loss: threads take such ranges


class Part(NamedTuple):
    """A range of the classes with what belongs to it. Arrays are updated in place."""

    first: int  # of the classes
    last: int  # the first after them
    u: Matrix  # dual variables, n x K
    v: Matrix  # (1/S) sum_i s_i x_i u_i^T, d x K, and the intercepts as a last row


class MulticlassSDCAState(NamedTuple):
    """Where the method stands."""

    parts: tuple[Part, ...]  # one, or several where the loss is separable
    squared_norms: Vector
    order: NDArray[Any]
    prox: float
    random: Words
    l1: float  # of the penalty, which says what the weights are
    l2: float
    has_kinks: bool  # the loss: then the dual point does not follow from the weights
    passes: float


class MulticlassSDCA(NamedTuple):
    """Maximise the dual exactly in all K dual variables of one row at a time, in a fresh random order each pass.

    Keeps v, from which the weights follow: max(0, |v| - l1) / l2 with the sign of v. Intercepts as in `sdca.py`, by the
    method of multipliers. One-versus-rest visits each row once for all classes of a range, and ranges are handed to
    threads; which ranges there are does not depend on their number.
    References: Shalev-Shwartz and Zhang (2013); Yu, Huang and Lin (2011) for the dual of softmax.
    """

    seed: int = 0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.gradient", "loss.dual_step", "l2 > 0", "rows in memory")

    def init(self, problem: MulticlassRisk, point: LinearPoint) -> MulticlassSDCAState:
        """Start from zero duals, or from those that a warm start implies."""
        w, b = point.weights, point.intercept
        n, n_classes = problem.rows.n_rows, problem.n_classes
        squared_norms = squared_row_norms(problem)
        mean = np.average(squared_norms, weights=problem.weights if problem.weights.size else None)
        prox = stiffness(problem.regularizer.l2, float(mean)) if problem.fit_intercept else 0.0
        u, v, passes = np.zeros((n, n_classes)), LinearPoint(np.zeros(w.shape), b).stacked(), 1.0
        if np.any(w) or np.any(b):
            u = scores_at(problem, point.stacked())
            _implied_duals(problem.loss, problem.labels, u)
            v[:-1] = sum_of_rows(problem, shares(problem)[:, None] * u)[:-1]
            passes += 2.0
        order = np.arange(n, dtype=np.int32 if n < 2**31 else np.int64)
        size = CLASSES_AT_A_TIME if problem.loss.splits() else n_classes
        parts = tuple(
            Part(first, last, u[:, first:last].copy(), v[:, first:last].copy())
            for first in range(0, n_classes, size)
            for last in [min(first + size, n_classes)]
        )
        penalty = problem.regularizer.l1, problem.regularizer.l2
        known = prox, seeded(self.seed), *penalty, has_kinks(problem.loss)
        return MulticlassSDCAState(parts, squared_norms, order, *known, passes)

    def step(self, problem: MulticlassRisk, state: MulticlassSDCAState) -> MulticlassSDCAState:
        """One pass over the rows, then the centre of the intercepts' term moves."""
        random = generator_of(state.random)
        order = random.permutation(state.order)
        state = state._replace(order=order, random=words_of(random), passes=state.passes + 1.0)

        def task(part: Part) -> None:
            is_whole = len(state.parts) == 1
            _ascend_part(problem if is_whole else problem.of_classes(part.first, part.last), part, state)

        in_threads(task, list(state.parts), problem.n_threads)
        return state

    def point(self, state: MulticlassSDCAState) -> LinearPoint:
        """The weights that the dual point implies, and that point where the loss has kinks: else it follows."""
        x = np.hstack([part.v for part in state.parts])
        weights = x[:-1]
        if state.l1 > 0.0:
            weights -= np.clip(weights, -state.l1, state.l1)
        weights /= state.l2
        dual = tuple(column.copy() for part in state.parts for column in part.u.T) if state.has_kinks else None
        return LinearPoint.of(x)._replace(evidence=dual)

    def progress(self, problem: MulticlassRisk, state: MulticlassSDCAState) -> Progress:
        """Neither objective nor gap is known without a pass."""
        return Progress(state.passes, np.nan, np.nan)


def _ascend_part(problem: MulticlassRisk, part: Part, state: MulticlassSDCAState) -> None:
    """A pass over the rows for some classes, of which the problem is."""
    _ascend(
        problem.loss,
        *_entries(problem.rows.whole()),
        problem.labels,
        problem.weights,
        1.0 / problem.total_weight,
        problem.regularizer.l1,
        problem.regularizer.l2,
        state.prox,
        state.squared_norms,
        state.order,
        part.u,
        part.v,
    )
    if problem.fit_intercept:
        part.v[-1] += shares(problem) @ part.u / state.prox


def _entries(design: Dense | CSR) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Values, columns and where each row starts; no columns for dense rows, which have all of them."""
    if not isinstance(design, Dense):
        return design.values, design.indices, design.starts
    n, d = design.values.shape
    return design.values.reshape(-1), _read_only(np.empty(0, np.uint32)), _read_only(np.arange(n + 1) * d)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False  # as the arrays of sparse designs are: another type would compile again
    return array


@kernel
def _implied_duals(loss, labels, scores):
    g = np.empty(scores.shape[1])
    for i in range(labels.size):
        loss.gradient(scores[i], labels[i], g)
        for j in range(g.size):
            scores[i, j] = -g[j]


@kernel
def _ascend(loss, values, indices, starts, labels, weights, scale, l1, l2, prox, squared_norms, order, u, v):
    per_prox = 1.0 / prox if prox > 0.0 else 0.0
    per_l2 = 1.0 / l2
    size = u.shape[1]
    z = np.empty(size)
    change = np.empty(size)
    intercepts = v[v.shape[0] - 1]
    for at in range(order.size):
        i = order[at]
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            continue
        first = starts[i]
        last = starts[i + 1]
        fill(z, 0.0)
        for e in range(first, last):
            value = np.float64(values[e])
            column = v[indices[e]] if indices.size else v[e - first]
            if l1 == 0.0:
                for j in range(size):
                    z[j] += value * column[j]
            else:
                for j in range(size):
                    z[j] += value * (max(0.0, column[j] - l1) + min(0.0, column[j] + l1))
        for j in range(size):
            z[j] = z[j] * per_l2 + intercepts[j]
            change[j] = -u[i, j]
        loss.dual_step(u[i], z, labels[i], s * (squared_norms[i] * per_l2 + per_prox))
        largest = 0.0
        for j in range(size):
            change[j] = s * (change[j] + u[i, j])
            largest = max(largest, abs(change[j]))
        if largest > 0.0:
            for j in range(size):
                intercepts[j] += change[j] * per_prox
            for e in range(first, last):
                value = np.float64(values[e])
                column = v[indices[e]] if indices.size else v[e - first]
                for j in range(size):
                    column[j] += value * change[j]
