"""Cutting planes for margins of chains: with one slack for all sequences, or one for each."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT
from empirisk.chains.kept.directions import workspace
from empirisk.chains.kept.pool import GOLD, Pool, empty_pool, with_labels
from empirisk.chains.kept.reading import margin_arrays
from empirisk.chains.kept.visits import GAIN, decode_visits, kept_visits
from empirisk.chains.margin import mean_margin
from empirisk.chains.point import ChainPoint
from empirisk.chains.risk import ChainRisk, margin_of
from empirisk.compiled import quiet
from empirisk.designs import as_design
from empirisk.parameters import check_choice
from empirisk.protocols import Matrix, Progress, Vector
from empirisk.separation.active_set.active_rows import Program, ascend, empty_active, start

UNUSED = 50  # rounds after which a plane without weight is dropped
ROUNDS = 10_000  # of the active-set method, which ends by itself
SOLVED = 0.05  # of the gap that the last round found may be left in the restricted dual of the next
MOST_KEPT = 500  # passes over kept labelings of a round


class Plane(NamedTuple):
    """The mean loss is at least cost - <v, u>: labels of all tokens, by what they change."""

    cost: float
    v: Vector
    tokens: NDArray[np.int64]
    labels: NDArray[np.int32]


class PlanesState(NamedTuple):
    """One slack: the planes with their weights, and the bounds that they prove."""

    u: Vector  # of the restricted dual
    planes: tuple[Plane, ...]
    weights: Vector  # of the planes: sum at most 1
    unused: NDArray[np.int64]
    lower: float
    upper: float
    best: Vector  # the weights at which the upper bound was met
    pool: Pool  # the labelings of the planes with weight
    passes: float
    stalled: bool


class EachState(NamedTuple):
    """A slack for each sequence: its labelings with weights, u = v / l2, and the gaps that decoding at u found."""

    u: Vector
    pool: Pool
    gaps: Vector
    lower: float
    passes: float
    stalled: bool


class CuttingPlanes(NamedTuple):
    """Linear lower bounds of the mean loss, and the minimum of their maximum with the penalty, in turns.

    slack="one": a plane is about all sequences, mean loss(u') >= (1/S) sum_j w_j C(s_j, s^j) - <v, u'> for the
    labelings s^j that decoding found at u; the restricted dual is a small program, solved by an active-set method.
    slack="each": a plane is about one sequence; the restricted dual is solved by pairwise steps. Each round proves a
    lower bound and an upper one. Few rounds where l2 is large. Joachims, Finley and Yu (2009).
    """

    slack: str = "one"

    @property
    def needs(self) -> tuple[str, ...]:
        """Said by the choice of solvers."""
        return ()

    def init(self, problem: ChainRisk, point: ChainPoint) -> PlanesState | EachState:
        """No planes but that of the true labelings."""
        check_choice("slack", self.slack, ("one", "each"))
        data, u = problem.data, np.zeros_like(point.weights)
        if self.slack == "each":
            gaps = np.full(data.n_sequences, np.nan)
            return EachState(u, empty_pool(data.n_sequences), gaps, 0.0, 0.0, False)
        nothing = np.empty(0, np.int64)
        pool = empty_pool(data.n_sequences)
        return PlanesState(u, (), np.empty(0), nothing, 0.0, np.inf, u, pool, 0.0, False)

    def step(self, problem: ChainRisk, state: Any) -> Any:
        """A round: one pass of decoding."""
        return _round(problem, state) if isinstance(state, PlanesState) else _each_round(problem, state)

    def point(self, state: Any) -> ChainPoint:
        """The best weights that were met, with the labelings of the lower bound."""
        if isinstance(state, EachState):
            return ChainPoint(state.u.copy(), state.pool.labelings())
        return ChainPoint(state.best.copy(), state.pool.labelings())

    def progress(self, problem: ChainRisk, state: Any) -> Progress:
        """The distance between the bounds."""
        if isinstance(state, EachState):
            gap = float(np.sum(problem.shares * state.gaps))
            return Progress(state.passes, state.lower + gap, gap, state.stalled, is_sure=True)
        gap = state.upper - state.lower if state.passes else np.nan
        return Progress(state.passes, state.upper if state.passes else np.nan, gap, state.stalled, is_sure=True)


def _round(problem: ChainRisk, state: PlanesState) -> PlanesState:
    """Decode at the point of the restricted dual, add the plane, and solve that dual again."""
    data, l2 = problem.data, problem.regularizer.l2
    found = mean_margin(problem.passes, margin_of(problem), state.u)
    value = found.value + problem.penalty(state.u)
    best, upper = (state.u, value) if value < state.upper else (state.best, state.upper)
    changed = np.flatnonzero(found.labels != data.gold)
    cost = float(np.sum(problem.shares * found.costs))
    plane = Plane(cost, -found.gradient, changed, found.labels[changed])
    planes, weights = (*state.planes, plane), np.append(state.weights, 0.0)
    weights, u = restricted_dual(planes, weights, l2)
    unused = np.where(weights > 0.0, 0, np.append(state.unused, 0) + 1)
    stays = unused <= UNUSED
    planes = tuple(plane for plane, keep in zip(planes, stays.tolist(), strict=True) if keep)
    weights, unused = weights[stays], unused[stays]
    lower = float(np.sum(weights * [plane.cost for plane in planes])) - problem.penalty(u)
    pool = empty_pool(data.n_sequences)
    for plane, weight in zip(planes, weights.tolist(), strict=True):
        if weight > 0.0:
            labels = data.gold.copy()
            labels[plane.tokens] = plane.labels
            pool = with_labels(pool, data, labels, weight)
    stalled = not lower > state.lower + 4.0 * UNIT * abs(lower) and upper >= state.upper
    return PlanesState(u, planes, weights, unused, lower, upper, best, pool, state.passes + 1.0, stalled)


def restricted_dual(planes: tuple[Plane, ...], given: Vector, l2: float) -> tuple[Vector, Vector]:
    """The weights that maximise sum_r w_r cost_r - ||sum_r w_r v_r||^2 / (2 l2), of sum 1 with the plane zero; and u.

    It is the program of the widest gap with all signs +1, levels cost_r, and the sum of the weights divided by l2.
    """
    count = len(planes)
    V: Matrix = np.concatenate([[plane.v for plane in planes], np.zeros((1, planes[0].v.size))])
    levels = np.append([plane.cost for plane in planes], 0.0)
    size = float(np.sqrt(np.max(np.sum(V * V, axis=1)))) or 1.0
    program = Program(np.ones(count + 1), levels, size, True, 1.0 / l2)
    active = empty_active(count + 1, V.shape[1], count + 1)
    shares = np.append(given, max(0.0, 1.0 - float(np.sum(given))))
    rows = np.flatnonzero(shares)
    X = as_design(V)
    with quiet():
        start(X, program, active, rows, shares[rows] / l2)
        ascend(X, program, active, 0.0, ROUNDS)
    weights, k = np.zeros(count + 1), int(active.numbers[0])
    weights[active.rows[:k]] = active.a[:k] * l2
    weights /= max(1.0, float(np.sum(weights)))
    return weights[:count], weights @ V / l2


def _each_round(problem: ChainRisk, state: EachState) -> EachState:
    """Steps on the kept labelings, until what they leave is little beside the last gap; then decode where that is."""
    data, A = problem.data, margin_arrays(problem, margin_of(problem))
    work = workspace(data.sequences.longest, data.n_labels, data.layout.size)
    pool, u, gaps, lower = state.pool, state.u, state.gaps.copy(), state.lower
    target = SOLVED * float(np.sum(problem.shares * gaps))
    with quiet():
        for _ in range(MOST_KEPT if state.passes else 0):
            work.sums[:] = 0.0
            kept_visits(A, u, np.flatnonzero(pool.head != GOLD), pool, work)
            lower += work.sums[GAIN]
            if not work.sums[GAIN] > SOLVED * target:
                break
        at = 0
        while at < data.n_sequences:
            pool = pool.grown(data.n_sequences, data.sequences.n_tokens + data.sequences.longest)
            at = decode_visits(A, u, np.arange(data.n_sequences), at, 0, pool, gaps, work)
    stalled = state.passes > 0 and not lower > state.lower + 4.0 * UNIT * abs(lower)
    return EachState(u, pool.compacted(UNUSED), gaps, float(lower), state.passes + 1.0, stalled)
