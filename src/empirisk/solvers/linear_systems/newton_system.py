"""Newton's systems H p = -gradient: how a problem solves them, and what it keeps from one to the next."""

from __future__ import annotations

import functools
from typing import Any, Protocol

from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.passes import Gradient
from empirisk.protocols import Array

LINEAR_SOLVERS = ("auto", "cholesky", "conjugate_gradient")


class NewtonSystem(Protocol):
    """Where the solution of the systems stands: a factor or a preconditioner of an earlier one, and what they took."""

    def direction(self, problem: Any, at: Gradient, scores: Array) -> tuple[Array, NewtonSystem, float]:
        """A solution at the gradient, the system afterwards, and the passes it took; may overwrite the scores."""

    def moved(self, step: Array, change: Array, decrement: float) -> NewtonSystem:
        """After a step and the change of the gradient that came of it.

        `decrement` is <gradient, H^-1 gradient> before; 0 where the step is not the whole direction.
        """

    def failed(self, problem: Any) -> NewtonSystem | None:
        """What to try next where the direction leads nowhere; None where nothing is left."""


@functools.singledispatch
def newton_system(problem: LinearRisk, linear_solver: str, reuse: bool) -> NewtonSystem:
    """That of a problem, at its start; `reuse` of a Hessian for several steps is for one score a row."""
    raise TypeError(f"{type(problem).__name__} has no Hessian: it is not the risk of a linear predictor")


def uses_cholesky(linear_solver: str, is_cheap: bool) -> bool:
    """Whether to factor the Hessian, which "auto" does where that is cheap."""
    if linear_solver not in LINEAR_SOLVERS:
        raise ValueError(f"linear_solver must be one of {', '.join(LINEAR_SOLVERS)}, got {linear_solver!r}")
    return linear_solver == "cholesky" or (linear_solver == "auto" and is_cheap)
