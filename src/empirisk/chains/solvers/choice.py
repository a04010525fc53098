"""Which solver runs on a problem on chains, and why."""

from __future__ import annotations

from typing import Any

from empirisk.capabilities import name_of
from empirisk.chains.losses import Likelihood
from empirisk.chains.risk import ChainRisk
from empirisk.chains.solvers.block_frank_wolfe import BlockFrankWolfe
from empirisk.chains.solvers.cutting_planes import CuttingPlanes
from empirisk.chains.solvers.lbfgs import ChainLBFGS
from empirisk.chains.solvers.orthant_lbfgs import OrthantLBFGS
from empirisk.chains.solvers.subgradient import ChainSubgradient
from empirisk.protocols import Solver, Unsupported

SOLVERS: dict[str, type[Any]] = {
    "lbfgs": ChainLBFGS,
    "orthant_lbfgs": OrthantLBFGS,
    "block_frank_wolfe": BlockFrankWolfe,
    "cutting_planes": CuttingPlanes,
    "subgradient": ChainSubgradient,
}
FOR_MARGINS = ("block_frank_wolfe", "cutting_planes", "subgradient")


def chosen(problem: ChainRisk, solver: str | Solver, seed: int | None) -> tuple[Solver, str]:
    """The solver for a name, an object or "auto"; Unsupported with those that can."""
    names = able(problem)
    if not isinstance(solver, str):
        if type(solver) not in SOLVERS.values():
            raise Unsupported(f"{name_of(solver)} is for other problems; on chains there are {', '.join(names)}")
        name = next(name for name, cls in SOLVERS.items() if cls is type(solver))
        if name not in names:
            raise Unsupported(_refusal(problem, name, names))
        return solver, f"{name}: as asked."
    if solver == "auto":
        return _made(names[0], seed), f"{names[0]}: {REASONS[names[0]]}"
    if solver not in names:
        raise Unsupported(_refusal(problem, solver, names))
    return _made(solver, seed), f"{solver}: as asked."


def _made(name: str, seed: int | None) -> Solver:
    cls = SOLVERS[name]
    made: Solver = cls(seed=seed) if seed is not None and "seed" in cls._fields else cls()
    return made


REASONS = {
    "lbfgs": "the likelihood is smooth, and its gap is free with every gradient.",
    "orthant_lbfgs": "the likelihood is smooth but for l1, which keeps a step in one orthant.",
    "block_frank_wolfe": "margins have a dual of one small block a sequence, and its labelings are the proof.",
}


def able(problem: ChainRisk) -> tuple[str, ...]:
    """The solvers of this problem, the best one first."""
    if isinstance(problem.loss, Likelihood):
        return ("orthant_lbfgs",) if problem.regularizer.l1 > 0.0 else ("lbfgs", "orthant_lbfgs")
    return FOR_MARGINS


def _refusal(problem: ChainRisk, name: str, names: tuple[str, ...]) -> str:
    if name not in SOLVERS:
        return f"there is no solver {name!r} on chains; for the {problem.loss.name} there are {', '.join(names)}"
    return f"{name} does not minimise the {problem.loss.name} under this penalty; {', '.join(names)} can"
