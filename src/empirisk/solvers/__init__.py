"""Solvers, a file each; `SOLVERS` is their registry."""

from __future__ import annotations

from typing import Any

from empirisk.protocols import name_of
from empirisk.solvers.fista import FISTA
from empirisk.solvers.gradient_descent import GradientDescent
from empirisk.solvers.lbfgs import LBFGS
from empirisk.solvers.linear_program import LinearProgram
from empirisk.solvers.newton import Newton, cholesky_is_cheap
from empirisk.solvers.projected_gradient import ProjectedGradient
from empirisk.solvers.proximal_newton import ProximalNewton
from empirisk.solvers.sdca import SDCA
from empirisk.solvers.sgd import SGD
from empirisk.solvers.smoothed_fista import SmoothedFISTA

__all__ = [
    "FISTA",
    "LBFGS",
    "SDCA",
    "SGD",
    "SOLVERS",
    "GradientDescent",
    "LinearProgram",
    "Newton",
    "ProjectedGradient",
    "ProximalNewton",
    "SmoothedFISTA",
    "as_solver",
    "cholesky_is_cheap",
]

SOLVERS: dict[str, Any] = {
    name_of(cls): cls
    for cls in (
        Newton,
        ProximalNewton,
        LBFGS,
        SDCA,
        FISTA,
        SmoothedFISTA,
        LinearProgram,
        GradientDescent,
        ProjectedGradient,
        SGD,
    )
}


def as_solver(spec: Any) -> Any:
    """A solver object from its name or itself."""
    if isinstance(spec, str) and spec in SOLVERS:
        return SOLVERS[spec]()
    if isinstance(spec, tuple(SOLVERS.values())):
        return spec
    names = ", ".join(repr(name) for name in ("auto", *SOLVERS))
    kind = ValueError if isinstance(spec, str) else TypeError
    raise kind(f"solver must be one of {names} or a solver object such as Newton(), got {spec!r}")
