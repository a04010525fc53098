"""Newton's method with a line search."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.designs import Dense, n_entries
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import Gradient, gradient, to_curvatures
from empirisk.protocols import Progress, Vector
from empirisk.solvers.linear_systems import row_gram
from empirisk.solvers.linear_systems.conjugate_gradient import newton_direction
from empirisk.solvers.linear_systems.factored_hessian import FactoredHessian, factored_hessian
from empirisk.solvers.linear_systems.preconditioner import hessian_fits
from empirisk.solvers.sampling.row_sample import sample_of, stride_of
from empirisk.solvers.steps.line_search import PASSES, best_constant, exact_step

ARMIJO, CURVATURE = 1e-4, 0.5  # of the full step: how much it must gain, and flatten the slope
LINEAR_SOLVERS = ("auto", "cholesky", "conjugate_gradient")
MOST_PRODUCTS = 30.0  # that a Hessian may cost
PATIENCE = 3.0  # with conjugate gradients, in Hessians: where these cost more, their columns are too much alike
REUSE = 0.2  # a Hessian serves again while each step leaves at most this share of <gradient, H^-1 gradient>
SAMPLED_ROWS, SAMPLED_ENTRIES = 24, 400_000  # for each column, in a sample, and of the data
SAMPLED_STRENGTH = 2.0  # of those times n l2: below, the weights that the penalty leaves free lead astray
SAMPLE_LEFT, SAMPLE_STEPS = 0.03, 15  # the relative gap where it has told what it can, and the most steps
MOST_FAILURES = 1  # steps with an old Hessian that did not, after which every step takes a new one


class NewtonState(NamedTuple):
    """Where Newton's method stands."""

    w: Vector
    b: float
    gradient: Gradient
    scores: Vector  # z_i at (w, b); consumed by the next step
    hessian: FactoredHessian | None  # of an earlier point
    products: float  # that the last direction by conjugate gradients took, in passes
    spent: float  # that all of them took; infinite once they have failed
    decrement: float  # <gradient, H^-1 gradient> before the last step; 0 after a line search
    failures: int  # of old Hessians
    passes: float
    stalled: bool


