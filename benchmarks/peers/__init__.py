"""One file a peer and task: what it can solve, its settings from loose to strict, and how its fit is called.

A solver belongs by two functions: `prepare(X, y, objective)` builds what its fit takes (not timed) and
`fit(prepared, setting)` returns the point (`objective.py`) and a dictionary of remarks (timed).
"""

import importlib
from importlib import metadata

from benchmarks.peers.solver import Solver

# Our own solver stands in the list like any other; only the tables treat it apart.
OURS = "empirisk"
PEERS: dict[str, tuple[str, ...]] = {
    OURS: ("ours",),
    "liblinear-official": ("liblinear_official",),
    "scikit-learn": ("scikit_learn", "scikit_learn_regression"),
    "celer": ("celer_solvers",),
    "skglm": ("skglm_solvers",),
    "cyanure": ("cyanure_solvers",),
    "snapml": ("snapml_solvers",),
    "lightning": ("lightning_solvers",),
    "statsmodels": ("statsmodels_quantiles",),
    "HiGHS": ("highs",),
}
# Where the package is not called as the peer is; HiGHS is the one inside scipy.
PACKAGES = {"lightning": "sklearn-contrib-lightning", "HiGHS": "scipy"}


def available() -> tuple[dict[str, Solver], dict[str, str]]:
    """The solvers that can run here, by label, and for every peer that cannot, the reason."""
    solvers: dict[str, Solver] = {}
    missing: dict[str, str] = {}
    for peer in PEERS:
        try:
            solvers |= solvers_of(peer)
        except Exception as error:  # a peer may fail to import in any way; the reason goes into the result
            missing[peer] = f"{type(error).__name__}: {error}"
    return solvers, missing


def solvers_of(peer: str) -> dict[str, Solver]:
    """The solvers of one peer by label; nothing but this peer is imported."""
    offered = [solver for module in PEERS[peer] for solver in importlib.import_module(f"{__name__}.{module}").solvers()]
    return {solver.label: solver for solver in offered}


def versions() -> dict[str, str]:
    packages = [PACKAGES.get(peer, peer) for peer in PEERS]
    return {name: installed_version(name) for name in dict.fromkeys([*packages, "numpy", "scipy", "numba"])}


def installed_version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
