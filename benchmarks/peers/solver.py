"""What the benchmark asks of a solver."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.objective import Objective

Setting = dict[str, float | int]


@dataclass(frozen=True)
class Solver:
    """A peer's solver for some losses, with the ladders of settings that the sweep climbs."""

    peer: str
    name: str
    losses: tuple[str, ...]
    # Each ladder runs from loose to strict: what a loose rung cannot afford, a strict one cannot either.
    ladders: tuple[tuple[Setting, ...], ...]
    prepare: Callable[[Any, np.ndarray, Objective], Any]
    fit: Callable[[Any, Setting], tuple[np.ndarray, dict]]
    representations: tuple[str, ...] = ("dense", "csr")
    most_weights: int | None = None
    # Settings that stand for a promise by themselves; always run and always repeated, by precision.
    certified: tuple[tuple[float, Setting], ...] = ()

    @property
    def label(self) -> str:
        return f"{self.peer} {self.name}"

    def refusal(self, loss: str, n_weights: int) -> str | None:
        """Why this solver is not run on such a problem; None when it is."""
        if loss not in self.losses:
            return f"no {loss} loss"
        if self.most_weights is not None and n_weights > self.most_weights:
            return f"holds a matrix of {n_weights} x {n_weights} numbers"
        return None


def tolerances(loosest: float, strictest: float, key: str = "tol", per_decade: int = 2, **fixed) -> tuple[Setting, ...]:
    """Settings from loose to strict, rounded so that 1e-3 is written 1e-3."""
    first, last = round(per_decade * np.log10(loosest)), round(per_decade * np.log10(strictest))
    values = [float(f"{10.0 ** (step / per_decade):.1e}") for step in range(first, last - 1, -1)]
    return tuple({key: value, **fixed} for value in values)


def with_threads(*ladders: tuple[Setting, ...]) -> tuple[tuple[Setting, ...], ...]:
    """Every ladder with one thread and with two.

    Neither is always best: on two idle cores two BLAS threads gained newton-cholesky a fifth and cost lbfgs a half,
    and beside another busy process they cost either three to six times. To fix the number would handicap the peer.
    """
    return tuple(tuple({**setting, "threads": n} for setting in ladder) for ladder in ladders for n in (1, 2))


def iterations(most: int, key: str = "max_iter", **fixed) -> tuple[Setting, ...]:
    """1, 2, 3, 4, 6, 8, 11, 16 ... up to `most`: for solvers whose tolerance is too coarse a rein."""
    counts = sorted({round(2 ** (step / 2)) for step in range(64) if 2 ** (step / 2) <= most})
    return tuple({key: count, **fixed} for count in counts)
