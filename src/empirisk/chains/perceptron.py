"""The structured perceptron: weights that label every sequence right where there are any, and the mistakes it made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from empirisk.chains.chain_data import ChainData
from empirisk.chains.perceptron_runs import kernels
from empirisk.chains.perceptron_runs.run import Counts, Course, Runner, SequencePerceptronProgress
from empirisk.chains.perceptron_runs.status import SequencePerceptronStatus
from empirisk.parameters import check_boolean, check_callback, check_choice, check_count, check_seed, check_time_limit
from empirisk.protocols import Vector
from empirisk.stopwatch import work_clock

ORDERS = ("cyclic", "random")
MOST_VISITS = 2**62
ENDINGS = {
    kernels.ALL_RIGHT: SequencePerceptronStatus.RIGHT,
    kernels.OVERFLOWED: SequencePerceptronStatus.OVERFLOW,
    kernels.STOPPED: SequencePerceptronStatus.CALLBACK,
}


class SequencePerceptronRun(NamedTuple):
    """What a run gives back."""

    weights: Vector  # the answer: the mean of the weights after each visit (averaged), or the last ones
    last: Vector  # where the run ended
    status: SequencePerceptronStatus
    counts: Counts
    n_sequences: int
    radius_seen: float  # the largest norm of an update made
    course: Course
    is_averaged: bool

    @property
    def mistakes(self) -> int:
        """M, the updates."""
        return self.counts.mistakes

    @property
    def passes(self) -> float:
        """Visits of sequences, divided by their number."""
        return self.counts.visits / self.n_sequences

    @property
    def is_realised(self) -> bool:
        """Whether the weights where the run ended have every sequence right."""
        return self.status in (SequencePerceptronStatus.RIGHT, SequencePerceptronStatus.RIGHT_BEFORE_MEAN)

    def sentence(self) -> str:
        """The outcome in words."""
        visits = f"{self.counts.visits} visits of sequences ({self.passes:.4g} passes)"
        return f"Structured perceptron {self.status}. {self.mistakes} mistakes in {visits}."


def sequence_perceptron(
    data: ChainData,
    *,
    averaged: bool = True,
    order: str = "cyclic",
    seed: int = 0,
    max_passes: int = 10,
    start: Any = None,
    callback: Callable[[SequencePerceptronProgress], Any] | None = None,
    time_limit: float | None = None,
    stop: Callable[[], Any] | None = None,
) -> SequencePerceptronRun:
    """Run u <- u + phi(x_j, s_j) - phi(x_j, s), s the best other labelling, at each sequence that is not right.

    averaged: whether the answer is the mean of the weights after each visit, or the last ones.
    order: "cyclic", or "random": another order each pass, drawn with `seed`.
    max_passes, time_limit: the budget; a pass is a visit of every sequence, and the limit, in seconds, ends a pass.
    start: u_0, zero unless given.
    callback: called after each pass with the progress (passes, mistakes, those of this pass, seconds, the answer so
        far); returning True stops.
    stop: asked after each pass, or some short ones; True ends the run as interrupted, with the answer so far.

    A sequence is right when its labelling scores strictly above every other: at u = 0 none is. The run stops when
    every sequence is right, which is decided beyond rounding; with integer attributes nothing is rounded.
    References: Collins (2002); Novikoff (1962).
    """
    check_callback(callback)
    if data.weights.size:
        raise ValueError("the perceptron takes no weights of sequences: it asks each to be right")
    check_choice("order", order, ORDERS)
    course = Course(order, check_seed(seed), _start(start, data))
    deadline = work_clock() + check_time_limit(time_limit)
    limit = min(MOST_VISITS, check_count("max_passes", max_passes) * data.n_sequences)
    runner = Runner(data, course, is_averaged=check_boolean("averaged", averaged))
    goes_on = None if stop is None else lambda counts: not stop()
    status = ENDINGS.get(runner.run(limit, deadline, callback, goes_on))
    if status is SequencePerceptronStatus.CALLBACK and stop is not None and stop():
        status = SequencePerceptronStatus.INTERRUPTED
    if status is None:
        is_late = runner.counts.visits < limit
        status = SequencePerceptronStatus.TIME_LIMIT if is_late else SequencePerceptronStatus.PASS_LIMIT
    weights = runner.answer()
    if status is SequencePerceptronStatus.RIGHT and averaged and runner.wrong_at(weights):
        status = SequencePerceptronStatus.RIGHT_BEFORE_MEAN
    last = runner.weights.copy() if averaged else weights
    seen = runner.counts, data.n_sequences, runner.radius_seen
    return SequencePerceptronRun(weights, last, status, *seen, course, averaged)


def _start(start: Any, data: ChainData) -> Vector:
    size = data.layout.size
    if start is None:
        return np.zeros(size)
    try:
        u = np.array(start, dtype=np.float64)
    except (TypeError, ValueError):
        u = np.empty(0)
    if u.shape != (size,) or not bool(np.all(np.isfinite(u))):
        raise ValueError(f"start must be a vector of {size} finite weights, got {start!r:.100}")
    data.layout.mask(u)
    return u