class Newton(NamedTuple):
    """Solve H p = -grad and take the full step; where that gains too little, search the line exactly.

    H = X^T diag(loss'') X + l2 I is factored by Cholesky where that is cheap, and used through products
    in conjugate gradients beyond. Converges quadratically near the minimum (semismooth losses included).
    References: Nocedal and Wright (2006), chapters 3 and 7; Lin, Weng and Keerthi (2008).
    """

    linear_solver: str = "auto"  # or "cholesky", "conjugate_gradient"
    reuse: bool = False  # a Hessian for several steps, where it serves; no longer quadratic, but often faster
    sampling: bool = False  # start from about the answer for a sample of the rows, where there are many for each column
    constant_start: bool = False  # begin at the best constant score, where more rows may have curvature than at zero

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return ("loss.derivative", "loss.second_derivative", "no kinks", "l2 alone")

    def init(self, problem: Any, point: LinearPoint) -> NewtonState:
        """Evaluate the start."""
        w, b = point.weights, point.intercept
        if self.constant_start and problem.fit_intercept and not np.any(w) and b == 0.0:
            b = best_constant(problem)
        has_jumps, passes = jumps(problem.loss, float(problem.labels[0])), 1.0
        if self.sampling and not has_jumps and not np.any(w) and b == 0.0 and problem.regularizer.l2 > 0.0:
            w, b, extra = self._from_sample(problem, w, b)
            passes += extra
        scores = np.empty(problem.design.n_rows())
        start = gradient(problem, w, b, scores)
        failures = 0 if self.reuse and not has_jumps else MOST_FAILURES + 1
        return NewtonState(w, b, start, scores, None, 0.0, 0.0, 0.0, failures, passes, False)

    def step(self, problem: Any, state: NewtonState) -> NewtonState:
        """One direction and one line search."""
        p, p_b, state = self._direction(problem, state)
        passes = state.passes
        # Below this the objective cannot tell a better point: rounding of a sum of n positive terms.
        noise = 1e-15 * abs(state.gradient.objective)
        slope = _slope(state.gradient, p, p_b)
        decrement = -slope
        w, b = state.w + p, state.b + p_b
        new = gradient(problem, w, b, state.scores)
        passes += 1.0
        falls = new.objective <= state.gradient.objective + ARMIJO * slope + noise
        if not (falls and abs(_slope(new, p, p_b)) <= CURVATURE * abs(slope)) and -slope > noise:
            t = exact_step(problem, state.w, state.b, p, p_b)
            w, b = state.w + t * p, state.b + t * p_b
            new = gradient(problem, w, b, state.scores)
            passes += PASSES + 1.0
            decrement = 0.0
            falls = new.objective <= state.gradient.objective + noise
        if not falls:
            back = gradient(problem, state.w, state.b, state.scores)  # the scores belong to the point
            # With an old Hessian it is worth another try with a new one, and without any with one.
            is_old = state.hessian is not None and state.hessian.is_old()
            left = is_old or (state.hessian is None and not math.isinf(state.spent) and self.may_factor(problem.design))
            spent = state.spent if is_old else math.inf
            return state._replace(gradient=back, hessian=None, spent=spent, passes=passes + 1.0, stalled=not left)
        gained = state.gradient.objective - new.objective
        stalled = gained <= noise and _norm(new) > 0.5 * _norm(state.gradient)
        hessian = state.hessian
        if hessian is not None:
            step, change = (
                joined(problem, w - state.w, b - state.b),
                joined(problem, *_difference(new, state.gradient)),
            )
            hessian = hessian.updated(step, change)
        return state._replace(
            w=w, b=b, gradient=new, hessian=hessian, decrement=decrement, passes=passes, stalled=stalled
        )

    def point(self, state: NewtonState) -> LinearPoint:
        """The iterate; the dual point follows from it."""
        return LinearPoint(state.w, state.b)

    def progress(self, problem: Any, state: NewtonState) -> Progress:
        """The gap of the penalised part is ||grad||^2 / (2 l2)."""
        return smooth_progress(problem, state.gradient, state.w, state.b, state.passes, state.stalled)

    def _from_sample(self, problem: Any, w: Vector, b: float) -> tuple[Vector, float, float]:
        """About the answer for every few rows, and the passes that it took.

        Under a penalty as many times stronger: a sample is fitted too well, and the line is straight from there.
        """
        n, d = problem.design.n_rows(), problem.design.n_columns()
        stride = stride_of(problem, SAMPLED_ROWS, SAMPLED_ENTRIES)
        tells = stride and n / (stride * d) * n * problem.regularizer.l2 >= SAMPLED_STRENGTH
        smaller = sample_of(problem, stride, 0) if tells else None
        if smaller is None:
            return w, b, 0.0
        smaller = smaller.with_strengths(l2=stride * problem.regularizer.l2)
        state = self._replace(sampling=False).init(smaller, LinearPoint(w, b))
        for _ in range(SAMPLE_STEPS):
            if state.stalled or smooth_progress(smaller, state.gradient, state.w, state.b, 0.0, False).gap <= (
                SAMPLE_LEFT * abs(state.gradient.objective)
            ):
                break
            state = self.step(smaller, state)
        is_found = math.isfinite(state.gradient.objective)
        return (state.w, state.b, state.passes / stride) if is_found else (w, b, state.passes / stride)

    def _direction(self, problem: Any, state: NewtonState) -> tuple[Vector, float, NewtonState]:
        """A direction for weights and intercept, and the state with what it took."""
        if not (self.uses_cholesky(problem) or self.gives_up(problem.design, state.spent)):
            curvatures = to_curvatures(problem, state.scores)
            if row_gram.pays(problem, curvatures, state.gradient, state.products):
                found = row_gram.dual_direction(problem, curvatures, state.gradient)
                if found is not None:
                    return *found, state._replace(products=math.inf, passes=state.passes + 2.0)  # from now on
            p, p_b, products = newton_direction(problem, curvatures, state.gradient)
            spent, passes = state.spent + products, state.passes + products
            return p, p_b, state._replace(products=products, spent=spent, hessian=None, passes=passes)
        slope = joined(problem, state.gradient.weights, state.gradient.intercept)
        failures = state.failures
        if state.hessian is not None:
            solved = state.hessian.solve(slope)
            if failures <= MOST_FAILURES and float(slope @ solved) <= REUSE * state.decrement:
                return *_parted(problem, -solved), state
            failures += state.hessian.is_old()
        hessian = factored_hessian(problem, to_curvatures(problem, state.scores), state.gradient.intercept)
        fresh = state._replace(hessian=hessian, failures=failures, passes=state.passes + 1.0)
        return *_parted(problem, -hessian.solve(slope)), fresh

    def uses_cholesky(self, problem: Any) -> bool:
        """Whether to factor the Hessian."""
        if self.linear_solver not in LINEAR_SOLVERS:
            raise ValueError(f"linear_solver must be one of {', '.join(LINEAR_SOLVERS)}, got {self.linear_solver!r}")
        if self.linear_solver != "auto":
            return self.linear_solver == "cholesky"
        return cholesky_is_cheap(problem.design)

    def may_factor(self, design: Any) -> bool:
        """Whether the Hessian may be factored, at any cost."""
        return self.linear_solver == "auto" and hessian_fits(design)

    def gives_up(self, design: Any, spent: float) -> bool:
        """Whether conjugate gradients have taken so many passes that factoring is the better way."""
        return spent > PATIENCE * products_of_hessian(design) and self.may_factor(design)


