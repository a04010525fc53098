"""Newton's method with a line search."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from empirisk.designs import Dense, n_entries
from empirisk.problems.passes import Gradient, gradient, hessian, to_curvatures
from empirisk.protocols import Progress, Vector, missing
from empirisk.solvers.conjugate_gradient import newton_direction
from empirisk.solvers.line_search import PASSES, best_constant, exact_step
from empirisk.solvers.preconditioner import hessian_fits, sample_is_cheap
from empirisk.solvers.sdca import SDCA

ARMIJO, CURVATURE = 1e-4, 0.5  # of the full step: how much it must gain, and flatten the slope
LEAST_CURVATURE = 1e-8  # of the intercept: losses curve by about one
LINEAR_SOLVERS = ("auto", "cholesky", "conjugate_gradient")
MOST_PRODUCTS = 30.0  # that a Hessian may cost


class NewtonState(NamedTuple):
    """Where Newton's method stands."""

    w: Vector
    b: float
    gradient: Gradient
    scores: Vector  # z_i at (w, b); consumed by the next step
    passes: float
    stalled: bool


class Newton(NamedTuple):
    """Solve H p = -grad and take the full step; where that gains too little, search the line exactly.

    H = X^T diag(loss'') X + l2 I is factored by Cholesky where that is cheap, and used through products
    in conjugate gradients beyond, from where a few dual passes lead. Converges
    quadratically near the minimum (semismooth losses included).
    References: Nocedal and Wright (2006), chapters 3 and 7; Lin, Weng and Keerthi (2008).
    """

    linear_solver: str = "auto"  # or "cholesky", "conjugate_gradient"
    dual_passes: int = 10  # of sdca, to start conjugate gradients near the minimum; 0 starts at the given point
    constant_start: bool = False  # begin at the best constant score, where more rows may have curvature than at zero

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "loss.second_derivative", "no kinks", "l2 alone")

    def init(self, problem: Any, w: Vector, b: float) -> NewtonState:
        """Evaluate the start, or the better one that a few dual passes find."""
        passes = 1.0
        if self.dual_passes and not np.any(w) and self._starts_dual(problem):
            w, b, passes = _dual_start(problem, w, b, self.dual_passes)
        elif self.constant_start and problem.fit_intercept and not np.any(w) and b == 0.0:
            b = best_constant(problem)
        scores = np.empty(problem.design.n_rows())
        start = gradient(problem, w, b, scores)
        return NewtonState(w, b, start, scores, passes, False)

    def step(self, problem: Any, state: NewtonState) -> NewtonState:
        """One direction and one line search."""
        curvatures = to_curvatures(problem, state.scores)
        if self.uses_cholesky(problem):
            p, p_b = _cholesky_direction(problem, curvatures, state.gradient)
            passes = state.passes + 1.0
        else:
            p, p_b, products = newton_direction(problem, curvatures, state.gradient)
            passes = state.passes + products
        # Below this the objective cannot tell a better point: rounding of a sum of n positive terms.
        noise = 1e-15 * abs(state.gradient.objective)
        slope = _slope(state.gradient, p, p_b)
        w, b = state.w + p, state.b + p_b
        new = gradient(problem, w, b, state.scores)
        passes += 1.0
        falls = new.objective <= state.gradient.objective + ARMIJO * slope + noise
        if not (falls and abs(_slope(new, p, p_b)) <= CURVATURE * abs(slope)) and -slope > noise:
            t = exact_step(problem, state.w, state.b, p, p_b)
            w, b = state.w + t * p, state.b + t * p_b
            new = gradient(problem, w, b, state.scores)
            passes += PASSES + 1.0
            falls = new.objective <= state.gradient.objective + noise
        if not falls:
            back = gradient(problem, state.w, state.b, state.scores)  # the scores belong to the point
            return state._replace(gradient=back, passes=passes + 1.0, stalled=True)
        gained = state.gradient.objective - new.objective
        stalled = gained <= noise and _norm(new) > 0.5 * _norm(state.gradient)
        return NewtonState(w, b, new, state.scores, passes, stalled)

    def point(self, state: NewtonState) -> tuple[Vector, float, Vector | None]:
        """The iterate; the dual point follows from it."""
        return state.w, state.b, None

    def progress(self, problem: Any, state: NewtonState) -> Progress:
        """The gap of the penalised part is ||grad||^2 / (2 l2)."""
        return smooth_progress(problem, state.gradient, state.w, state.b, state.passes, state.stalled)

    def _starts_dual(self, problem: Any) -> bool:
        """Where systems are hard: too wide to factor, or to sample."""
        hard = not self.uses_cholesky(problem) and not sample_is_cheap(problem.design)
        return hard and not missing(SDCA(), problem)

    def uses_cholesky(self, problem: Any) -> bool:
        """Whether to factor the Hessian."""
        if self.linear_solver not in LINEAR_SOLVERS:
            raise ValueError(f"linear_solver must be one of {', '.join(LINEAR_SOLVERS)}, got {self.linear_solver!r}")
        if self.linear_solver != "auto":
            return self.linear_solver == "cholesky"
        return cholesky_is_cheap(problem.design)


