"""Accelerated stochastic dual coordinate ascent."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from empirisk.arithmetic.rounding import LARGEST
from empirisk.capabilities import offers
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import Gradient, maximizer, shares, squared_column_norms
from empirisk.protocols import Progress, Vector
from empirisk.solvers.sdca import SDCA, SDCAState
from empirisk.solvers.steps.proximal_step import gap_estimate

SHARE = 0.3  # of (mean smoothness of the rows) / n: the l2 under which a pass of the dual method gains most


class AcceleratedSDCAState(NamedTuple):
    """Where the method stands."""

    inner: SDCAState  # of SDCA on the problem with more l2
    l2: float  # that strength, l2 + k
    centre: Vector
    w: Vector  # where the pass before ended
    theta: float  # the momentum's sequence; 1 where it starts


class AcceleratedSDCA(NamedTuple):
    """Passes of dual coordinate ascent on P(w) + k/2 ||w - c||^2, whose centre c runs ahead of the weights.

    c = w + beta (w - the w before), with beta as in FISTA but at most (1 - r) / (1 + r), r = sqrt(l2 / (l2 + k)). The
    term makes each of these problems as well conditioned as a pass can use, L / (l2 + k) about 3 n, and the momentum
    makes up for it: sqrt(L / (n l2)) passes for a factor of e in place of L / (n l2). l2 = 0 is allowed.
    References: Shalev-Shwartz and Zhang (2014); Lin, Mairal and Harchaoui (2018) for one pass at a time; O'Donoghue and
    Candes (2015) for dropping the momentum where it points uphill.
    """

    seed: int = 0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem: those of the dual method but for l2 > 0; l1, l2 and a box at most."""
        return (*(need for need in SDCA().needs if need != "l2 > 0"), "convex", "regularizer.interval")

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> AcceleratedSDCAState:
        """The start is the first centre."""
        w, b = point.weights, point.intercept
        l2 = problem.regularizer.strong_convexity()
        strong = max(l2, SHARE * _mean_smoothness(problem) / problem.rows.n_rows) or 1.0
        strong = min(strong, LARGEST)  # where squares overflow
        inner = problem.with_strengths(l2=strong)
        state = SDCA(self.seed).init(inner, LinearPoint(w, b))
        return AcceleratedSDCAState(_shifted(inner, state, (_l2(inner) - l2) * w), strong, w.copy(), w.copy(), 1.0)

    def step(self, problem: EmpiricalRisk, state: AcceleratedSDCAState) -> AcceleratedSDCAState:
        """One pass of the dual method, then the centre moves."""
        stronger = problem.with_strengths(l2=state.l2)
        inner = SDCA(self.seed).step(stronger, state.inner)
        w, (l2, more) = inner.w.copy(), (_l2(problem), _l2(stronger))
        uphill = float((state.centre - w) @ (w - state.w)) > 0.0
        theta = 1.0 if uphill else state.theta
        following = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * theta * theta))
        root = math.sqrt(l2 / more)
        beta = min((theta - 1.0) / following, (1.0 - root) / (1.0 + root))
        centre = w + beta * (w - state.w)
        inner = _shifted(stronger, inner, (more - l2) * (centre - state.centre))
        return AcceleratedSDCAState(inner, state.l2, centre, w, following)

    def point(self, state: AcceleratedSDCAState) -> LinearPoint:
        """The weights where the last pass ended, and the dual point."""
        return LinearPoint(state.w, state.inner.b, state.inner.u)

    def progress(self, problem: EmpiricalRisk, state: AcceleratedSDCAState) -> Progress:
        """The losses' part of the gap as the last pass met it, and Omega(w) + Omega*(v) - <w, v>."""
        stronger = problem.with_strengths(l2=state.l2)
        w, at, more = state.w, SDCA().progress(stronger, state.inner), _l2(stronger)
        k = more - _l2(problem)
        v = (state.inner.v if state.inner.v.size else more * state.inner.w) - k * state.centre
        omega, gap = gap_estimate(problem, np.append(w, 0.0), Gradient(0.0, np.append(-v, 0.0)))
        objective = at.gap - state.inner.last.conjugates - float(w @ v) + omega
        return Progress(at.passes + 1.0, objective, at.gap + gap)


def _l2(problem: EmpiricalRisk) -> float:
    return float(problem.regularizer.strong_convexity())


def _mean_smoothness(problem: EmpiricalRisk) -> float:
    """The mean over the rows of smoothness ||x_i||^2; a loss without a bound counts as if it were 1."""
    squares = float(squared_column_norms(problem, shares(problem)).sum())
    return squares * ((float(problem.loss.smoothness()) if offers(problem.loss, "smoothness") else 0.0) or 1.0)


def _shifted(problem: EmpiricalRisk, inner: SDCAState, shift: Vector) -> SDCAState:
    """With a linear term <shift, w> more in the problem: the weights are the maximiser of <w, v + shift> - Omega(w)."""
    if not inner.v.size:
        return inner._replace(w=inner.w + shift / _l2(problem))
    v, w = inner.v + shift, np.empty(shift.size)
    maximizer(problem.regularizer, v, w)
    return inner._replace(v=v, w=w)
