"""The same problem in units in which its numbers are about one: powers of two, which change no digit of anything.

With columns in units of 2^c, labels (and scores) of 2^t, losses of 2^l, P in units of 2^q, q = l + degree t, and
weights in units of 2^(t - c):

    P(w, b) = 2^q P'(w', b'),    l1' = l1 2^(t - c - q),    l2' = l2 2^(2 (t - c) - q),    radius' = radius 2^(c - t).

Methods have thresholds of their own, and numbers far from one overflow or vanish in them. A solver that is run on P'
takes the same steps whatever the units of the data are.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from empirisk.capabilities import has_label_units, offers
from empirisk.compiled import adopt
from empirisk.designs import largest_entry
from empirisk.problems import copies
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.moments import Moments
from empirisk.problems.penalty_and_constraint import join
from empirisk.protocols import Vector
from empirisk.rows.protocol import RowBlock

SMALL = 1 << 20  # entries of X, of which a copy costs nothing to speak of; larger ones are copied where they must be
FAR = 40  # powers of two from one, from which on they must be
MOST_POWER = 1000  # of a factor that is still a number, whichever way it is used


class Units(NamedTuple):
    """The powers of two that lead to the units of a problem, and back."""

    n_columns: int
    of_columns: int
    of_scores: int
    of_objective: int

    @property
    def of_weights(self) -> int:
        """What moves a score by one unit."""
        return self.of_scores - self.of_columns

    def into(self, point: LinearPoint) -> LinearPoint:
        """A point of the problem as it was given, in these units."""
        return LinearPoint(np.ldexp(point.weights, -self.of_weights), _times_power(point.intercept, -self.of_scores))

    def back(self, point: LinearPoint) -> LinearPoint:
        """A point in these units, as one of the problem as it was given; its evidence too."""
        evidence = point.evidence
        if isinstance(evidence, Moments):
            evidence = self._moments(evidence)
        elif evidence is not None:
            evidence = np.ldexp(evidence, self.of_objective - self.of_scores)
        b = _times_power(point.intercept, self.of_scores)
        return LinearPoint(np.ldexp(point.weights, self.of_weights), b, evidence)

    def value(self, x: float) -> float:
        """An objective or a gap."""
        return _times_power(x, self.of_objective)

    def _moments(self, found: Moments) -> Moments:
        of_slope, d = self.of_objective - self.of_scores, self.n_columns
        powers = np.zeros(found.slopes.size, dtype=np.int64)  # the last is that of the intercept, where there is one
        powers[:d] = self.of_columns
        return found._replace(
            curvature=_times_power(found.curvature, of_slope - self.of_scores),
            level=_times_power(found.level, self.of_objective),
            slopes=np.ldexp(found.slopes, of_slope + powers),
            squared_slope=_times_power(found.squared_slope, 2 * of_slope),
            gram=np.ldexp(found.gram, powers[:, None] + powers[None, :]),
            longest=_times_power(found.longest, self.of_columns),
        )


class InOwnUnits(NamedTuple):
    """A problem in its own units."""

    problem: EmpiricalRisk
    units: Units


def units_of(problem: EmpiricalRisk) -> InOwnUnits | None:
    """The problem in its own units; None where these are one, or where a part of it does not say how it scales."""
    loss, columns = problem.loss, _power_of_columns(problem)
    has_units = has_label_units(loss)
    labels = _power(label_size(problem)) if has_units else 0
    losses = _power(float(loss.scale)) if offers(loss, "value") and hasattr(loss, "scale") and _is_ours(loss) else 0
    objective, weights = losses + (int(loss.label_degree()) * labels if has_units else 0), labels - columns
    if columns == labels == losses == 0:
        return None
    if max(map(abs, (columns, labels, losses, objective, weights, 2 * weights - objective))) > MOST_POWER:
        return None
    if losses:
        loss = loss._replace(scale=math.ldexp(loss.scale, -losses))
    if labels:
        loss = loss.in_label_unit(2.0**labels)
    parts = _parts(problem._parts, weights, objective)
    if parts is None:
        return None
    rows = problem.rows
    omega = join(*parts, rows.n_columns)
    adopt(loss, omega)
    scaled_labels = rows.vector(_times_power_of_two, -labels, rows=(problem.labels,)) if labels else problem.labels
    changes = {"loss": loss, "labels": scaled_labels, "regularizer": omega, "_parts": parts}
    scaled = copies.copy_with(problem, rows=rows.scaled(-columns) if columns else rows, **changes)
    return InOwnUnits(scaled, Units(rows.n_columns, columns, labels, objective))


def label_size(problem: EmpiricalRisk) -> float:
    """The largest |y_i| of the rows that have weight."""
    return max(problem.rows.each(_largest_label, rows=(problem.labels, problem.weights)))


def _largest_label(block: RowBlock, labels: Vector, weights: Vector) -> float:
    present = labels[weights > 0.0] if weights.size else labels
    return max(float(present.max()), -float(present.min())) if present.size else 0.0


def _times_power_of_two(block: RowBlock, power: int, labels: Vector, out: Vector) -> None:
    np.ldexp(labels, power, out=out)


def _is_ours(loss: Any) -> bool:
    """Whether `scale` is what it is in this package: a factor of the loss."""
    return type(loss).__module__.partition(".")[0] == __package__.partition(".")[0]


def _times_power(x: float, power: int) -> float:
    """x 2^power; infinite where that overflows, which Python's own ldexp refuses."""
    return float(np.ldexp(x, power))


def _power(x: float) -> int:
    """e, where 2^e <= x < 2^(e + 1); 0 for 0."""
    return math.frexp(x)[1] - 1 if x > 0.0 else 0


def _power_of_columns(problem: EmpiricalRisk) -> int:
    """That of the largest entry; 0 where a large table is near enough to one."""
    known = problem._power[0]
    if known is None:
        power = _power(max(problem.rows.each(_largest_entry)))
        known = 0 if problem.rows.n_entries > SMALL and abs(power) <= FAR else power
        problem._power[0] = known
    return known


def _largest_entry(block: RowBlock) -> float:
    return largest_entry(block.design)


def _parts(parts: tuple[Any, Any, Any, Any], of_weights: int, of_objective: int) -> tuple[Any, Any, Any, Any] | None:
    """Strengths, further regularizer and constraint in these units; None where one does not say how."""
    l1, l2, regularizer, constraint = parts
    first, second = 2.0 ** (of_weights - of_objective), 2.0 ** (2 * of_weights - of_objective)
    if not all(part is None or offers(part, "scaled") for part in (regularizer, constraint)):
        return None
    limits = None if constraint is None else constraint.scaled(2.0**-of_weights)
    further = None if regularizer is None else regularizer.scaled(first, second)
    scaled = (l1 * first, l2 * second)
    pairs = ((scaled, (l1, l2)), (limits or (), constraint or ()), (further or (), regularizer or ()))
    return (*scaled, further, limits) if all(_is_kept(new, old) for new, old in pairs) else None


def _is_kept(new: tuple[Any, ...], old: tuple[Any, ...]) -> bool:
    """Whether no number of these has become infinite, or nothing."""
    numbers = [pair for pair in zip(new, old, strict=True) if isinstance(pair[1], float)]
    return all(math.isfinite(x) == math.isfinite(y) and (x != 0.0) == (y != 0.0) for x, y in numbers)
