"""Linear programs by HiGHS, which end: numbers of very different size can send it in circles for ever."""

from __future__ import annotations

from typing import Any

import scipy.optimize

from empirisk.protocols import Vector

INTERIOR_ITERATIONS = 400  # ten times what programs with a good end take
SIMPLEX_ITERATIONS, SIMPLEX_PER_NUMBER = 20_000, 50  # in any case, and for each variable and condition


def solve_linear_program(costs: Vector, *, method: str, options: dict[str, Any] | None = None, **program: Any) -> Any:
    """What `scipy.optimize.linprog` finds within a number of steps that the size of the program sets.

    A limit in seconds would let two runs of the same data differ. At the limit the status is 1.
    """
    conditions = sum(len(program[name]) for name in ("b_ub", "b_eq") if program.get(name) is not None)
    by_simplex = SIMPLEX_ITERATIONS + SIMPLEX_PER_NUMBER * (len(costs) + conditions)
    most = INTERIOR_ITERATIONS if method == "highs-ipm" else by_simplex
    return scipy.optimize.linprog(costs, method=method, options={"maxiter": most, **(options or {})}, **program)
