"""Stochastic dual coordinate ascent, with rows that drop out."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.capabilities import is_quadratic
from empirisk.compiled import kernel
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.one_score_passes import implied_duals
from empirisk.problems.passes import maximizer, scored, shares, squared_row_norms, weighted_sum
from empirisk.protocols import Progress, Vector
from empirisk.rows.scratch import scratch

STIFFEST = 0.1  # of the intercept's term: losses curve by about one
SLACK = 4.0  # times the last change of its score: within that a row must stay at the end of its interval to drop out
ROUND = 0.1  # of its gap: then all rows are visited again
ROUND_PASSES = 10.0  # after which they are in any case
STEP_PASSES = 0.1  # the least in a step: short passes are made several at a time
BITS = 31  # of the random numbers in kernels, x <- x MULTIPLIER + INCREMENT (Lehmer), of which the high ones count
MULTIPLIER, INCREMENT, MASK = 1103515245, 12345, (1 << BITS) - 1
VISITS = 256  # after which their gap is summed: on vectors, which a loop that waits for each row's step cannot
STEADY = 0.5  # factor of the gap from pass to pass, below which the next one can be expected to be alike
LEFT = 0.75  # a pass meets rows before their steps: at its end the gap is lower by about this power of what it fell by
SCALES = 30  # tried for the duals that a warm start implies


class Pass(NamedTuple):
    """What a pass tells, each row at the time of its visit. Sums have s_i / S as the weight of a row."""

    gap: float  # of loss(z_i) + loss*(-u_i) + z_i u_i over the rows visited
    conjugates: float  # of loss*(-u_i) over all rows, at the end
    omega: float  # Omega*(v) at the end
    balance: float  # of u_i
    falls: float = 1.0  # the factor by which the gap fell since the pass before, where that is more than chance


class SDCAState(NamedTuple):
    """Where the method stands. Arrays are updated in place."""

    u: Vector  # dual variables
    v: Vector  # (1/S) sum_i s_i u_i x_i; empty where that is l2 w
    w: Vector
    b: float
    norms: Vector  # ||x_i||^2 / l2
    seen: Vector  # scores at the last visit; infinite before
    order: NDArray[np.int64]  # rows, those still visited first
    n_active: int  # of them
    prox: float  # strength of the term on the intercept; 0 without one
    random: int
    last: Pass
    round_gap: float  # of the last pass over all rows
    round_passes: float  # since then
    passes: float


class SDCA(NamedTuple):
    """Maximise the dual exactly in one u_i at a time, over a fresh random order each pass.

    Keeps w = the maximiser of <w, v> - Omega(w). A row whose u_i stays at an end of its interval, even if its score
    moved by a few times what it did since the last visit, drops out until the others have gained a digit. The free
    intercept asks sum_i s_i u_i = 0: a proximal term prox/2 (b - b_k)^2 replaces that constraint, and its centre b_k
    moves to b after every pass (the method of multipliers). Handles kinks and l1 (with l2 > 0); linear convergence for
    smooth losses. References: Shalev-Shwartz and Zhang (2013); Hsieh et al. (2008).
    """

    seed: int = 0

    @property
    def needs(self) -> tuple[str, ...]:
        """Capabilities of the problem."""
        return (
            "loss.derivative",
            "loss.conjugate",
            "loss.dual_step",
            "regularizer.maximizer_coordinate",
            "l2 > 0",
            "rows in memory",
        )

    def init(self, problem: EmpiricalRisk, point: LinearPoint) -> SDCAState:
        """Start from zero duals, or from a multiple of those that a warm start implies."""
        w, b = point.weights, point.intercept
        if not np.any(w) and b == 0.0:
            return self._begin(problem, np.zeros(problem.rows.n_rows), np.zeros(w.size), b)
        u = implied_duals(problem, scored(problem.rows, w, b))
        v, _ = weighted_sum(problem, u * shares(problem))
        scale = _best_scale(problem, u, v)
        state = self._begin(problem, scale * u, scale * v, b)
        return state._replace(passes=state.passes + 2.0)

    def from_dual(self, problem: EmpiricalRisk, w: Vector, b: float, u: Vector) -> SDCAState:
        """Start from dual variables, of the same rows under another strength say; the weights follow from them."""
        state = self._begin(problem, u.copy(), weighted_sum(problem, u * shares(problem))[0], b)
        return state._replace(passes=state.passes + 1.0)

    def _begin(self, problem: EmpiricalRisk, u: Vector, v: Vector, b: float) -> SDCAState:
        n, regularizer = problem.rows.n_rows, problem.regularizer
        squared_norms, w = squared_row_norms(problem), np.empty(v.size)
        maximizer(regularizer, v, w)
        mean = np.average(squared_norms, weights=problem.weights if problem.weights.size else None)
        prox = stiffness(regularizer.strong_convexity(), float(mean)) if problem.fit_intercept else 0.0
        conjugates = _mean_conjugate(problem.loss, problem.labels, problem.weights, 1.0 / problem.total_weight, u)
        return SDCAState(
            u=u,
            v=np.empty(0) if is_quadratic(regularizer) else v,
            w=w,
            b=b,
            norms=squared_norms / regularizer.strong_convexity(),
            seen=np.full(n, np.inf),
            order=np.arange(n, dtype=np.int32 if n < 2**31 else np.int64),
            n_active=n,
            prox=prox,
            random=int(np.random.default_rng(self.seed).integers(MASK)),
            last=Pass(np.nan, conjugates, float(_omega_dual(regularizer, v)), float(shares(problem) @ u)),
            round_gap=np.inf,
            round_passes=0.0,
            passes=1.0,
        )

    def step(self, problem: EmpiricalRisk, state: SDCAState) -> SDCAState:
        """A pass over the rows still active, or several short ones."""
        n = state.u.size
        if state.last.gap <= ROUND * state.round_gap or state.round_passes >= ROUND_PASSES or not state.n_active:
            state = state._replace(n_active=n, round_passes=0.0)
        last, is_whole = state.last, state.n_active == n
        scale = 1.0 / problem.total_weight
        b, balance, random, n_active, visited, before, gap, conjugates, omega = _sweep(
            problem.loss,
            problem.rows.whole(),
            problem.labels,
            problem.weights,
            scale,
            problem.regularizer,
            1.0 / problem.regularizer.strong_convexity(),
            1.0 / state.prox if state.prox > 0.0 else 0.0,
            state.norms,
            state.order,
            state.u,
            state.seen,
            state.v,
            state.w,
            state.b,
            last.balance,
            state.n_active,
            state.random,
            STEP_PASSES * n,
            last.gap,
            ROUND * state.round_gap,
            scratch(5, VISITS),
        )
        omega = float(_omega_dual(problem.regularizer, state.v)) if state.v.size else last.omega + omega
        falls = max(gap, 0.0) / before if before > 0.0 else 1.0  # rounding may leave it below zero
        return state._replace(
            b=b,
            n_active=n_active,
            random=random,
            last=Pass(gap, last.conjugates + conjugates, omega, balance, falls if falls < STEADY else 1.0),
            round_gap=gap if is_whole else state.round_gap,
            round_passes=state.round_passes + visited / n,
            passes=state.passes + visited / n,
        )

    def point(self, state: SDCAState) -> LinearPoint:
        """The weights that the dual point implies, and that point."""
        return LinearPoint(state.w.copy(), state.b, state.u)

    def progress(self, problem: EmpiricalRisk, state: SDCAState) -> Progress:
        """The gap that the last pass left, were it to fall on as it did; rows that dropped out count nothing.

        A pass meets each row before its step. The repair of the intercept is charged for.
        """
        last = state.last
        gap = last.gap * last.falls**LEFT
        gap += 2.0 * abs(last.balance) * max(1.0, abs(state.b)) if problem.fit_intercept else 0.0
        return Progress(state.passes, gap - last.conjugates - last.omega, gap)


def stiffness(l2: float, mean_squared_norm: float) -> float:
    """A term that makes the intercept as stiff as a column of the data's mean size, but no stiffer than the loss."""
    prox = l2 / mean_squared_norm if mean_squared_norm > 0.0 else l2
    return min(max(prox, float(np.finfo(float).tiny)), STIFFEST)


