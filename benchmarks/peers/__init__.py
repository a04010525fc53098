"""One file a peer and task: what it can solve, its settings from loose to strict, and how its fit is called.

A solver belongs by two functions: `prepare(X, y, objective)` builds what its fit takes (not timed) and
`fit(prepared, setting)` returns the point (`objective.py`) and a dictionary of remarks (timed).
"""

import importlib
from importlib import metadata

from benchmarks.peers.solver import Solver

# Our own solver stands in the list like any other; only the tables treat it apart.
OURS = "empirisk"
MODULES = {
    "benchmarks.peers.ours": OURS,
    "benchmarks.peers.scikit_learn": "scikit-learn",
    "benchmarks.peers.scikit_learn_regression": "scikit-learn",
    "benchmarks.peers.liblinear_official": "liblinear-official",
    "benchmarks.peers.cyanure_solvers": "cyanure",
    "benchmarks.peers.statsmodels_quantiles": "statsmodels",
    "benchmarks.peers.highs": "HiGHS",
}


def available() -> tuple[dict[str, Solver], dict[str, str]]:
    """The solvers that can run here, by label, and for every peer that cannot, the reason."""
    solvers: dict[str, Solver] = {}
    missing: dict[str, str] = {}
    for module, peer in MODULES.items():
        try:
            offered = importlib.import_module(module).solvers()
        except Exception as error:  # a peer may fail to import in any way; the reason goes into the result
            missing[peer] = f"{type(error).__name__}: {error}"
            continue
        solvers |= {solver.label: solver for solver in offered}
    return solvers, missing


def versions() -> dict[str, str]:
    # HiGHS is the one inside scipy.
    packages = [peer for peer in dict.fromkeys(MODULES.values()) if peer != "HiGHS"]
    return {name: installed_version(name) for name in [*packages, "numpy", "scipy", "numba"]}


def installed_version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
