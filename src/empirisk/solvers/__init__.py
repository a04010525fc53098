"""Solvers, a file each; `SOLVERS` is their registry."""

from __future__ import annotations

from typing import Any

from empirisk.capabilities import by_name, offers
from empirisk.other_packages import SOLVERS as OTHERS
from empirisk.other_packages import as_here
from empirisk.protocols import Solver
from empirisk.solvers.accelerated_sdca import AcceleratedSDCA
from empirisk.solvers.adagrad import Adagrad
from empirisk.solvers.composite_newton import CompositeNewton
from empirisk.solvers.coordinate_descent import CoordinateDescent
from empirisk.solvers.dual_newton import DualNewton
from empirisk.solvers.fista import FISTA
from empirisk.solvers.frank_wolfe import FrankWolfe
from empirisk.solvers.gradient_descent import GradientDescent
from empirisk.solvers.lbfgs import LBFGS
from empirisk.solvers.linear_program import LinearProgram
from empirisk.solvers.linear_systems.one_score_system import cholesky_is_cheap
from empirisk.solvers.newton import Newton
from empirisk.solvers.normal_equations import NormalEquations
from empirisk.solvers.projected_gradient import ProjectedGradient
from empirisk.solvers.projected_subgradient import ProjectedSubgradient
from empirisk.solvers.proximal_newton import ProximalNewton
from empirisk.solvers.saga import SAGA
from empirisk.solvers.sdca import SDCA
from empirisk.solvers.sgd import SGD
from empirisk.solvers.smoothed_fista import SmoothedFISTA
from empirisk.solvers.smoothed_newton import SmoothedNewton
from empirisk.solvers.svrg import SVRG

__all__ = [
    "FISTA",
    "LBFGS",
    "SAGA",
    "SDCA",
    "SGD",
    "SOLVERS",
    "SVRG",
    "AcceleratedSDCA",
    "Adagrad",
    "CompositeNewton",
    "CoordinateDescent",
    "DualNewton",
    "FrankWolfe",
    "GradientDescent",
    "LinearProgram",
    "Newton",
    "NormalEquations",
    "ProjectedGradient",
    "ProjectedSubgradient",
    "ProximalNewton",
    "SmoothedFISTA",
    "SmoothedNewton",
    "as_solver",
    "cholesky_is_cheap",
]

SOLVERS: dict[str, type[Solver]] = by_name(
    Newton,
    DualNewton,
    ProximalNewton,
    NormalEquations,
    LBFGS,
    SDCA,
    AcceleratedSDCA,
    CoordinateDescent,
    CompositeNewton,
    SmoothedNewton,
    FISTA,
    SmoothedFISTA,
    LinearProgram,
    GradientDescent,
    ProjectedGradient,
    FrankWolfe,
    ProjectedSubgradient,
    SGD,
    Adagrad,
    SVRG,
    SAGA,
)


def as_solver(spec: Any) -> Solver:
    """A solver object from its name or itself, which may be a user's own."""
    if isinstance(spec, str) and spec in SOLVERS:
        return SOLVERS[spec]()
    if not isinstance(spec, type) and all(offers(spec, method) for method in ("init", "step", "point", "progress")):
        return spec
    names = ", ".join(repr(name) for name in ("auto", *SOLVERS))
    kind = ValueError if isinstance(spec, str) else TypeError
    hint = as_here(spec, OTHERS) if isinstance(spec, str) else ""
    raise kind(f"solver must be one of {names} or a solver object such as Newton(), got {spec!r}{hint}")
