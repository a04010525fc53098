"""What was asked of a model of sequences."""

from __future__ import annotations

from typing import Any, NamedTuple

from empirisk.parameters import (
    check_boolean,
    check_choice,
    check_count,
    check_positive,
    check_seed,
    check_time_limit,
)
from empirisk.regularizers import strength

LOSSES = ("likelihood", "margin", "perceptron", "generative")
STATES, TRANSITIONS, ORDERS = ("observed", "all"), ("all", "observed"), ("cyclic", "random")
CONVEX = ("likelihood", "margin")
USUAL_PASSES, PERCEPTRON_PASSES = 1000, 10


class ChainOptions(NamedTuple):
    """As users give them, with their defaults."""

    loss: str = "likelihood"
    cost: Any = "hamming"  # of the margin: a name or a matrix
    l1: float = 0.0
    l2: float = 1e-4
    templates: Any = None
    min_count: int = 1
    hash_bits: int | None = None
    states: str = "observed"  # pairs of attribute and label that have a weight
    transitions: str = "all"  # pairs of labels that have a weight
    ends: bool = True  # weights of the first and the last label
    scheme: str | None = None
    solver: Any = "auto"
    tol: float = 1e-3
    max_passes: float | None = None  # 1000; of the perceptron 10
    average: bool = True  # of the perceptron
    order: str = "cyclic"  # of the perceptron
    seed: int = 0
    n_threads: int | None = None
    time_limit: float | None = None
    smoothing: float = 1.0  # of frequencies

    def checked(self) -> ChainOptions:
        """The same with numbers of one kind; ValueError or TypeError with one sentence."""
        check_choice("loss", self.loss, LOSSES)
        check_choice("states", self.states, STATES)
        check_choice("transitions", self.transitions, TRANSITIONS)
        check_choice("order", self.order, ORDERS)
        if self.n_threads is not None:
            check_count("n_threads", self.n_threads)
        check_time_limit(self.time_limit)
        if self.max_passes is not None:
            check_positive("max_passes", self.max_passes)
        return self._replace(
            l1=strength("l1", self.l1),
            l2=strength("l2", self.l2),
            min_count=check_count("min_count", self.min_count),
            ends=check_boolean("ends", self.ends),
            average=check_boolean("average", self.average),
            tol=check_positive("tol", self.tol),
            seed=check_seed(self.seed),
            smoothing=check_positive("smoothing", self.smoothing, allows_zero=True),
        )

    @property
    def is_convex(self) -> bool:
        """Whether a P is minimised."""
        return self.loss in CONVEX

    @property
    def passes(self) -> float:
        """The most passes."""
        if self.max_passes is not None:
            return self.max_passes
        return PERCEPTRON_PASSES if self.loss == "perceptron" else USUAL_PASSES
