"""Newton's linear systems: factors, conjugate gradients, and what preconditions them."""

from empirisk.solvers.linear_systems import multiclass_system, one_score_system  # they register with `newton_system`

__all__ = ["multiclass_system", "one_score_system"]
