"""One file a peer: what it can solve, its settings from loose to strict, and how its fit is called.

A solver belongs by two functions: `prepare(X, y, l2, loss)` builds what its fit takes (not timed) and
`fit(prepared, setting)` returns the weights and a dictionary of remarks (timed).
"""

import importlib
from importlib import metadata

from benchmarks.peers.solver import Solver

# Our own solver stands in the list like any other; only the tables treat it apart.
OURS = "empirisk"
MODULES = {
    OURS: "benchmarks.peers.ours",
    "scikit-learn": "benchmarks.peers.scikit_learn",
    "liblinear-official": "benchmarks.peers.liblinear_official",
    "cyanure": "benchmarks.peers.cyanure_solvers",
}


def available() -> tuple[dict[str, Solver], dict[str, str]]:
    """The solvers that can run here, by label, and for every peer that cannot, the reason."""
    solvers: dict[str, Solver] = {}
    missing: dict[str, str] = {}
    for peer, module in MODULES.items():
        try:
            offered = importlib.import_module(module).solvers()
        except Exception as error:  # a peer may fail to import in any way; the reason goes into the result
            missing[peer] = f"{type(error).__name__}: {error}"
            continue
        solvers |= {solver.label: solver for solver in offered}
    return solvers, missing


def versions() -> dict[str, str]:
    names = [*MODULES, "numpy", "scipy", "numba"]
    return {name: installed_version(name) for name in names}


def installed_version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
