"""Can the sequences be realised? Weights that have every one right, or labelings that forbid it, each with its proof.

Twins first. Then a perceptron: where it ends, its weights are the answer. Then a working set of labelings, the best
other ones at the weights that were met: `separate_points` finds a plane through zero with all their differences on one
side, or a conflict among them, which is one of the data. A plane that has every sequence right is the answer; else the
best other labelling of each sequence that it has wrong comes in. Only what a certificate proves is said.
References: Collins (2002); Tsochantaridis and others (2005).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.chains.chain_data import ChainData
from empirisk.chains.perceptron_runs import kernels
from empirisk.chains.perceptron_runs.run import Course, Runner
from empirisk.chains.verdicts.chain_claim import chain_data_of
from empirisk.chains.verdicts.conflict import SequenceConflict, conflict_among
from empirisk.chains.verdicts.members import Member, difference_points, member_of
from empirisk.chains.verdicts.realization import Realization, realization_from
from empirisk.chains.verdicts.twins import twins
from empirisk.compiled import quiet
from empirisk.parameters import check_count, check_seed, check_time_limit
from empirisk.protocols import Vector
from empirisk.separation.inseparability import Inseparability
from empirisk.separation.plane import Separation
from empirisk.separation.separate import PRECISION, Undecided, verdict_on
from empirisk.separation.watch import Callback, Watch

PASSES = 1000  # of the perceptron, which gives up where it gets nowhere
LEAST_PASSES, MOST_LEFT = 8, 0.95  # of its first stretch; of the mistakes of a stretch, where it goes on
MOST_ROUNDS = 300
ROUNDS = "the working set of labelings did not settle"

SequenceVerdict = Realization | SequenceConflict | Undecided


def realize(
    X: Any,
    y: Any = None,
    *,
    time_limit: float | None = None,
    max_passes: int = PASSES,
    seed: int = 0,
    callback: Callback | None = None,
) -> SequenceVerdict:
    """Weights with which each true labelling scores strictly above all others, or labelings that make that impossible.

    X is what `er.chain_data` gives. `Realization` and `SequenceConflict` are certificates: `er.verify(verdict, X)`
    recomputes them. `time_limit` in seconds is looked at between steps; at most `max_passes` passes are the
    perceptron's, fewer where its mistakes do not get fewer. The callback is called between steps, at most fifty times a
    second; returning True ends the search undecided.
    """
    data = chain_data_of(X, y)
    watch = Watch("realize", check_time_limit(time_limit), callback)
    limit = check_count("max_passes", max_passes, 0) * data.n_sequences
    return _Search(data, watch, check_seed(seed)).run(limit)


class _Search:
    """Goes on until a verdict is proven."""

    def __init__(self, data: ChainData, watch: Watch, seed: int) -> None:
        self.data, self.watch, self.seed = data, watch, seed
        self.members: list[Member] = []
        self.is_in: set[Member] = set()

    def run(self, visit_limit: int) -> SequenceVerdict:
        """The verdict, or why there is none."""
        found = twins(self.data)
        if found is not None:
            return found
        self.runner = Runner(self.data, Course("random", self.seed, np.zeros(self.data.layout.size)))
        ending = self._perceptron(visit_limit)
        if ending == kernels.ALL_RIGHT:
            realization = realization_from(self.data, self.runner.weights)
            if realization is not None:
                return realization
        if not self._rivals(self.runner.weights):  # right, but with weights that no double holds
            return self._undecided(PRECISION)
        for _ in range(MOST_ROUNDS):
            if self.watch.is_over(labelings=float(len(self.members))):
                return self._undecided()
            verdict = self._round()
            if verdict is not None:
                return verdict
        return self._undecided(ROUNDS)

    def _perceptron(self, visit_limit: int) -> int:
        """Passes in stretches, each as long as all before, while they make fewer mistakes; how that ended."""
        n, told, share = self.data.n_sequences, self._told if self.watch.callback else None, math.inf
        ending, deadline = kernels.GOES_ON, self.watch.began + self.watch.limit
        while ending == kernels.GOES_ON and self.runner.counts.visits < visit_limit and not self.watch.is_over():
            visits, mistakes = self.runner.counts
            ending = self.runner.run(min(visit_limit, max(2 * visits, LEAST_PASSES * n)), deadline, told)
            after = self.runner.counts
            before, share = share, (after.mistakes - mistakes) / max(1, after.visits - visits)
            if share > MOST_LEFT * before:
                break
        return ending

    def _round(self) -> SequenceVerdict | None:
        """What the working set says; None where it has grown."""
        points, columns = difference_points(self.data, self.runner, self.members)
        said = verdict_on(points, self.watch, self.seed)
        if isinstance(said, Inseparability):
            chosen = [self.members[k] for k in said.rows]
            return conflict_among(self.data, chosen, said.weights) or self._undecided(PRECISION)
        if isinstance(said, Undecided):
            return said._replace(seconds=self.watch.seconds())
        if not isinstance(said, Separation):
            return self._undecided(PRECISION)
        u = np.zeros(self.data.layout.size)
        u[columns] = said.weights[: columns.size]
        if self._rivals(u):
            return None
        return realization_from(self.data, u) or self._undecided(PRECISION)

    def _rivals(self, u: Vector) -> int:
        """Let in the best other labelings of the sequences that are not right at u; how many are new."""
        new = [member for member in rivals(self.data, self.runner, u) if member not in self.is_in]
        self.members += new
        self.is_in.update(new)
        return len(new)

    def _told(self, progress: Any) -> bool:
        return self.watch.is_over(
            passes=progress.passes, mistakes=float(progress.mistakes), wrong=float(progress.wrong)
        )

    def _undecided(self, reason: str = "") -> Undecided:
        return Undecided(self.watch.reason or reason, self.watch.seconds())


def rivals(data: ChainData, runner: Runner, u: Vector, margin: float = 0.0) -> list[Member]:
    """The best other labelling of each sequence whose margin at u is at most this, or within rounding of it."""
    buffers, chains, X = runner.buffers, runner.chains, data.sequences.attributes
    square = float(np.vdot(u, u))
    found: list[Member] = []
    with quiet():
        kernels.mask_transitions(chains, buffers, u)
        for j in range(data.n_sequences):
            own = float(kernels.decode(X, chains, buffers, u, j))
            if own <= margin + float(kernels.tolerance(chains, square, j, False)):
                found.append(member_of(data, j, buffers.path))
    return found
