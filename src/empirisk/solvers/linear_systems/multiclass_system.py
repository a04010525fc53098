"""Newton's systems of problems with many classes: the whole Hessian factored, or conjugate gradients."""

from __future__ import annotations

from typing import NamedTuple

from empirisk.problems.multiclass_risk import MulticlassRisk
from empirisk.problems.passes import Gradient, hessian_products, to_curvatures
from empirisk.protocols import Matrix
from empirisk.solvers.linear_systems.conjugate_gradient import Preconditioner, newton_direction
from empirisk.solvers.linear_systems.multiclass_hessian import whole_direction, whole_is_cheap
from empirisk.solvers.linear_systems.multiclass_preconditioner import preconditioner
from empirisk.solvers.linear_systems.newton_system import newton_system, uses_cholesky

STALE = 10  # products that a system may take before its preconditioner is built again


class MulticlassSystem(NamedTuple):
    """The Hessian of all classes together; its preconditioner serves for several systems."""

    linear_solver: str
    precondition: Preconditioner | None = None  # of the last system solved by conjugate gradients
    products: int = 0  # that it took

    def direction(
        self, problem: MulticlassRisk, at: Gradient, scores: Matrix
    ) -> tuple[Matrix, MulticlassSystem, float]:
        """The scores are overwritten."""
        precondition, passes = self.precondition, 0.0
        curvatures = to_curvatures(problem, scores)
        if uses_cholesky(self.linear_solver, whole_is_cheap(problem)):
            return whole_direction(problem, curvatures, at.slope), self, 1.0
        if precondition is None or self.products > STALE:
            precondition, passes = preconditioner(problem, curvatures), 1.0
        p, products = newton_direction(hessian_products(problem, curvatures), at.slope, precondition)
        return p, self._replace(precondition=precondition, products=products), passes + products

    def moved(self, step: Matrix, change: Matrix, decrement: float) -> MulticlassSystem:
        """Nothing is kept of the pair."""
        return self

    def failed(self, problem: MulticlassRisk) -> None:
        """Nothing is left to try."""


@newton_system.register
def _(problem: MulticlassRisk, linear_solver: str, reuse: bool) -> MulticlassSystem:
    return MulticlassSystem(linear_solver)
