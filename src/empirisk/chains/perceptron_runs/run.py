"""A run of the structured perceptron: what determines it, and the loop that can be run again to the last bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from empirisk.arithmetic import UNIT
from empirisk.chains.chain_data import ChainData
from empirisk.chains.perceptron_runs import kernels
from empirisk.chains.perceptron_runs.kernels import Buffers
from empirisk.chains.perceptron_runs.sizes import Sizes, chains_of, sizes_of
from empirisk.compiled import quiet
from empirisk.progress import Event
from empirisk.protocols import Array, Vector
from empirisk.stopwatch import work_clock

WORK_A_CALL = 1 << 25  # a fraction of a second: an interrupt or a time limit waits no longer (but for a pass)
WORD = (1 << 64) - 1


class Course(NamedTuple):
    """What determines a run on given data: the order of the sequences, and u_0."""

    order: str  # "cyclic" or "random"
    seed: int
    start: Vector


class Counts(NamedTuple):
    """What a run has done."""

    visits: int  # of sequences
    mistakes: int  # M, the updates


class SequencePerceptronProgress(NamedTuple):
    """What a callback gets."""

    passes: float
    mistakes: int
    wrong: int  # sequences found wrong in this pass, each at the weights that it met
    seconds: float
    answer: Callable[[], Vector]  # the weights that the run would answer with now

    def event(self) -> Event:
        """As every long run tells it; nobody knows how long it takes."""
        numbers = {"pass": float(round(self.passes)), "mistakes": self.mistakes, "wrong": self.wrong}
        return Event("perceptron", math.nan, numbers, self.seconds)


class Runner:
    """A run that stands somewhere."""

    def __init__(self, data: ChainData, course: Course, *, is_averaged: bool = False, sizes: Sizes | None = None):
        self.data, self.course = data, course
        self.sizes = sizes_of(data) if sizes is None else sizes
        sequences, layout = data.sequences, data.layout
        K, n, longest = data.n_labels, data.n_sequences, sequences.longest
        entries = np.diff(sequences.attributes.starts[sequences.starts])
        is_shuffled = course.order == "random"
        start = np.array(course.start, dtype=np.float64)
        is_whole = self.sizes.is_whole and bool(np.all(start == np.floor(start)))
        self.chains = chains_of(data, self.sizes)._replace(
            is_whole=is_whole, is_shuffled=is_shuffled, is_averaged=is_averaged
        )
        most = 2 * int(entries.max(initial=0)) + 2 * longest * (layout.n_dense + 1) + 4
        self.buffers = Buffers(
            u=start,
            behind=np.zeros(layout.size if is_averaged else 0),
            change=np.zeros(layout.size),
            places=np.zeros(most, np.int64),
            numbers=np.zeros(kernels.N_NUMBERS),
            counts=np.zeros(kernels.N_COUNTS, np.int64),
            order=np.arange(n if is_shuffled else 0, dtype=np.int64),
            generator=np.array([course.seed & WORD], np.uint64),
            transitions=np.zeros((K, K)),
            scores=np.zeros((longest, K)),
            forward=np.zeros((longest, K)),
            path=np.zeros(longest, np.int32),
        )

    @property
    def weights(self) -> Vector:
        """Where the run stands; not a copy."""
        return self.buffers.u

    @property
    def counts(self) -> Counts:
        """What it has done so far."""
        return Counts(int(self.buffers.counts[kernels.VISITS]), int(self.buffers.counts[kernels.MISTAKES]))

    @property
    def radius_seen(self) -> float:
        """The largest norm of an update made, rounded up."""
        roundings = self.buffers.places.size + 4
        norm = math.sqrt(self.buffers.numbers[kernels.SEEN]) * (1.0 + roundings * UNIT)
        return norm if self.sizes.is_whole else norm + float(self.sizes.reach.max(initial=0.0))

    def mean(self) -> Vector:
        """The mean of the weights after each visit (the averaged form)."""
        return self.weights - self.buffers.behind / max(1, self.counts.visits)

    def answer(self) -> Vector:
        """The mean where that was asked for, else the weights; a copy."""
        return self.mean() if self.chains.is_averaged else self.weights.copy()

    def run(
        self,
        visit_limit: int,
        deadline: float = math.inf,
        callback: Callable[[SequencePerceptronProgress], Any] | None = None,
        goes_on: Callable[[Counts], bool] | None = None,
    ) -> int:
        """Go on until all sequences are right or a limit is reached; how it ended is one of the kernels' endings.

        It ends with a pass, or by itself. The callback is called after each pass; returning True stops. `goes_on` is
        asked after some passes.
        """
        attributes, n = self.data.sequences.attributes, self.data.n_sequences
        K = self.data.n_labels
        work = int(attributes.starts[-1]) + self.data.sequences.n_tokens * K * K // 8
        passes, began = max(1, WORK_A_CALL // (2 * work)) if callback is None else 1, work_clock()
        while work_clock() < deadline and self.counts.visits < visit_limit:
            with quiet():
                ending = int(kernels.run_passes(attributes, self.chains, self.buffers, passes, visit_limit))
            counts = self.counts
            if callback is not None:
                wrong = int(self.buffers.counts[kernels.WRONG])
                progress = (counts.visits / n, counts.mistakes, wrong, work_clock() - began, self.answer)
                is_stopped = bool(callback(SequencePerceptronProgress(*progress)))
            else:
                is_stopped = False
            if ending != kernels.GOES_ON:
                return ending
            if is_stopped or not (goes_on is None or goes_on(counts)):
                return kernels.STOPPED
        return kernels.GOES_ON

    def wrong_at(self, u: Array) -> int:
        """How many sequences are not right at other weights, beyond rounding."""
        with quiet():
            return int(kernels.count_wrong(self.data.sequences.attributes, self.chains, self.buffers, u))