def _best_scale(problem: EmpiricalRisk, u: Vector, v: Vector) -> float:
    """The c in [0, 1] with about the best dual value at c u: implied duals of a kink are all or nothing, too much."""
    parts = problem.loss, problem.labels, problem.weights, 1.0 / problem.total_weight

    def value(c: float) -> float:
        return -float(_mean_conjugate(*parts, c * u)) - float(_omega_dual(problem.regularizer, c * v))

    low, high, golden = 0.0, 1.0, 0.5 * (math.sqrt(5.0) - 1.0)
    for _ in range(SCALES):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, right) if value(left) >= value(right) else (left, high)
    return 0.5 * (low + high)


@kernel
def _mean_conjugate(loss, y, weights, scale, u):
    total = 0.0
    for i in range(u.size):
        s = scale * weights[i] if weights.size else scale
        here = loss.conjugate(-u[i], y[i])
        total += s * here if s > 0.0 else 0.0
    return total


@kernel
def _gap_and_change(loss, z, old, y, s, new):
    """The gap of visits as rows were met, and by how much the conjugates changed."""
    gap = 0.0
    change = 0.0
    for k in range(z.size):
        there = loss.conjugate(-old[k], y[k])
        gap += s[k] * (loss.value(z[k], y[k]) + there + z[k] * old[k])
        change += s[k] * (loss.conjugate(-new[k], y[k]) - there)
    return gap, change


