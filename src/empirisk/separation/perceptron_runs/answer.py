"""What a run answers with: the last plane, the mean of all, the best one seen, or a vote."""

from __future__ import annotations

from typing import Any, NamedTuple

from numpy.typing import NDArray

from empirisk.problems.linear_point import LinearPoint
from empirisk.protocols import Vector
from empirisk.separation.perceptron_runs.run import Runner
from empirisk.separation.perceptron_runs.voted import VotedPlanes, voted_planes

FORMS = ("online", "batch", "gradient", "averaged", "voted", "pocket")
BATCH_FORMS = ("batch", "gradient")  # all wrong points at once


class Answer(NamedTuple):
    """A point: the plane, and in the voted form the planes that vote."""

    weights: Vector
    intercept: float
    voted: VotedPlanes | None = None

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All that it consists of."""
        plane = LinearPoint(self.weights, self.intercept).arrays()
        return plane if self.voted is None else (*plane, *self.voted.arrays())

    def copy(self) -> Answer:
        """With weights of its own; votes are never overwritten."""
        return self._replace(weights=self.weights.copy())


def answer_of(runner: Runner, form: str, errors: int) -> Answer:
    """The answer of a run that stands somewhere, where its last plane makes so many errors."""
    if form == "averaged":
        return Answer(*runner.mean())
    if form == "pocket":
        return Answer(*runner.best(errors)[:2])
    last = runner.weights.copy(), runner.intercept
    if form != "voted":
        return Answer(*last)
    counts, course = runner.counts, runner.course
    rows, visits = (part[: counts.mistakes] for part in (runner.buffers.log_rows, runner.buffers.log_visits))
    start = course.start_weights, course.start_intercept
    return Answer(*last, voted_planes(runner.points, start, rows, visits, counts.visits))
