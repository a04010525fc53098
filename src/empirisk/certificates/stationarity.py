"""The certificate of a problem that is not convex: how far the point is from a stationary one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import SMALLEST, TINY, UNIT, exact_sum, norm
from empirisk.capabilities import is_convex, is_quadratic, name_of, offers
from empirisk.certificates.fields import check_names, number_of, numbers_json, text_of
from empirisk.certificates.registry import register
from empirisk.certificates.scores_and_duals import ends
from empirisk.certificates.verification import (
    OTHER_POINT,
    OTHER_PROBLEM,
    digest,
    is_rounding,
    is_small,
    relative,
)
from empirisk.losses.on_vectors import to_shares, values_and_slopes
from empirisk.problems.empirical_risk import EmpiricalRisk
from empirisk.problems.linear_point import LinearPoint
from empirisk.problems.passes import penalty, prox, risk_gradient
from empirisk.protocols import Headline, Vector, Verification, Words
from empirisk.rows.norms import to_norms
from empirisk.rows.protocol import RowBlock
from empirisk.rows.row_kernels import measure_rows
from empirisk.rows.tiles import tiles

NUMBERS = ("objective", "gap", "rounding", "scale")


@register
class Stationarity(NamedTuple):
    """The (sub)gradient of the objective at the weights has at most the norm `gap`.

    With a kink or a constraint in the regularizer it is the gradient mapping (w - prox(w - g, 1), slope of b), which
    is zero exactly at stationary points. It says nothing about other stationary points. `scale` is the norm at
    (0, 0): tolerances are relative to it.
    """

    objective: float
    gap: float
    rounding: float
    scale: float
    subject: str = ""  # digest of the weights and the intercept it speaks of

    @property
    def relative_gap(self) -> float:
        """The norm divided by that at the start."""
        return relative(self.gap, self.scale)

    def is_within(self, tol: float) -> bool:
        """Whether the norm is at most tol times that at the start; never where there was no slope at all."""
        return not self.is_flat() and is_small(self.gap, tol, self.scale)

    def is_flat(self) -> bool:
        """Whether there is no slope, here and at zero: the loss gives no direction, and nothing follows from that."""
        return self.gap == 0.0 and self.scale == 0.0

    def ending(self) -> str:
        """The name of the status to stop with, whatever the solver does: where no step is known."""
        return "FLAT" if self.is_flat() else ""

    def is_rounding_only(self) -> bool:
        """Whether the norm is no larger than rounding alone can make it."""
        return is_rounding(self.gap, self.rounding)

    def about(self, point: LinearPoint) -> Stationarity:
        """The same certificate, bound to this point."""
        return self._replace(subject=digest(point))

    def with_evidence(self, point: LinearPoint) -> LinearPoint:
        """The point itself: nothing else is needed."""
        return point._replace(evidence=None)

    def sentence(self) -> str:
        """The claim in words."""
        if self.is_flat():
            return (
                f"The objective {self.objective:.10g} is flat here and at zero: every derivative of the loss is zero, "
                "so that no step is known, and nothing is proven about other weights."
            )
        return (
            f"The problem is not convex. At the objective {self.objective:.10g} the norm of the gradient is at most "
            f"{self.gap:.3g} ({self.relative_gap:.2g} of that at zero), rounding included; other minima may be lower."
        )

    def words(self, tol: float) -> Words:
        """What is proven where no floor can be."""
        short = ""
        notes: tuple[str, ...] = ()
        if not self.is_within(tol):
            short = f"the gradient is {self.relative_gap:.2g} of that at the start, and {tol:g} was asked"
            notes = (f"The gradient is {self.relative_gap:.3g} of that at zero weights, and {tol:.3g} was asked for.",)
        if self.is_flat():
            short = "the loss is flat, and gives no direction to go"
            notes = ("Every derivative of the loss is zero here and at zero weights: take a loss with a slope.",)
        if not math.isfinite(self.gap):
            notes = ("The gradient is infinite: nothing was proven about these weights.",)
        return Words(
            meaning="The loss is not convex, so there may be several minima, and no floor can be proven in this way. "
            "What is proven is that the slope of the objective at these weights is small: they are close to a point "
            "where it is level. Whether that is the lowest one is not known.",
            headline=(
                Headline("Objective reached", self.objective, "other minima may be lower"),
                Headline("Relative gradient", self.relative_gap, f"asked: at most {tol:.3g}"),
            ),
            checked="the objective and its slope",
            shortfall=short,
            notes=notes,
        )

    def verify(self, problem: EmpiricalRisk, point: LinearPoint) -> Verification:
        """Recompute the gradient from the data and compare it with the claim."""
        if not isinstance(problem, EmpiricalRisk) or not isinstance(point, LinearPoint) or is_convex(problem.loss):
            return OTHER_PROBLEM  # of a convex one more is asked than that the slope is small
        if self.subject != digest(point):
            return OTHER_POINT
        if point.weights.shape != (problem.rows.n_columns,) or (point.intercept and not problem.fit_intercept):
            return Verification(False, "The weights do not fit the problem.")
        found = stationarity(problem, point)
        slack, said = 4.0 * found.rounding, ""
        if not 0.0 <= self.rounding < math.inf:
            said = "The claimed rounding cannot be one."
        elif not found.gap - found.rounding <= self.gap:
            said = f"The recomputed norm {found.gap:.6g} is larger than the claimed {self.gap:.6g}."
        elif not abs(found.objective - self.objective) <= slack + 1e-12 * abs(found.objective):
            said = f"The recomputed objective {found.objective:.12g} is not the claimed {self.objective:.12g}."
        elif not 0.0 <= self.scale <= found.scale + slack:
            said = f"The claimed norm {self.scale:.6g} at zero is not that of these data."
        holds, said = (
            not said,
            said or f"Recomputed from the data: the norm of the gradient is at most {found.gap:.3g}.",
        )
        return Verification(holds, said, {"gap": found.gap})

    def to_json(self) -> dict[str, Any]:
        """The numbers."""
        return {"kind": name_of(self), **numbers_json(self, NUMBERS), "subject": self.subject}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """None."""
        return {}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Stationarity:
        """What `to_json` gave."""
        check_names(cls, data, (*NUMBERS, "subject"), arrays, ())
        return cls._make((*(number_of(data, name) for name in NUMBERS), text_of(data, "subject")))


def stationarity(problem: EmpiricalRisk, point: LinearPoint) -> Stationarity:
    """Certify the point."""
    with np.errstate(all="ignore"):
        objective, size, rounding = _measure(problem, point.weights, point.intercept)
        _, scale, _ = _measure(problem, np.zeros(point.weights.size), 0.0)
    gap = size + 2.0 * rounding
    return Stationarity(objective, math.inf if math.isnan(gap) else gap, rounding, scale)


def _measure(problem: EmpiricalRisk, w: Vector, b: float) -> tuple[float, float, float]:
    """Objective, norm of the gradient (mapping), and a bound on the rounding of the norm."""
    at = risk_gradient(problem, np.append(w, b), problem.rows.blank())
    if is_quadratic(problem.regularizer):
        mapped = at.weights + problem.regularizer.l2 * w
    else:
        mapped = np.empty(w.size)
        prox(problem.regularizer, w - at.weights, 1.0, mapped)
        np.subtract(w, mapped, out=mapped)
    size = math.hypot(norm(mapped), at.intercept)
    terms = problem.rows.n_rows + 16.0
    smoothness = float(problem.loss.smoothness()) if offers(problem.loss, "smoothness") else -1.0
    args = problem.loss, 1.0 / problem.total_weight, smoothness, w, b, terms
    rounding = exact_sum(problem.rows.each(_rounding, *args, rows=(problem.labels, problem.weights)))
    rounding += 4.0 * UNIT * (w.size + 8) * (size + norm(w) + norm(at.weights))
    return at.objective + penalty(problem, w), size, rounding


def _rounding(
    block: RowBlock,
    loss: Any,
    scale: float,
    smoothness: float,
    w: Vector,
    b: float,
    terms: float,
    y: Vector,
    weights: Vector,
) -> float:
    """How far the gradient of the mean loss may be off: rounding of its sums, and of the scores times curvature."""
    total = 0.0
    for at, tile in tiles(block.design):
        z, reaches, norms, sizes = measured = np.empty((4, tile.n_rows()))
        measure_rows(tile, w, measured)
        to_norms(tile, norms)
        z += b
        values, slopes = np.empty((2, z.size))
        values_and_slopes(loss, z, y[at], values, slopes)
        offs = 1.01 * (sizes + 3.0) * UNIT * (reaches + abs(b) + sizes * 4.0 * TINY)
        changes = smoothness * offs
        if smoothness < 0.0:
            left, right = ends(loss, z, offs, y[at], np.empty((4, z.size)))
            changes = np.abs(right - slopes) + np.abs(left - slopes)
        lost = np.where((changes != 0.0) | (slopes != 0.0), SMALLEST * terms, 0.0)  # of products that underflow
        errors = changes + terms * UNIT * np.abs(slopes)
        to_shares(weights[at], scale, errors)
        parts = (errors + lost) * (sizes + norms)
        total += float((parts[weights[at] > 0.0] if weights.size else parts).sum())
    return total
