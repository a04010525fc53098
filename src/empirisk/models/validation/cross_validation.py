"""Strengths chosen by cross-validation: the pair with the least mean loss on rows that were left out of the fit.

Columns are encoded and standardised, and classes weighed, once for all folds: none of it learns from a label more than
how many rows each class has.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.models.labels import from_scores
from empirisk.models.limit import NO_LIMIT, Limit
from empirisk.models.many_classes import minimize_posed
from empirisk.models.newest_fit import NewestFit
from empirisk.models.options import FitOptions
from empirisk.models.validation.fold_moments import losses_by_moments
from empirisk.paths import follow
from empirisk.problems.linear_risk import LinearRisk
from empirisk.problems.passes import blank_scores, risk_gradient
from empirisk.problems.several_targets import SeveralTargets
from empirisk.progress import Event
from empirisk.protocols import Point, Unsupported, Vector
from empirisk.solution import Solution, Status
from empirisk.stopwatch import Stopwatch

log = logging.getLogger("empirisk")

LEAST_GAIN = 1e-3  # of a standard error: where the last step to the end of a grid gains less, so would further ones
CUT = (Status.TIME_LIMIT, Status.INTERRUPTED)


class CrossValidation(NamedTuple):
    """The held-out losses of each pair of strengths on each fold."""

    l1: Vector  # of each pair
    l2: Vector
    fold_weights: Vector  # the weight of the held-out rows of each fold
    fold_losses: NDArray[np.float64]  # folds x pairs: the mean loss on the held-out rows
    fold_errors: NDArray[np.float64] | None  # folds x pairs: the share of them with a wrong class; None for regression
    uncertified: int  # of the fits on parts of the data
    fewer_folds: str = ""  # why there are not as many as were asked for
    extended: str = ""  # what was tried beyond the grid

    @property
    def n_folds(self) -> int:
        """How many there are."""
        return self.fold_weights.size

    @property
    def tuned(self) -> tuple[str, ...]:
        """Which strengths were chosen."""
        return tuple(name for name in ("l1", "l2") if np.ptp(getattr(self, name)) > 0.0)

    @property
    def losses(self) -> Vector:
        """The mean of each pair over the folds, which weigh as much as their rows."""
        return np.asarray(np.average(self.fold_losses, axis=0, weights=self.fold_weights))

    @property
    def errors(self) -> Vector | None:
        """The share of held-out rows with a wrong class; None for a regression."""
        if self.fold_errors is None:
            return None
        return np.asarray(np.average(self.fold_errors, axis=0, weights=self.fold_weights))

    @property
    def standard_errors(self) -> Vector:
        """Of the mean losses: sqrt(mean of (loss - mean)^2 over the folds / (folds - 1)); infinite where a loss is."""
        with np.errstate(invalid="ignore"):
            squares = (self.fold_losses - self.losses) ** 2
        variances = np.average(squares, axis=0, weights=self.fold_weights) / (self.fold_weights.size - 1)
        return np.where(np.isfinite(self.losses), np.sqrt(variances), np.inf)

    @property
    def best(self) -> int:
        """The place of the pair with the least mean loss, the strongest of equal ones."""
        return int(np.argmin(self.losses))

    @property
    def at_the_end(self) -> str:
        """Which strengths ended up as the largest or smallest of their grid, in words; empty where none did."""
        said = []
        for name in self.tuned:
            end = self.end_of(name)
            if end and name == "l1" and end == "largest":
                said.append("l1 is the largest of those tried, under which all weights are zero")
            elif end and self.is_flat_towards_end(name):
                said.append(f"{name} is the {end} of those tried: towards it the held-out loss hardly changes")
            elif end:
                said.append(f"{name} is the {end} of those tried: a better one may lie beyond")
        return "; ".join(said)

    def end_of(self, name: str) -> str:
        """Whether the chosen strength is the "largest" or the "smallest" of those tried; empty where it is neither."""
        tried, chosen = getattr(self, name), getattr(self, name)[self.best]
        return {tried.min(): "smallest", tried.max(): "largest"}.get(chosen, "")

    def is_flat_towards_end(self, name: str) -> bool:
        """Whether a chosen strength at the end of its grid gains next to nothing on the one before."""
        other = self.l2 if name == "l1" else self.l1
        alike = np.flatnonzero(other == other[self.best])
        steps = np.abs(np.log(getattr(self, name)[alike] / getattr(self, name)[self.best]))
        before = alike[np.argsort(steps, kind="stable")[1]]
        gain = self.losses[before] - self.losses[self.best]
        return bool(gain <= LEAST_GAIN * self.standard_errors[self.best])

    def results(self) -> dict[str, Any]:
        """Everything as arrays, for people who look for themselves."""
        found: dict[str, Any] = {
            "l1": self.l1,
            "l2": self.l2,
            "mean_loss": self.losses,
            "standard_error": self.standard_errors,
            "fold_weights": self.fold_weights,
            "fold_losses": self.fold_losses,
        }
        if self.fold_errors is not None:
            found |= {"mean_error": self.errors, "fold_errors": self.fold_errors}
        return found


def cross_validate(
    problem: LinearRisk,
    options: FitOptions,
    l1: Vector,
    l2: Vector,
    folds: NDArray[np.int64],
    on_event: Callable[[Event], Any] | None = None,
    limit: Limit = NO_LIMIT,
    newest: NewestFit | None = None,
) -> CrossValidation:
    """Fit a path without each fold in turn, and take the mean loss of each of its points on that fold.

    Every l1 goes with every l2. `folds` has the fold of each row, -1 for one that takes no part. Where the limit cuts a
    fit, there are the folds before. `newest` is told of every fit.
    """
    newest = NewestFit() if newest is None else newest
    weights = weights_of(problem)
    n_folds = int(folds.max()) + 1
    sizes = np.bincount(folds[folds >= 0], weights[folds >= 0]).astype(np.float64, copy=False)
    every_l1, every_l2 = np.tile(l1, l2.size), np.repeat(l2, l1.size)
    losses, errors = np.empty((2, n_folds, every_l1.size))
    uncertified, fits, watch = 0, 0, Stopwatch()
    is_classification = options.task == "classification"
    pairs = list(zip(every_l1.tolist(), every_l2.tolist(), strict=True))
    by_moments = losses_by_moments(problem, options, pairs, folds, limit, newest)
    if by_moments is not None:
        if on_event is not None and by_moments.size:
            done = by_moments.shape[0]
            on_event(_event(done - 1, n_folds, by_moments.size, losses.size, watch.seconds()))
        return CrossValidation(every_l1, every_l2, sizes[: by_moments.shape[0]], by_moments, None, uncertified)
    for fold in range(n_folds):
        solution: Solution | None = None
        training = problem.with_weights(problem.rows.place(np.where((folds >= 0) & (folds != fold), weights, 0.0)))
        held_out = problem.with_weights(problem.rows.place(np.where(folds == fold, weights, 0.0)))
        for k, solution in _points(training, options, l1, l2, limit):
            if solution.status in CUT:
                break
            losses[fold, k], scores = _mean_loss(held_out, solution)
            if is_classification:
                errors[fold, k] = _share_wrong(held_out, scores, folds == fold)
            uncertified += not solution.certified
            newest.note(fold, *pairs[k], losses[fold, k], solution.point)
            fits += 1
            if on_event is not None:
                on_event(_event(fold, n_folds, fits, losses.size, watch.seconds()))
        if solution is not None and solution.status in CUT:
            n_folds = fold
            break
        log.info("cross-validation: fold %d of %d done", fold + 1, n_folds)
    sizes = sizes[:n_folds]
    losses, errors = np.where(np.isnan(losses), np.inf, losses)[:n_folds], errors[:n_folds]
    return CrossValidation(every_l1, every_l2, sizes, losses, errors if is_classification else None, uncertified)


def _event(fold: int, n_folds: int, fits: int, n_fits: int, seconds: float) -> Event:
    done = fits / n_fits
    return Event("folds", done, {"fold": fold + 1, "of": n_folds, "fits": fits}, seconds, seconds / done - seconds)


def deal(
    labels: NDArray[Any], weights: Vector, n_folds: int, seed: int, classes: NDArray[Any] | None
) -> NDArray[np.int64]:
    """The fold of each row, -1 for rows of weight zero: shuffled, and each class dealt out evenly.

    `classes` are the labels as the user has them, None for a regression.
    """
    order = np.random.default_rng(seed).permutation(np.flatnonzero(weights > 0.0))
    most, rarest = most_folds(labels, weights, classes)
    if n_folds > most:
        raise Unsupported(f"there can be at most {most} folds, as {rarest}, got {n_folds}")
    if classes is not None:
        order = order[np.argsort(labels[order], kind="stable")]
    folds = np.full(weights.size, -1)
    folds[order] = np.arange(order.size) % n_folds
    return folds


def most_folds(labels: NDArray[Any], weights: Vector, classes: NDArray[Any] | None) -> tuple[int, str]:
    """How many folds can each have a row, of each class where there are `classes`; and why no more."""
    present = labels[weights > 0.0]
    if classes is None:
        return len(present), f"there are {len(present)} rows with a positive weight"
    _, counts = np.unique(present, return_counts=True)
    least = int(counts.min())
    rows = "row" if least == 1 else "rows"
    return least, f"the class {classes.tolist()[np.argmin(counts)]!r} has {least} {rows} with a positive weight"


def weights_of(problem: LinearRisk) -> Vector:
    """The sample weights, ones where there are none."""
    rows = problem.rows
    return rows.gather(problem.weights) if problem.weights.size else np.ones(rows.n_rows)


def _points(
    problem: LinearRisk, options: FitOptions, l1: Vector, l2: Vector, limit: Limit
) -> Iterator[tuple[int, Solution]]:
    """Place and solution of each pair, along paths of l1 where there is more than one l1, else along one of l2."""

    def solve(problem: LinearRisk, start: Point | None) -> Solution:
        return minimize_posed(problem, options, None, start, limit)

    if l1.size == 1:
        yield from follow(problem.with_strengths(l1=float(l1[0])), l2, "l2", solve)
        return
    for first, value in enumerate(l2.tolist()):
        for k, solution in follow(problem.with_strengths(l2=value), l1, "l1", solve):
            yield first * l1.size + k, solution


def _mean_loss(problem: LinearRisk, solution: Solution) -> tuple[float, NDArray[np.float64]]:
    """The mean loss of a solution on the rows of this problem, without the penalty, and the scores of all rows.

    That of several targets is the sum of theirs, as in the objective; nothing asks for their scores.
    """
    x = solution.point.stacked()
    if isinstance(problem, SeveralTargets):
        parts = zip(problem.parts, np.ascontiguousarray(x.T), strict=True)
        with np.errstate(all="ignore"):
            losses = [risk_gradient(part, own, blank_scores(part, own)).objective for part, own in parts]
        return sum(losses), np.empty(0)
    scores = blank_scores(problem, x)
    with np.errstate(all="ignore"):
        return risk_gradient(problem, x, scores).objective, scores


def _share_wrong(problem: LinearRisk, scores: NDArray[np.float64], rows: NDArray[np.bool_]) -> float:
    numbers = np.array([-1.0, 1.0]) if scores.ndim == 1 else np.arange(scores.shape[1])
    data, held_out = problem.rows, np.flatnonzero(rows)
    wrong = from_scores(data.pick(scores, held_out), numbers) != data.pick(problem.labels, held_out)
    return float(np.average(wrong, weights=data.pick(problem.weights, held_out)))
