"""Block Frank-Wolfe for margins of chains, with the labelings that decoding found kept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT
from empirisk.chains.kept.directions import workspace
from empirisk.chains.kept.pool import GOLD, Pool, empty_pool, pool_of
from empirisk.chains.kept.reading import margin_arrays
from empirisk.chains.kept.visits import GAIN, WORK, decode_visits, kept_visits
from empirisk.chains.labeling_means import labeling_means
from empirisk.chains.labelings import Labelings
from empirisk.chains.point import ChainPoint
from empirisk.chains.risk import ChainRisk, margin_of
from empirisk.compiled import quiet
from empirisk.protocols import Progress, Vector
from empirisk.solvers.sampling.random_bits import Words, generator_of, seeded, words_of

ROOM = 8  # new labelings of a pass fit into a share of as many as this of the sequences, or the pool grows
EVEN = 0.1  # of the draws by gaps go to all sequences alike: gaps are known from the last visit alone
WHOLE = 4  # every so many passes all sequences are decoded once
LEFT = 0.5  # about what is left of the sum of block gaps, each measured before the step that it led to
REFRESH = 8  # passes between two times that u is computed from the labelings again


class BlockState(NamedTuple):
    """Where the method stands: u = v(alpha) / l2 at the labelings of the pool."""

    u: Vector
    pool: Pool
    gaps: Vector  # of each sequence, when it was last decoded
    dual: float  # D, by the gains
    passes: float
    kept_passes: int
    random: Words
    stalled: bool = False


class BlockFrankWolfe(NamedTuple):
    """Steps on one sequence after the other: decode it, keep the labelling, and move weight to it from the worst one.

    Passes over the labelings that are kept, which read the changed tokens alone, follow each pass of decoding, while
    they raise D by more than `worth` times what decoding did with the same work. Sequences are drawn by the gaps of
    their blocks. For margins, whose objective it proves to be near its minimum as it goes.

    Lacoste-Julien, Jaggi, Schmidt and Pletscher (2013); Shah, Kolmogorov and Lampert (2015), who keep labelings;
    Osokin, Alayrac, Lukasewitz, Dokania and Lacoste-Julien (2016), for pairwise steps and draws by gaps.
    """

    rounds: int = 2  # steps on a sequence at most, when it is decoded
    worth: float = 0.3  # 0.1 takes a pass of decoding less, and 1.6 times as long
    most_kept: int = 60  # passes over kept labelings after one of decoding
    patience: int = 3  # passes for which a labelling without weight is kept
    seed: int = 0

    @property
    def needs(self) -> tuple[str, ...]:
        """Said by the choice of solvers."""
        return ()

    def init(self, problem: ChainRisk, point: ChainPoint) -> BlockState:
        """The labelings of the point where it has some, else all weight on the true ones: u = 0."""
        n = problem.data.n_sequences
        gaps, random = np.ones(n), seeded(self.seed)
        if isinstance(point.evidence, Labelings):
            u, dual = weights_of(problem, point.evidence)
            return BlockState(u, pool_of(point.evidence), gaps, dual, 0.0, 0, random)
        return BlockState(np.zeros_like(point.weights), empty_pool(n), gaps, 0.0, 0.0, 0, random)

    def step(self, problem: ChainRisk, state: BlockState) -> BlockState:
        """A pass of decoding, and passes over the kept labelings."""
        data = problem.data
        A, u, gaps = margin_arrays(problem, margin_of(problem)), state.u, state.gaps
        work = workspace(data.sequences.longest, data.n_labels, data.layout.size)
        random = generator_of(state.random)
        order = _order(problem, state, random)
        pool, at = state.pool, 0
        with quiet():
            while at < order.size:
                pool = pool.grown(
                    data.n_sequences // ROOM + 1, data.sequences.n_tokens // ROOM + data.sequences.longest
                )
                at = decode_visits(A, u, order, at, self.rounds, pool, gaps, work)
            gain, cost = work.sums[GAIN], work.sums[WORK]
            dual, kept = state.dual + gain, 0
            while kept < self.most_kept:
                work.sums[:] = 0.0
                kept_visits(A, u, random.permutation(np.flatnonzero(pool.head != GOLD)), pool, work)
                dual, kept = dual + work.sums[GAIN], kept + 1
                if not work.sums[GAIN] * cost > self.worth * gain * work.sums[WORK]:
                    break
        pool, passes = pool.compacted(self.patience), state.passes + order.size / data.n_sequences
        stalled = not dual > state.dual + 4.0 * UNIT * abs(state.dual)
        if passes % REFRESH == 0.0:
            u, dual = weights_of(problem, pool.labelings())
        return BlockState(u, pool, gaps, float(dual), passes, state.kept_passes + kept, words_of(random), stalled)

    def point(self, state: BlockState) -> ChainPoint:
        """The weights, with the labelings that they come from."""
        return ChainPoint(state.u.copy(), state.pool.labelings())

    def progress(self, problem: ChainRisk, state: BlockState) -> Progress:
        """The gaps of the blocks, as they were when these were decoded."""
        if state.passes == 0.0:
            return Progress(0.0, np.nan, np.nan)
        gap = LEFT * float(np.sum(problem.shares * state.gaps))
        return Progress(state.passes, state.dual + gap, gap, state.stalled)

    def account(self, state: BlockState) -> str:
        """How many passes went over the kept labelings."""
        return f"{state.kept_passes} passes over {state.pool.weights.size} labelings that were kept"


def _order(problem: ChainRisk, state: BlockState, random: np.random.Generator) -> NDArray[np.int64]:
    """The sequences of a pass."""
    n = problem.data.n_sequences
    odds = problem.shares * state.gaps
    total = float(np.sum(odds))
    if state.passes % WHOLE == 0.0 or not 0.0 < total < np.inf:
        return random.permutation(n)
    return random.choice(n, n, p=(1.0 - EVEN) * odds / total + EVEN / n)


def weights_of(problem: ChainRisk, labelings: Labelings) -> tuple[Vector, float]:
    """u = v / l2 and D."""
    l2 = problem.regularizer.l2
    mean = labeling_means(problem, margin_of(problem), labelings, np.zeros(problem.data.sequences.n_tokens))
    u = mean.features / l2
    return u, mean.cost - 0.5 * l2 * float(np.sum(u * u))
