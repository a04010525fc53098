"""Which solver runs on a problem: the problem's own choice, or the one that is registered for the problem's type.

A chapter registers its problems: `@choose.register`, with the type of the first argument as the annotation.
"""

from __future__ import annotations

import functools

from empirisk.capabilities import optional
from empirisk.protocols import Problem, Solver


@functools.singledispatch
def choose(problem: Problem, solver: str | Solver = "auto", seed: int | None = None) -> tuple[Solver, str]:
    """The solver to run on this problem and the reason; raises Unsupported with what would work.

    `seed` is for solvers that sample; a solver object brings its own.
    """
    own = optional(problem, "choose")
    if own is None:
        raise TypeError(f"{type(problem).__name__} is no problem to minimise: it has no method choose(solver, seed)")
    chosen, reason = own(solver, seed)
    return chosen, str(reason)