def jumps(loss: Any, y: float) -> bool:
    """Whether the curvature is 0 or one constant, as at a squared hinge: then an old Hessian misleads."""
    curvatures = [loss.second_derivative(z, y) for z in (-4.0, -1.5, -0.3, 0.3, 1.5, 4.0)]
    most = max(curvatures)
    return all(c < 1e-6 * most or c > (1.0 - 1e-6) * most for c in curvatures)


def cholesky_is_cheap(design: Any) -> bool:
    """Forming and factoring the Hessian costs less than about thirty products with it."""
    return hessian_fits(design) and products_of_hessian(design) <= MOST_PRODUCTS


def products_of_hessian(design: Any) -> float:
    """What forming and factoring the Hessian costs, in products with it.

    As measured: a dense Hessian costs d/12 products (BLAS against a pass that waits for memory), a sparse one a third
    of the mean number of entries in a row, and the factorisation d^3/30 entries of a pass.
    """
    d, n, entries = design.n_columns(), design.n_rows(), n_entries(design)
    products = d / 12.0 if isinstance(design, Dense) else entries / n / 3.0
    return products + d**3 / (30.0 * max(1, entries))


def smooth_progress(problem: Any, at: Gradient, w: Vector, b: float, passes: float, stalled: bool) -> Progress:
    """What the gradient of a smooth problem tells for free; without l2, for minimisers of about the size of w."""
    squared, l2 = float(at.weights @ at.weights), problem.regularizer.l2
    gap = squared / (2.0 * l2) if l2 > 0.0 else math.sqrt(squared) * max(1.0, 10.0 * float(np.linalg.norm(w)))
    is_sure = l2 > 0.0 and not problem.fit_intercept
    return Progress(passes, at.objective, gap + abs(at.intercept) * max(1.0, abs(b)), stalled, is_sure=is_sure)


def _slope(at: Gradient, p: Vector, p_b: float) -> float:
    return float(at.weights @ p) + at.intercept * p_b


def _norm(at: Gradient) -> float:
    return math.hypot(float(np.linalg.norm(at.weights)), at.intercept)


def _difference(new: Gradient, old: Gradient) -> tuple[Vector, float]:
    return new.weights - old.weights, new.intercept - old.intercept


def joined(problem: Any, weights: Vector, intercept: float) -> Vector:
    """The weights and, where there is one, the intercept in one vector."""
    return np.append(weights, intercept) if problem.fit_intercept else weights


def _parted(problem: Any, x: Vector) -> tuple[Vector, float]:
    return (x[:-1], float(x[-1])) if problem.fit_intercept else (x, 0.0)
