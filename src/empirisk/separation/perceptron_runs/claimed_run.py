"""A claim about a run: what its numbers must be, that it ends in good time, and what it does when run again."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

import numpy as np

from empirisk.designs import n_entries
from empirisk.parameters import MOST_SEED
from empirisk.separation.perceptron_runs import kernels
from empirisk.separation.perceptron_runs.answer import FORMS, Answer, answer_of
from empirisk.separation.perceptron_runs.mistake_trace import MistakeTrace, is_measurable
from empirisk.separation.perceptron_runs.run import Counts, Course, Runner, is_shuffled
from empirisk.separation.perceptron_runs.start_and_plane import plane_norm
from empirisk.separation.points import Points

ORDERS = ("cyclic", "random")
MOST_VISITS = 2**62
MOST_READ = 2**36  # numbers of the data that a run may read to be run again: some minutes
DIGEST = re.compile("[0-9a-f]{32}")


def inconsistency(claim: Any) -> str:
    """What is wrong with the numbers of a mistake bound alone; empty where nothing is."""
    n, d = claim.plane.n_rows, claim.plane.n_columns
    numbers = [*claim.start_weights.tolist(), claim.start_intercept, claim.step]
    if claim.start_weights.size not in (0, d) or not all(map(math.isfinite, numbers)) or not claim.step > 0.0:
        return "The start or the step is not one of a run on such points."
    if claim.form not in FORMS or not DIGEST.fullmatch(claim.subject):
        return "There is no such form of the perceptron, or no such digest."
    usual = 1.0 / n if claim.is_batch else 1.0
    if claim.form != "gradient" and claim.step != usual:
        return f"A run of the form {claim.form} has steps of another length."
    if claim.order not in ORDERS or (claim.start_intercept != 0.0 and not claim.plane.fit_intercept):
        return "The order or the intercept is not one of a run on such points."
    if claim.seed != 0 and not is_shuffled(claim.is_batch, claim.order):
        return "A run in the order of the rows draws nothing: its seed is 0."
    if not 0 <= claim.seed <= MOST_SEED:
        return "The seed is not one of a run."
    if not 0 <= claim.steps <= claim.mistakes <= claim.visits <= MOST_VISITS:
        return "The counts contradict each other."
    if not claim.mistakes <= claim.squares <= claim.mistakes**2:
        return "The counts contradict each other."
    if claim.visits > n * (claim.steps + 1) or not 0 <= claim.errors <= n:  # a pass without a mistake is the last
        return "The counts contradict each other."
    if not is_measurable(claim.counts, claim.step, claim.radius, plane_norm(claim.plane), claim._start()[1]):
        return "The numbers of the run are too large or too small to be compared."
    if not math.isfinite(claim.bound):
        return "The rounding of the run may be larger than what the bound is made of."
    return ""


def is_too_long(visits: int, points: Points) -> bool:
    """Whether so many visits of rows read more numbers than a run may that is to be run again."""
    return visits * (n_entries(points.design) + points.n_rows) > MOST_READ * points.n_rows


class RunAgain(NamedTuple):
    """What the run of a claim does when it is run again."""

    counts: Counts
    trace: MistakeTrace
    answer: Answer
    errors: int  # of the answer
    is_whole: bool  # whether a run can end there: by itself, or after a pass


def run_again(claim: Any, points: Points) -> RunAgain:
    """The same run on these points, watched; it ends early where the counts of the claim can no longer be reached."""
    start = claim.start_weights if claim.start_weights.size else np.zeros(points.n_columns)
    course = Course(claim.is_batch, claim.order, claim.step, claim.seed, start, claim.start_intercept)
    is_pocket = claim.form == "pocket"
    runner = Runner(points, course, form=claim.form, keeps_best=is_pocket)
    runner.watch(claim.plane)
    ending = runner.run(
        claim.visits, MOST_VISITS, goes_on=lambda so_far: is_reachable(claim.counts, so_far, points.n_rows)
    )
    trace = runner.trace()
    answer = answer_of(runner, claim.form, runner.errors_of(runner.weights, runner.intercept) if is_pocket else 0)
    is_whole = ending not in (kernels.GOES_ON, kernels.STOPPED) or claim.visits % points.n_rows == 0
    return RunAgain(runner.counts, trace, answer, runner.errors_of(answer.weights, answer.intercept), is_whole)


def is_reachable(claimed: Counts, so_far: Counts, n: int) -> bool:
    """Whether a run on n points that has done this can still end as claimed: a pass without a step is the last."""
    visits, mistakes, squares, steps = (a - b for a, b in zip(claimed, so_far, strict=True))
    return squares >= 0 and 0 <= mistakes <= visits <= n * (steps + 2)
