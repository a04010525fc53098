"""Newton's method for many classes."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.multiclass_passes import (
    HessianProducts,
    MulticlassGradient,
    as_point,
    from_point,
    gradient,
    to_curvatures,
)
from empirisk.problems.passes import squared_column_norms
from empirisk.protocols import Matrix, Progress, Vector, offers
from empirisk.solvers.linear_systems.conjugate_gradient import GAIN, MOST_PRODUCTS
from empirisk.solvers.linear_systems.multiclass_hessian import whole_direction, whole_is_cheap
from empirisk.solvers.linear_systems.multiclass_preconditioner import blocks_are_cheap, preconditioner
from empirisk.solvers.many_classes.sdca import MulticlassSDCA
from empirisk.solvers.newton import ARMIJO, CURVATURE, LINEAR_SOLVERS
from empirisk.solvers.steps.multiclass_line_search import exact_step

STALE = 10  # products that a system may take before its preconditioner is built again


class MulticlassNewtonState(NamedTuple):
    """Where the method stands; a point is (d + 1) x K, the intercepts its last row."""

    x: Matrix
    gradient: MulticlassGradient
    scores: Matrix  # at x; consumed by the next step
    precondition: Any  # of the last system solved by conjugate gradients, None before the first
    products: int  # that it took
    mean_norm: float  # of the rows
    passes: float
    stalled: bool


class MulticlassNewton(NamedTuple):
    """Solve H p = -grad for all classes together, by Cholesky or by conjugate gradients, and search the line.

    References: Nocedal and Wright (2006), chapters 3 and 7; Lin, Weng and Keerthi (2008).
    """

    linear_solver: str = "auto"  # or "cholesky", "conjugate_gradient"
    dual_passes: int = 10  # of dual ascent, to start hard systems near the minimum; 0 starts at the given point

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.curvature", "no kinks", "l2 alone")

    def init(self, problem: Any, point: LinearPoint) -> MulticlassNewtonState:
        """Evaluate the start, or the better one that a few dual passes find."""
        w, b = point.weights, point.intercept
        passes = 1.0
        if self.dual_passes and not np.any(w) and self._starts_dual(problem):
            w, b, passes = _dual_start(problem, w, b, self.dual_passes)
        x = as_point(w, b)
        scores = np.empty((problem.design.n_rows(), problem.n_classes))
        return MulticlassNewtonState(
            x, gradient(problem, x, scores), scores, None, 0, mean_row_norm(problem), passes, False
        )

    def step(self, problem: Any, state: MulticlassNewtonState) -> MulticlassNewtonState:
        """One direction and one line search."""
        curvatures = to_curvatures(problem, state.scores)
        at = state.gradient
        if self.uses_cholesky(problem):
            p, passes = whole_direction(problem, curvatures, at.slope), state.passes + 1.0
        else:
            if state.precondition is None or state.products > STALE:
                state = state._replace(precondition=preconditioner(problem, curvatures), passes=state.passes + 1.0)
            p, products = newton_direction(problem, curvatures, at, state.precondition)
            state, passes = state._replace(products=products), state.passes + products
        noise = 1e-15 * abs(at.objective)  # below this the objective cannot tell a better point
        slope = float(np.vdot(at.slope, p))
        x = state.x + p
        new = gradient(problem, x, state.scores)
        passes += 1.0
        falls = new.objective <= at.objective + ARMIJO * slope + noise
        if not (falls and abs(float(np.vdot(new.slope, p))) <= CURVATURE * abs(slope)) and -slope > noise:
            x = state.x + exact_step(problem, state.x, p) * p
            new = gradient(problem, x, state.scores)
            passes += 3.0
            falls = new.objective <= at.objective + noise
        if not falls:
            back = gradient(problem, state.x, state.scores)  # the scores belong to the point
            return state._replace(gradient=back, passes=passes + 1.0, stalled=True)
        stalled = at.objective - new.objective <= noise and _norm(new.slope) > 0.5 * _norm(at.slope)
        return state._replace(x=x, gradient=new, passes=passes, stalled=stalled)

    def point(self, state: MulticlassNewtonState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint(*from_point(state.x))

    def progress(self, problem: Any, state: MulticlassNewtonState) -> Progress:
        """The gap of the penalised part is ||grad||^2 / (2 l2)."""
        return smooth_progress(problem, state.gradient, state.x, state.mean_norm, state.passes, state.stalled)

    def _starts_dual(self, problem: Any) -> bool:
        """Where systems are hard: too wide to factor, even class by class from a sample."""
        hard = not self.uses_cholesky(problem) and not blocks_are_cheap(problem)
        return hard and (not problem.loss.splits() or offers(problem.loss.base, "dual_step"))

    def uses_cholesky(self, problem: Any) -> bool:
        """Whether to factor the whole Hessian."""
        if self.linear_solver not in LINEAR_SOLVERS:
            raise ValueError(f"linear_solver must be one of {', '.join(LINEAR_SOLVERS)}, got {self.linear_solver!r}")
        if self.linear_solver != "auto":
            return self.linear_solver == "cholesky"
        return whole_is_cheap(problem)


def _dual_start(problem: Any, w: Matrix, b: Vector, n_passes: int) -> tuple[Matrix, Vector, float]:
    solver = MulticlassSDCA()
    state = solver.init(problem, LinearPoint(w, b))
    for _ in range(n_passes):
        state = solver.step(problem, state)
    w, b, _ = solver.point(state)
    return w, b, state.passes + 1.0


def smooth_progress(
    problem: Any, at: MulticlassGradient, x: Matrix, mean_norm: float, passes: float, stalled: bool
) -> Progress:
    """What the gradient of a smooth problem tells for free: ||grad||^2 / (2 l2) for the weights.

    The certificate balances the intercepts by moving dual variables, which moves the weights' part by about
    `mean_norm` times the slope in the intercepts.
    """
    slope_b = _norm(at.slope[-1])
    size, l2 = _norm(at.slope[:-1]) + mean_norm * slope_b, problem.regularizer.l2
    # Without l2, for minimisers of about the size of x.
    gap = size**2 / (2.0 * l2) if l2 > 0.0 else size * max(1.0, 10.0 * _norm(x[:-1]))
    return Progress(passes, at.objective, gap + problem.n_classes * slope_b**2, stalled)


def mean_row_norm(problem: Any) -> float:
    """The root of the mean ||x_i||^2."""
    return math.sqrt(float(squared_column_norms(problem, problem.row_weights()).sum()))


def newton_direction(problem: Any, curvatures: Matrix, at: MulticlassGradient, precondition: Any) -> tuple[Matrix, int]:
    """An approximate solution of H p = -grad by conjugate gradients, and the products it took.

    Stops on the quadratic model, as for one score (`conjugate_gradient.py`).
    """
    products = HessianProducts(problem, curvatures)
    residual = -at.slope
    p = np.zeros(residual.shape)
    solved = precondition.apply(residual)
    direction = solved.copy()
    rho, model, k = float(np.vdot(residual, solved)), 0.0, 0
    for k in range(1, MOST_PRODUCTS + 1):
        image = products.apply(direction)
        curvature = float(np.vdot(direction, image))
        if not curvature > 0.0:
            break
        step = rho / curvature
        p += step * direction
        residual -= step * image
        new_model = 0.5 * float(np.vdot(p, residual) - np.vdot(p, at.slope))
        solved = precondition.apply(residual)
        new_rho = float(np.vdot(residual, solved))
        if k * (new_model - model) <= GAIN * new_model or not new_rho > 0.0:
            break
        direction *= new_rho / rho
        direction += solved
        rho, model = new_rho, new_model
    return p, k


def _norm(a: NDArray[np.float64]) -> float:
    return math.sqrt(float(np.vdot(a, a)))
