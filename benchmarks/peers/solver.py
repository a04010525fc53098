"""What the benchmark asks of a solver."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.objective import Objective

Setting = dict[str, float | int]
Ladder = tuple[Setting, ...]

# Of BLAS and OpenMP. Neither is always best: on two idle cores two gained newton-cholesky a fifth, cost lbfgs a half,
# and beside another busy process they cost either three to six times. To fix the number would handicap the peer.
ONE_OR_TWO_THREADS: tuple[Setting, ...] = ({"threads": 1}, {"threads": 2})


@dataclass(frozen=True)
class Solver:
    """A peer's solver for some kinds of objectives (`Objective.kind`), with the ladders of settings to search."""

    peer: str
    name: str
    kinds: tuple[str, ...]
    # Each ladder runs from loose to strict: what a loose rung cannot afford, a strict one cannot either.
    ladders: tuple[Ladder, ...]
    prepare: Callable[[Any, np.ndarray, Objective], Any]
    fit: Callable[[Any, Setting], tuple[np.ndarray, dict]]
    representations: tuple[str, ...] = ("dense", "csr")
    most_weights: int | None = None
    # Laid over the rungs: the first everywhere, the others at the rungs that won. No "threads": one.
    variants: tuple[Setting, ...] = ({},)
    # Settings that stand for a promise by themselves; always run and always repeated, by precision.
    certified: tuple[tuple[float, Setting], ...] = ()
    # A setting of its first call where that compiles for many seconds, which are not charged to it; a loose rung would
    # stop before it has met all of its code.
    compiling: Setting | None = None

    @property
    def label(self) -> str:
        return f"{self.peer} {self.name}"

    def refusal(self, objective: Objective, n_weights: int) -> str | None:
        """Why this solver is not run on such a problem; None when it is."""
        if objective.kind not in self.kinds:
            return f"not for {objective.kind}"
        if self.most_weights is not None and n_weights > self.most_weights:
            return f"holds a matrix of {n_weights} x {n_weights} numbers"
        return None


def tolerances(loosest: float, strictest: float, key: str = "tol", per_decade: int = 2, **fixed) -> Ladder:
    """Settings from loose to strict, rounded so that 1e-3 is written 1e-3."""
    first, last = round(per_decade * np.log10(loosest)), round(per_decade * np.log10(strictest))
    values = [float(f"{10.0 ** (step / per_decade):.1e}") for step in range(first, last - 1, -1)]
    return tuple({key: value, **fixed} for value in values)


def iterations(most: int, key: str = "max_iter", **fixed) -> Ladder:
    """1, 2, 3, 4, 6, 8, 11, 16 ... up to `most`: for solvers whose tolerance is too coarse a rein."""
    counts = sorted({round(2 ** (step / 2)) for step in range(64) if 2 ** (step / 2) <= most})
    return tuple({key: count, **fixed} for count in counts)


def without_threads(setting: Setting) -> Setting:
    return {key: value for key, value in setting.items() if key != "threads"}
