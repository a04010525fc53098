"""solver="auto": which solver, and why, in one sentence."""

from __future__ import annotations

from typing import Any

from empirisk.protocols import Unsupported, has_kinks, missing, name_of, offers
from empirisk.solvers import LBFGS, SDCA, SOLVERS, Newton, ProximalNewton, as_solver, cholesky_is_cheap


def choose(problem: Any, solver: Any = "auto", seed: int | None = None) -> tuple[Any, str]:
    """The solver to run on this problem and the reason; raises Unsupported with what would work.

    `seed` is for solvers that sample; a solver object brings its own.
    """
    if isinstance(solver, str) and solver == "auto":
        chosen, reason = _automatic(problem)
        return _seeded(chosen, seed), reason
    chosen = _seeded(as_solver(solver), seed) if isinstance(solver, str) else as_solver(solver)
    lacking = missing(chosen, problem)
    if lacking:
        raise Unsupported(f"solver {name_of(chosen)!r} {'; '.join(lacking)}. {_alternatives(problem)}")
    return chosen, f"{name_of(chosen)}: as asked."


def _seeded(solver: Any, seed: int | None) -> Any:
    return solver if seed is None or "seed" not in solver._fields else solver._replace(seed=seed)


def _automatic(problem: Any) -> tuple[Any, str]:
    n, d = problem.design.n_rows(), problem.design.n_columns()
    if problem.regularizer.l1 > 0.0 and not missing(SDCA(), problem):
        return SDCA(), "sdca: l1 > 0 needs a method that handles the kink of the penalty."
    if has_kinks(problem.loss) and cholesky_is_cheap(problem.design) and not missing(ProximalNewton(), problem):
        said = (
            f"proximal_newton: the loss {name_of(problem.loss)} has a kink, and {d} columns are few enough to factor."
        )
        return ProximalNewton(), said
    if has_kinks(problem.loss) and not missing(SDCA(), problem):
        return SDCA(), f"sdca: the loss {name_of(problem.loss)} has a kink, and its dual steps are in closed form."
    if not missing(Newton(), problem):
        if cholesky_is_cheap(problem.design):
            return Newton(), f"newton: the loss is smooth and a Hessian of {d} columns is cheap to factor."
        return Newton(), f"newton: the loss is smooth; {n} x {d} is too wide to factor, so by conjugate gradients."
    if not missing(LBFGS(), problem):
        return LBFGS(), "lbfgs: the loss is smooth but declares no second derivative."
    raise Unsupported(f"no solver can minimise this problem. {_alternatives(problem)}")


def _alternatives(problem: Any) -> str:
    able = [name for name, cls in SOLVERS.items() if not missing(cls(), problem)]
    if able:
        return "Solvers that can: " + ", ".join(able) + "."
    if not problem.regularizer.l2 > 0.0:
        return "Every solver here needs l2 > 0; a small one such as 1e-8 changes little."
    if not offers(problem.loss, "derivative"):
        return f"The loss {name_of(problem.loss)!r} is for evaluation only; fit with logistic, hinge or squared_hinge."
    lacking = "; ".join(f"{name} {', '.join(missing(cls(), problem))}" for name, cls in SOLVERS.items())
    return f"{lacking}."
