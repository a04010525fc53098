"""Stochastic dual coordinate ascent."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from empirisk.compiled import kernel
from empirisk.problems.passes import scores_of, weighted_sum
from empirisk.protocols import Progress, Vector, is_quadratic

STIFFEST = 0.1  # of the intercept's term: losses curve by about one


class SDCAState(NamedTuple):
    """Where the method stands. Arrays are updated in place."""

    u: Vector  # dual variables
    v: Vector  # (1/S) sum_i s_i u_i x_i; empty where that is l2 w
    w: Vector
    b: float
    squared_norms: Vector
    order: Any  # rows in the order of the next pass
    prox: float  # strength of the term on the intercept; 0 without one
    random: np.random.Generator
    passes: float


class SDCA(NamedTuple):
    """Maximise the dual exactly in one u_i at a time, over a fresh random order each pass.

    Keeps w = the maximiser of <w, v> - Omega(w). The free intercept asks sum_i s_i u_i = 0: a proximal term
    prox/2 (b - b_k)^2 replaces that constraint, and its centre b_k moves to b after every pass (the method of
    multipliers). Handles kinks and l1 (with l2 > 0); linear convergence for smooth losses.
    References: Shalev-Shwartz and Zhang (2013); Hsieh et al. (2008).
    """

    seed: int = 0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "loss.dual_step", "regularizer.maximizer_coordinate", "l2 > 0")

    def init(self, problem: Any, w: Vector, b: float) -> SDCAState:
        """Start from zero duals, or from those that a warm start implies."""
        n, design, regularizer = problem.design.n_rows(), problem.design, problem.regularizer
        squared_norms = np.empty(n)
        squared_row_norms(design, squared_norms)
        u, passes = np.zeros(n), 1.0
        v, w = np.zeros(w.size), w.copy()
        if np.any(w) or b != 0.0:
            u = scores_of(design, w, b, problem.n_threads)
            _implied_duals(problem.loss, problem.labels, u)
            v = weighted_sum(problem, u * (problem.weights if problem.weights.size else 1.0)) / problem.total_weight
            passes += 2.0
        _maximizer(regularizer, v, w)
        mean = np.average(squared_norms, weights=problem.weights if problem.weights.size else None)
        prox = stiffness(regularizer.strong_convexity(), float(mean)) if problem.fit_intercept else 0.0
        order = np.arange(n, dtype=np.int32 if n < 2**31 else np.int64)
        v = np.empty(0) if is_quadratic(regularizer) else v
        return SDCAState(u, v, w, b, squared_norms, order, prox, np.random.default_rng(self.seed), passes)

    def step(self, problem: Any, state: SDCAState) -> SDCAState:
        """One pass over the rows, then the centre of the intercept's term moves."""
        state.random.shuffle(state.order)
        b = _ascend(
            problem.loss,
            problem.design,
            problem.labels,
            problem.weights,
            1.0 / problem.total_weight,
            problem.regularizer,
            problem.regularizer.strong_convexity(),
            state.prox,
            state.squared_norms,
            state.order,
            state.u,
            state.v,
            state.w,
            state.b,
        )
        if problem.fit_intercept:
            b += _weighted_mean(problem.weights, state.u, problem.total_weight) / state.prox
        return state._replace(b=b, passes=state.passes + 1.0)

    def point(self, state: SDCAState) -> tuple[Vector, float, Vector | None]:
        """The weights that the dual point implies, and that point."""
        return state.w.copy(), state.b, state.u

    def progress(self, problem: Any, state: SDCAState) -> Progress:
        """Neither objective nor gap is known without a pass."""
        return Progress(state.passes, np.nan, np.nan)


def stiffness(l2: float, mean_squared_norm: float) -> float:
    """A term that makes the intercept as stiff as a column of the data's mean size, but no stiffer than the loss."""
    prox = l2 / mean_squared_norm if mean_squared_norm > 0.0 else l2
    return min(max(prox, float(np.finfo(float).tiny)), STIFFEST)


def _weighted_mean(weights: Vector, u: Vector, total: float) -> float:
    return float(weights @ u if weights.size else u.sum()) / total


@kernel
def squared_row_norms(X, out):
    """Write ||x_i||^2 of each row."""
    for i in range(out.size):
        out[i] = X.squared_row_norm(i)


@kernel
def _implied_duals(loss, y, scores):
    for i in range(scores.size):
        scores[i] = -loss.derivative(scores[i], y[i])


@kernel
def _maximizer(regularizer, v, w):
    regularizer.maximizer(v, w)


@kernel
def _ascend(loss, X, y, weights, scale, regularizer, l2, prox, squared_norms, order, u, v, w, b):
    per_prox = 1.0 / prox if prox > 0.0 else 0.0
    for k in range(order.size):
        i = order[k]
        s = scale * weights[i] if weights.size else scale
        if s == 0.0:
            continue
        z = X.dot_row(i, w) + b
        q = s * (squared_norms[i] / l2 + per_prox)
        new = loss.dual_step(u[i], z, y[i], q)
        change = s * (new - u[i])
        u[i] = new
        if change != 0.0:
            b += change * per_prox
            if v.size:
                X.add_row(i, change, v)
                X.map_row(i, v, regularizer, w)
            else:
                X.add_row(i, change / l2, w)
    return b
