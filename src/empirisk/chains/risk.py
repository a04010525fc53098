"""The problem on chains: the mean loss of labelings, and a penalty of the weights."""

from __future__ import annotations

import functools
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from empirisk.chains.chain_data import ChainData
from empirisk.chains.labelings import Labelings, checked_labelings
from empirisk.chains.losses import Likelihood, Margin, as_chain_loss
from empirisk.chains.passes import Passes
from empirisk.chains.point import ChainPoint
from empirisk.parameters import check_count
from empirisk.protocols import OptimalityCertificate, Solver, Unsupported, Vector
from empirisk.regularizers import ElasticNet, strength
from empirisk.rows.threads import available_threads


class ChainRisk:
    """P(u) = (1/S) sum_j w_j loss_j(u) + l1 ||u||_1 + l2/2 ||u||^2, an average over sequences.

    `data` is what `er.chain_data` gives, `loss` "likelihood" or "margin", the latter with a `cost`. There is no free
    intercept: a bias is an attribute, and is penalised. It never changes; `with_...` give another.
    """

    data: ChainData
    loss: Likelihood | Margin
    regularizer: ElasticNet
    passes: Passes

    def __init__(
        self,
        data: ChainData,
        loss: str | Likelihood | Margin = "likelihood",
        l1: float = 0.0,
        l2: float = 1e-4,
        n_threads: int | None = None,
        *,
        cost: Any = "hamming",
    ) -> None:
        if not isinstance(data, ChainData):
            raise TypeError(f"data must be what er.chain_data(X, y) gives, got {type(data).__name__}")
        loss = as_chain_loss(loss, cost, data.n_labels)
        penalty = ElasticNet(strength("l1", l1), strength("l2", l2))
        refuse(loss, penalty)
        threads = available_threads() if n_threads is None else check_count("n_threads", n_threads)
        self.data, self.loss, self.regularizer, self.passes = data, loss, penalty, Passes(data, threads)

    def _with(self, **fields: Any) -> Self:
        other = object.__new__(type(self))
        vars(other).update({**vars(self), **fields})
        return other

    @property
    def n_threads(self) -> int:
        """How many threads its passes use."""
        return self.passes.n_threads

    def with_threads(self, n_threads: int) -> Self:
        """The same problem, on so many threads."""
        return self._with(passes=self.passes.with_threads(check_count("n_threads", n_threads)))

    def with_strengths(self, l1: float | None = None, l2: float | None = None) -> Self:
        """The same data and loss under other strengths; None keeps one."""
        old = self.regularizer
        penalty = ElasticNet(old.l1 if l1 is None else strength("l1", l1), old.l2 if l2 is None else strength("l2", l2))
        refuse(self.loss, penalty)
        return self._with(regularizer=penalty)

    def description(self) -> str:
        """What it is, in a few words."""
        data, penalty = self.data, self.regularizer
        said = f"{self.loss.name} of {data.n_sequences} sequences, {data.n_labels} labels, {data.layout.size} weights"
        return f"{said}, l1={penalty.l1:g}, l2={penalty.l2:g}"

    def __repr__(self) -> str:
        return f"ChainRisk({self.description()})"

    def zero(self) -> ChainPoint:
        """All weights zero."""
        return ChainPoint(np.zeros(self.data.layout.size))

    def start(self, given: Any) -> ChainPoint:
        """A point, with its labelings where they are some of these sequences, or a vector of weights."""
        evidence = None
        if isinstance(given, ChainPoint):
            if isinstance(given.evidence, Labelings) and isinstance(self.loss, Margin):
                evidence = checked_labelings(self.data, given.evidence)
            given = given.weights
        try:
            u = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            u = np.empty(0)
        size = self.data.layout.size
        if u.shape != (size,) or not bool(np.all(np.isfinite(u))):
            raise ValueError(f"start must be a vector of {size} finite weights, got {given!r:.100}")
        self.data.layout.mask(u)
        return ChainPoint(u, evidence)

    def certify(self, point: ChainPoint, tol: float) -> OptimalityCertificate:
        """The duality gap at the point."""
        from empirisk.chains.gap.chain_gap import chain_gap

        return chain_gap(self, point)

    def choose(self, solver: str | Solver, seed: int | None) -> tuple[Solver, str]:
        """The solver for a name, an object or "auto"."""
        from empirisk.chains.solvers.choice import chosen

        return chosen(self, solver, seed)

    @functools.cached_property
    def shares(self) -> NDArray[np.float64]:
        """w_j / S."""
        return self.data.shares()

    def penalty(self, u: Vector) -> float:
        """l1 ||u||_1 + l2/2 ||u||^2."""
        l1, l2 = self.regularizer
        said = 0.5 * l2 * float(np.vdot(u, u)) if l2 else 0.0
        return said + (l1 * float(np.sum(np.abs(u))) if l1 else 0.0)


def refuse(loss: Likelihood | Margin, penalty: ElasticNet) -> None:
    """Refuse the pairs that nothing here can certify, with what works."""
    if isinstance(loss, Margin) and (penalty.l1 > 0.0 or not penalty.l2 > 0.0):
        raise Unsupported(
            f"margins are minimised under l1 = 0 and l2 > 0, got l1={penalty.l1:g} and l2={penalty.l2:g}; "
            "the likelihood takes l1 too"
        )
    if isinstance(loss, Likelihood) and penalty.l1 == 0.0 and penalty.l2 == 0.0:
        raise Unsupported("the likelihood needs l1 > 0 or l2 > 0: without a penalty it need not have a minimum")


def margin_of(problem: ChainRisk) -> Margin:
    """The loss of a problem whose solver is for margins."""
    if isinstance(problem.loss, Margin):
        return problem.loss
    raise Unsupported(f"this solver is for the margin, not for the {problem.loss.name}")
