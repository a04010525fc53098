"""Whether a loss is fit to be used: the laws, with a sentence that says which one fails and where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from empirisk.capabilities import offers, tasks_of
from empirisk.losses import as_loss
from empirisk.losses.laws import duals, values
from empirisk.losses.laws.machine_code import compiles, without_nan
from empirisk.losses.laws.probe import probe, refusal

SIGNS = (-1.0, 1.0)
REALS = (-1.0, 1.0, 0.0, 0.3, -4.0, 7.0)
LAWS = (
    values.finite,
    values.slopes,
    values.kinks,
    values.convexity,
    values.second_derivative,
    values.smoothness,
    values.lower_bound,
    values.pieces,
    duals.conjugate,
    duals.dual_step,
    duals.prox,
)


def check_loss(loss: Any, labels: Iterable[float] | None = None) -> None:
    """Raise ValueError, with one sentence, where `loss` breaks a law that solvers and certificates rely on.

    The laws: it is a NamedTuple with a field; `value` and `derivative` are finite numbers; the derivative is that of
    the value, and where it jumps has_kinks() says so; convex unless is_convex() says no; each optional method that it
    offers is what it claims to be (second_derivative, smoothness, conjugate, dual_step, prox, pieces, lower_bound);
    it compiles, and gives compiled what it gives interpreted; no NaN at scores up to 1e300.
    They are tried on a fixed grid of scores: a loss that passes may still be wrong in between. The labels are -1 and
    +1 for classification, and some reals for regression that the loss accepts, unless `labels` names others.
    """
    if isinstance(loss, type):
        raise ValueError(f"check_loss takes an object: {loss.__name__}(), not the class {loss.__name__}")
    for method in ("value", "derivative"):
        if not offers(loss, method):
            raise refusal(loss, f"it has no method {method}(z, y)")
    try:
        as_loss(loss)
    except TypeError as error:
        raise refusal(loss, str(error)) from error
    with np.errstate(all="ignore"):  # NumPy's functions would warn where math's are silent
        probes = [probe(loss, label) for label in _labels(loss, labels)]
        for law in LAWS:
            for item in probes:
                law(item)
        compiles(probes)
        for item in probes:
            without_nan(item)


def check_slopes(loss: Any, labels: Iterable[float]) -> None:
    """The laws on which a certificate without a conjugate rests: value, derivative and convexity agree.

    Interpreted, on the grid, at the least, the middle and the largest of the labels: some milliseconds.
    """
    ordered = np.unique(np.asarray(labels))
    with np.errstate(all="ignore"):
        for label in {float(ordered[0]), float(ordered[ordered.size // 2]), float(ordered[-1])}:
            item = probe(loss, label)
            values.slopes(item)
            values.convexity(item)


def _labels(loss: Any, given: Iterable[float] | None) -> list[float]:
    if given is not None:
        return [float(y) for y in given]
    tasks = tasks_of(loss)
    if not tasks or not set(tasks) <= {"classification", "regression"}:
        raise refusal(loss, f'tasks() is {tasks!r}, which must be "classification", "regression" or both, in a tuple')
    found = REALS if "regression" in tasks else SIGNS
    accepted = [y for y in found if not offers(loss, "accepts") or loss.accepts(y)]
    if not accepted:
        raise refusal(loss, f"accepts(y) takes none of {found}: give check_loss some labels that it takes")
    return accepted