@kernel
def _omega_dual(regularizer, v):
    return regularizer.conjugate(v)


@kernel
def _sweep(
    loss, X, y, weights, scale, regularizer, per_l2, per_prox,
    norms, order, u, seen, v, w, b, balance, n_active, random, least, gap, aim, visits,
):  # fmt: skip
    """Passes over the rows still active, until at least so many rows are visited or the gap is at its aim.

    A pass visits the first rows of the order, shuffled on the way; those that drop out go behind the others.
    Reciprocals are given: free to reassociate, the compiler moves a division into the loop over a row's entries.
    """
    visited = 0
    conjugates = 0.0
    omega = 0.0
    met, olds, labels, shares_met, news = visits[0], visits[1], visits[2], visits[3], visits[4]
    while True:
        before = gap
        gap = 0.0
        kept = 0
        count = 0
        for k in range(n_active):
            random = (random * MULTIPLIER + INCREMENT) & MASK
            at = k + ((random * (n_active - k)) >> BITS)
            i = order[at]
            order[at] = order[k]
            order[k] = order[kept]
            order[kept] = i
            s = scale * weights[i] if weights.size else scale
            if s == 0.0:
                continue
            z = X.dot_row(i, w) + b
            old = u[i]
            q = s * (norms[i] + per_prox)
            new = loss.dual_step(old, z, y[i], q)
            if count == VISITS:
                more, change = _gap_and_change(loss, met, olds, labels, shares_met, news)
                gap += more
                conjugates += change
                count = 0
            met[count], olds[count], labels[count], shares_met[count], news[count] = z, old, y[i], s, new
            count += 1
            slack = SLACK * abs(z - seen[i])
            seen[i] = z
            if new == old:
                settled = slack < np.inf
                settled = settled and loss.dual_step(old, z - slack, y[i], q) == old
                settled = settled and loss.dual_step(old, z + slack, y[i], q) == old
                kept += not settled
                continue
            kept += 1
            change = s * (new - old)
            u[i] = new
            if v.size:
                X.add_row(i, change, v)
                X.map_row(i, v, regularizer, w)
            else:
                X.add_row(i, change * per_l2, w)
                omega += change * (z - b + 0.5 * change * norms[i])
            b += change * per_prox
            balance += change
        more, change = _gap_and_change(
            loss, met[:count], olds[:count], labels[:count], shares_met[:count], news[:count]
        )
        gap += more
        conjugates += change
        visited += n_active
        n_active = kept
        b += balance * per_prox  # the centre of the intercept's term moves
        if visited >= least or n_active == 0 or not gap > aim:
            return b, balance, random, n_active, visited, before, gap, conjugates, omega