def _dual_start(problem: Any, w: Vector, b: float, n_passes: int) -> tuple[Vector, float, float]:
    solver = SDCA()
    state = solver.init(problem, w, b)
    for _ in range(n_passes):
        state = solver.step(problem, state)
    return state.w, state.b, state.passes + 1.0


def cholesky_is_cheap(design: Any) -> bool:
    """Forming and factoring the Hessian costs less than about thirty products with it.

    As measured: a dense Hessian costs d/12 products (BLAS against a pass that waits for memory), a sparse one a third
    of the mean number of entries in a row, and the factorisation d^3/30 entries of a pass.
    """
    d, n, entries = design.n_columns(), design.n_rows(), n_entries(design)
    products = d / 12.0 if isinstance(design, Dense) else entries / n / 3.0
    return hessian_fits(design) and products + d**3 / (30.0 * max(1, entries)) <= MOST_PRODUCTS


def smooth_progress(problem: Any, at: Gradient, w: Vector, b: float, passes: float, stalled: bool) -> Progress:
    """What the gradient of a smooth problem tells for free; without l2, for minimisers of about the size of w."""
    squared, l2 = float(at.weights @ at.weights), problem.regularizer.l2
    gap = squared / (2.0 * l2) if l2 > 0.0 else math.sqrt(squared) * max(1.0, 10.0 * float(np.linalg.norm(w)))
    return Progress(passes, at.objective, gap + abs(at.intercept) * max(1.0, abs(b)), stalled)


def _slope(at: Gradient, p: Vector, p_b: float) -> float:
    return float(at.weights @ p) + at.intercept * p_b


def _norm(at: Gradient) -> float:
    return math.hypot(float(np.linalg.norm(at.weights)), at.intercept)


def _cholesky_direction(problem: Any, curvatures: Vector, at: Gradient) -> tuple[Vector, float]:
    matrix = hessian(problem, curvatures)
    if problem.fit_intercept and matrix[-1, -1] < LEAST_CURVATURE:
        # No row has curvature: take a step of ten at most, and let the line search decide.
        matrix[-1, -1] = max(matrix[-1, -1], 0.1 * abs(at.intercept))
    right = -np.append(at.weights, at.intercept) if problem.fit_intercept else -at.weights
    # Unit diagonal first: columns of very different size then factor as well as equal ones.
    diagonal = np.sqrt(np.maximum(np.diagonal(matrix), np.finfo(float).tiny))
    matrix /= diagonal[:, None]
    matrix /= diagonal
    jitter = 0.0
    while True:
        try:
            shifted = matrix + jitter * np.eye(right.size) if jitter else matrix
            factor = scipy.linalg.cho_factor(shifted, lower=True, check_finite=False)
            break
        except scipy.linalg.LinAlgError:
            jitter = max(1e-14, 100.0 * jitter)
            if jitter > 1.0 or not np.all(np.isfinite(matrix)):
                return _gradient_direction(problem, right)
    solved = scipy.linalg.cho_solve(factor, right / diagonal, check_finite=False) / diagonal
    if not np.all(np.isfinite(solved)):
        return _gradient_direction(problem, right)
    return (solved[:-1], float(solved[-1])) if problem.fit_intercept else (solved, 0.0)


def _gradient_direction(problem: Any, right: Vector) -> tuple[Vector, float]:
    """Steepest descent: the way out when the Hessian overflows."""
    return (right[:-1], float(right[-1])) if problem.fit_intercept else (right, 0.0)
