"""Newton's systems of problems with one score a row: factored, through products, or through the rows with curvature."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.passes import Gradient, hessian_products, to_curvatures
from empirisk.protocols import Vector
from empirisk.rows.protocol import Rows, RowVector
from empirisk.solvers.linear_systems import row_gram
from empirisk.solvers.linear_systems.conjugate_gradient import newton_direction
from empirisk.solvers.linear_systems.factored_hessian import FactoredHessian, factored_hessian
from empirisk.solvers.linear_systems.newton_system import newton_system, uses_cholesky
from empirisk.solvers.linear_systems.preconditioner import hessian_fits, preconditioner

MOST_PRODUCTS = 30.0  # that a Hessian may cost
PATIENCE = 3.0  # with conjugate gradients, in Hessians: where these cost more, their columns are too much alike
REUSE = 0.2  # a Hessian serves again while each step leaves at most this share of <gradient, H^-1 gradient>
MOST_FAILURES = 1  # steps with an old Hessian that did not, after which every step takes a new one


class OneScoreSystem(NamedTuple):
    """H = X^T diag(loss'') X + l2 I, factored by Cholesky where that is cheap; beyond, conjugate gradients."""

    linear_solver: str
    hessian: FactoredHessian | None  # of an earlier point
    products: float  # that the last direction by conjugate gradients took, in passes
    spent: float  # that all of them took; infinite once they have failed
    decrement: float  # <gradient, H^-1 gradient> before the last step; 0 after a line search
    failures: int  # of old Hessians

    def direction(
        self, problem: EmpiricalRisk, at: Gradient, scores: RowVector
    ) -> tuple[Vector, OneScoreSystem, float]:
        """With an old factor where that serves; the scores are overwritten where it does not."""
        failures = self.failures
        is_spent = gives_up(self.linear_solver, problem.rows, self.spent)
        if not (takes_cholesky(self.linear_solver, problem.rows) or is_spent):
            return self._by_products(problem, at, to_curvatures(problem, scores))
        if self.hessian is not None:
            solved = self.hessian.solve(at.slope)
            if failures <= MOST_FAILURES and float(at.slope @ solved) <= REUSE * self.decrement:
                return -solved, self, 0.0
            failures += self.hessian.is_old()
        hessian = factored_hessian(problem, to_curvatures(problem, scores), at.slope)
        return -hessian.solve(at.slope), self._replace(hessian=hessian, failures=failures), 1.0

    def moved(self, step: Vector, change: Vector, decrement: float) -> OneScoreSystem:
        """The factor is corrected by the pair."""
        hessian = None if self.hessian is None else self.hessian.updated(step, change)
        return self._replace(hessian=hessian, decrement=decrement)

    def failed(self, problem: EmpiricalRisk) -> OneScoreSystem | None:
        """With an old Hessian it is worth another try with a new one, and without any with one."""
        if self.hessian is not None and self.hessian.is_old():
            return self._replace(hessian=None)
        may_factor = _may_factor(self.linear_solver, problem.rows)
        if self.hessian is None and not math.isinf(self.spent) and may_factor:
            return self._replace(spent=math.inf)
        return None

    def _by_products(
        self, problem: EmpiricalRisk, at: Gradient, curvatures: RowVector
    ) -> tuple[Vector, OneScoreSystem, float]:
        if row_gram.pays(problem, curvatures, at, self.products):
            found = row_gram.dual_direction(problem, curvatures, at)
            if found is not None:
                return found, self._replace(products=math.inf), 2.0  # from now on
        p, passes = direction_by_products(problem, curvatures, at.slope)
        return p, self._replace(products=passes, spent=self.spent + passes, hessian=None), passes


@newton_system.register
def _(problem: EmpiricalRisk, linear_solver: str, reuse: bool) -> OneScoreSystem:
    reuses = reuse and not jumps(problem)
    return OneScoreSystem(linear_solver, None, 0.0, 0.0, 0.0, 0 if reuses else MOST_FAILURES + 1)


def direction_by_products(problem: EmpiricalRisk, curvatures: RowVector, slope: Vector) -> tuple[Vector, float]:
    """An approximate solution of H p = -slope by conjugate gradients, and the passes it took."""
    products = hessian_products(problem, curvatures)
    p, count = newton_direction(products, slope, preconditioner(problem, curvatures))
    return p, 1.0 + count * products.active_share


def takes_cholesky(linear_solver: str, rows: Rows) -> bool:
    """Whether to factor the Hessian."""
    return uses_cholesky(linear_solver, cholesky_is_cheap(rows))


def gives_up(linear_solver: str, rows: Rows, spent: float) -> bool:
    """Whether conjugate gradients have taken so many passes that factoring is the better way."""
    return spent > PATIENCE * products_of_hessian(rows) and _may_factor(linear_solver, rows)


def _may_factor(linear_solver: str, rows: Rows) -> bool:
    """Whether the Hessian may be factored, at any cost."""
    return linear_solver == "auto" and hessian_fits(rows)


def cholesky_is_cheap(rows: Rows) -> bool:
    """Forming and factoring the Hessian costs less than about thirty products with it."""
    return hessian_fits(rows) and products_of_hessian(rows) <= MOST_PRODUCTS


def products_of_hessian(rows: Rows) -> float:
    """What forming and factoring the Hessian costs, in products with it.

    As measured: a dense Hessian costs d/12 products (BLAS against a pass that waits for memory), a sparse one a third
    of the mean number of entries in a row, and the factorisation d^3/30 entries of a pass.
    """
    d, n, entries = rows.n_columns, rows.n_rows, rows.n_entries
    products = entries / n / 3.0 if rows.is_sparse else d / 12.0
    return products + d**3 / (30.0 * max(1, entries))


def jumps(problem: EmpiricalRisk) -> bool:
    """Whether the curvature is 0 or one constant, as at a squared hinge: then an old Hessian misleads."""
    y = float(problem.rows.pick(problem.labels, np.zeros(1, dtype=np.int64))[0])
    curvatures = [problem.loss.second_derivative(z, y) for z in (-4.0, -1.5, -0.3, 0.3, 1.5, 4.0)]
    most = max(curvatures)
    return all(c < 1e-6 * most or c > (1.0 - 1e-6) * most for c in curvatures)
