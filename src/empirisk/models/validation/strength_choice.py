"""Which strengths a cross-validation tries: a grid, and what lies beyond it while its end is the best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.models.limit import NO_LIMIT, Limit
from empirisk.models.newest_fit import NewestFit
from empirisk.models.options import FitOptions
from empirisk.models.validation.cross_validation import CrossValidation, cross_validate, deal, most_folds, weights_of
from empirisk.paths import strength_grid
from empirisk.problems.linear_risk import LinearRisk
from empirisk.progress import Event
from empirisk.protocols import Point, Unsupported, Vector

L2_SHARE = 4  # of a grid of pairs: there are so many times fewer strengths of l2 than of l1
MOST_EXTENSIONS = 2  # of a grid, each by half of it: from 1e-6 of the strongest l2 to 1e-12
CHOICE_SHARE = 0.5  # of a time limit, at most; the rest is for the fit on all data


class Choice(NamedTuple):
    """The strengths, and what they were chosen by."""

    l1: float
    l2: float
    validation: CrossValidation | None  # None where fewer than two folds were done
    start: Point | None = None  # where it was ended early: the best point there is, of a fit without one of the folds
    why: str = ""  # what must be said of a choice that has no validation


def choose_strengths(
    problem: LinearRisk,
    options: FitOptions,
    classes: NDArray[Any] | None,
    on_event: Callable[[Event], Any] | None = None,
    limit: Limit = NO_LIMIT,
) -> Choice:
    """Cross-validate the strengths that are "cv" in the options, on grids that the problem gives.

    A grid is extended while the best strength is at its end. There are no more folds than the rarest class has rows.
    `on_event` is told after each fit on a part of the data. Where the limit ends it, the folds that were done choose,
    with none of them the strengths that were tried on the first.
    """
    limit = limit.part(CHOICE_SHARE)
    n = {"l1": options.n_strengths, "l2": options.n_strengths}
    if len(options.tuned) == 2:
        n["l2"] = max(2, options.n_strengths // L2_SHARE)
    grids = {
        name: strength_grid(problem, name, n=n[name]) if name in options.tuned else np.array([getattr(options, name)])
        for name in ("l1", "l2")
    }
    weights = weights_of(problem)
    n_folds, why = _folds(problem, weights, options.folds, classes)
    folds = deal(problem.rows.gather(problem.labels), weights, n_folds, options.random_state, classes)
    newest = NewestFit()

    def tried(l1: Vector, l2: Vector) -> CrossValidation:
        return cross_validate(problem, options, l1, l2, folds, on_event, limit, newest)

    found = tried(grids["l1"], grids["l2"])
    if found.n_folds and not np.isfinite(found.losses[found.best]):
        said = "the held-out loss is infinite for every strength"
        raise ValueError(f"{said}: scale the columns of X (and a numeric y)")
    if found.n_folds < n_folds:
        if found.n_folds < 2:
            return _early(found, newest, options.tuned, n_folds, limit.who_ended())
        why = f"{found.n_folds} folds instead of {options.folds}: {limit.who_ended()} ended the cross-validation"
    is_cut = found.n_folds < n_folds
    if not is_cut and not limit.is_asked_to_stop():
        found, is_cut = extended(found, options.tuned, tried, limit)
    start = newest.point if is_cut or limit.is_asked_to_stop() else None
    return Choice(float(found.l1[found.best]), float(found.l2[found.best]), found._replace(fewer_folds=why), start)


def _early(found: CrossValidation, newest: NewestFit, tuned: tuple[str, ...], n_folds: int, who: str) -> Choice:
    """What one fold says, or the part of it that was done."""
    if newest.point is None:
        said = f"{who} ended the cross-validation before the first of its fits was done, and there is nothing to keep"
        raise Unsupported(f"{said}: give it more time, or numbers for l1 and l2")
    l1, l2 = newest.l1, newest.l2
    if found.n_folds:
        l1, l2 = float(found.l1[found.best]), float(found.l2[found.best])
    words = " and ".join(f"{name} {value:g}" for name, value in (("l1", l1), ("l2", l2)) if name in tuned)
    count = found.l1.size if found.n_folds else newest.tried
    said = f"{words} was chosen on the first of {n_folds} folds alone, of {count} tried there"
    return Choice(l1, l2, None, newest.point, f"{said}: {who} ended the cross-validation")


def extended(
    found: CrossValidation,
    tuned: tuple[str, ...],
    tried: Callable[[Vector, Vector], CrossValidation],
    limit: Limit = NO_LIMIT,
) -> tuple[CrossValidation, bool]:
    """The same with strengths beyond the ends at which the best one was, as `tried` finds them; whether it was cut."""
    added: dict[tuple[str, str], int] = {}
    is_cut = False
    half = {name: max(1, np.unique(getattr(found, name)).size // 2) for name in tuned}
    for name in tuned * MOST_EXTENSIONS:
        end = found.end_of(name)
        beyond = _beyond(found, name, end, half[name])
        if beyond.size == 0 or found.is_flat_towards_end(name):
            continue
        more = tried(beyond, np.unique(found.l2)[::-1]) if name == "l1" else tried(np.unique(found.l1)[::-1], beyond)
        is_cut = more.n_folds < found.n_folds
        if is_cut:
            break
        found = _together(found, more)
        added[name, end] = added.get((name, end), 0) + beyond.size
    words = {"smallest": "smaller", "largest": "larger"}
    said = [
        f"{count} {words[end]} {name} were tried beyond the grid, whose {end} was best"
        for (name, end), count in added.items()
    ]
    said += [f"{limit.who_ended()} ended the search beyond the grid"] if is_cut else []
    return found._replace(extended="; ".join(said)), is_cut


def _folds(problem: LinearRisk, weights: Vector, asked: int, classes: NDArray[Any] | None) -> tuple[int, str]:
    """As many folds as were asked for, or as can be, and why these are fewer."""
    most, rarest = most_folds(problem.rows.gather(problem.labels), weights, classes)
    if most < 2:
        each, instead = ("", "give") if classes is None else (" of each class", "leave them out, or give")
        said = f"a cross-validation needs more than one sample{each}, and {rarest}"
        raise Unsupported(f"{said}: {instead} numbers for l1 and l2")
    return (asked, "") if asked <= most else (most, f"{most} folds instead of {asked}, as {rarest}")


def _beyond(found: CrossValidation, name: str, end: str, n: int) -> Vector:
    """n strengths beyond this end, from the largest to the smallest, in steps of the grid; none where none helps."""
    grid = np.unique(getattr(found, name))
    if not end or (name == "l1" and end == "largest"):  # all weights are zero there, and would be beyond
        return np.empty(0)
    with np.errstate(over="ignore", under="ignore"):
        if end == "smallest":
            new = grid[0] * (grid[0] / grid[1]) ** np.arange(1, n + 1)
        else:
            new = grid[-1] * (grid[-1] / grid[-2]) ** np.arange(n, 0, -1)
    return new[(new >= np.finfo(float).tiny) & np.isfinite(new)]


def _together(found: CrossValidation, more: CrossValidation) -> CrossValidation:
    """All pairs of both, in the order of a grid: the strongest l2 first, and for each the strongest l1."""
    l1, l2 = np.append(found.l1, more.l1), np.append(found.l2, more.l2)
    order = np.lexsort((-l1, -l2))
    errors = None
    if found.fold_errors is not None and more.fold_errors is not None:
        errors = np.hstack([found.fold_errors, more.fold_errors])[:, order]
    return found._replace(
        l1=l1[order],
        l2=l2[order],
        fold_losses=np.hstack([found.fold_losses, more.fold_losses])[:, order],
        fold_errors=errors,
        uncertified=found.uncertified + more.uncertified,
    )
