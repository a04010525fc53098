"""empirisk: empirical risk minimization with a proof."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Public name -> module. Loaded on first use: `import empirisk` is quick and loads no heavy library.
_HOMES = {
    "EmpiricalRisk": "empirisk.problems.empirical_risk",
    "minimize": "empirisk.driver",
    "Solution": "empirisk.solution",
    "Status": "empirisk.solution",
    "Trace": "empirisk.solution",
    "Logistic": "empirisk.losses",
    "SquaredHinge": "empirisk.losses",
    "Hinge": "empirisk.losses",
    "Squared": "empirisk.losses",
    "ZeroOne": "empirisk.losses",
    "ElasticNet": "empirisk.regularizers",
    "Newton": "empirisk.solvers",
    "ProximalNewton": "empirisk.solvers",
    "LBFGS": "empirisk.solvers",
    "SDCA": "empirisk.solvers",
    "DualityGap": "empirisk.certificates",
    "LinearClassifier": "empirisk.estimators",
    "LinearRegressor": "empirisk.estimators",
    "verify": "empirisk.models",
    "save": "empirisk.model_file",
    "load": "empirisk.model_file",
}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'empirisk' has no attribute {name!r}")
    found = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return list(__all__)
