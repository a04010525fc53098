"""The certificate of a generative model: its tables are the relative frequencies, which nothing beats."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from empirisk.arithmetic import UNIT
from empirisk.capabilities import name_of
from empirisk.certificates.fields import check_names, number_of, numbers_json, text_of
from empirisk.certificates.gap_words import relative_shortfall
from empirisk.certificates.registry import register
from empirisk.certificates.verification import OTHER_POINT, OTHER_PROBLEM, digest, is_small, relative
from empirisk.chains.generative.counts import Counts, counts_of
from empirisk.chains.generative.joint_likelihood import Frequencies, JointLikelihood, frequencies
from empirisk.chains.layout import Weights
from empirisk.chains.point import ChainPoint
from empirisk.protocols import Array, Headline, Verification, Words

NUMBERS = ("objective", "gap", "scale", "smoothing")
ROOM = 2.0  # times the gap: a checker whose logarithms round otherwise still proves what is claimed
SLACK = 1e-10  # of the sizes that the objective is summed from
NEAR = 1e-4  # differences of logarithms below which e^-d - 1 + d is taken from its series


@register
class CountedFrequencies(NamedTuple):
    """The tables that the weights stand for are within `gap` of those of the relative frequencies, which are the best.

    gap = (1/S) sum over the rows of the tables of (n + a width) KL(frequencies || model), where n is the count of a row
    and a the smoothing: by so much is P above its minimum. Rows of the model that do not sum to one are charged for it,
    n sum_i (f_i log(f_i / q_i) - f_i + q_i), which is no less than for the same rows divided by their sums.
    """

    objective: float
    gap: float
    scale: float  # max(P, 1e-6 P of uniform tables): tolerances are relative to it
    smoothing: float
    subject: str = ""  # digest of the weights it speaks of

    @property
    def relative_gap(self) -> float:
        """The gap divided by `scale`; zero where the gap is."""
        return relative(self.gap, self.scale)

    def is_within(self, tol: float) -> bool:
        """Whether the gap is at most tol * scale."""
        return is_small(self.gap, tol, self.scale)

    def is_rounding_only(self) -> bool:
        """Whether the gap is no larger than rounding alone can make it."""
        return bool(self.gap <= 4.0 * UNIT * self.scale)

    def about(self, point: ChainPoint) -> CountedFrequencies:
        """The same certificate, bound to these weights."""
        return self._replace(subject=digest(point))

    def with_evidence(self, point: ChainPoint) -> ChainPoint:
        """The weights: the counts are evidence enough."""
        return point

    def sentence(self) -> str:
        """The claim in words."""
        return (
            f"The tables are the relative frequencies with {self.smoothing:g} added to every count: the objective "
            f"{self.objective:.10g} is within {self.gap:.3g} of the minimum."
        )

    def words(self, tol: float) -> Words:
        """What counting proves."""
        return Words(
            meaning="This model was counted, not searched for: how often a label comes first, follows another one, and "
            "comes with a word. No other tables make the training sequences, words and labels together, more probable.",
            headline=(
                Headline("Objective reached", self.objective, f"relative gap {self.relative_gap:.2g}"),
                Headline("Added to every count", self.smoothing, "smoothing"),
            ),
            checked="the counts and the objective",
            shortfall=relative_shortfall(self, tol),
            notes=("It is about words and labels together: trained for the labels alone, a model may tag better.",),
        )

    def verify(self, problem: JointLikelihood, point: ChainPoint) -> Verification:
        """Count again, and compare."""
        if not isinstance(problem, JointLikelihood) or not isinstance(point, ChainPoint):
            return OTHER_PROBLEM
        if self.subject != digest(point):
            return OTHER_POINT
        if point.weights.shape != (problem.data.layout.size,):
            return Verification(False, "The weights do not fit the problem: it has others.")
        if self.smoothing != problem.smoothing:
            said = f"The certificate speaks of {self.smoothing:g} added to every count, not of {problem.smoothing:g}."
            return Verification(False, said)
        try:
            found = values_at(problem, point)
        except ValueError as error:
            return Verification(False, f"These are not the data that were counted: {error}.")
        if not (math.isfinite(found.gap) and math.isfinite(found.objective)):
            return Verification(False, "Nothing can be proven: numbers overflow, or what occurs has probability zero.")
        numbers = {"gap": found.gap}
        if not found.gap <= self.gap:
            return Verification(False, f"The recomputed gap {found.gap:.6g} is larger than {self.gap:.6g}.", numbers)
        if not abs(found.objective - self.objective) <= SLACK * found.sizes:
            said = f"The recomputed objective {found.objective:.12g} is not the claimed {self.objective:.12g}."
            return Verification(False, said, numbers)
        if not 0.0 <= self.scale <= found.scale + SLACK * found.sizes:
            return Verification(False, "The claimed scale is not that of the objective.", numbers)
        return Verification(True, f"Counted again: the gap is at most {found.gap:.3g}.", numbers)

    def to_json(self) -> dict[str, Any]:
        """The numbers."""
        return {"kind": name_of(self), **numbers_json(self, NUMBERS), "subject": self.subject}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """None: the counts are in the data."""
        return {}

    @classmethod
    def from_json(cls, data: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> CountedFrequencies:
        """What `to_json` gave; ValueError for anything else."""
        check_names(cls, data, (*NUMBERS, "subject"), arrays, ())
        numbers: Any = {name: number_of(data, name) for name in NUMBERS}
        return cls(subject=text_of(data, "subject"), **numbers)


class Values(NamedTuple):
    """What the certificate of some weights is made of."""

    objective: float
    gap: float  # an upper bound, rounding included
    sizes: float  # of the terms of the objective
    scale: float


class Table(NamedTuple):
    """The entries of one table, in any order. log q = u + shift."""

    counts: Array  # n f, the smoothing included
    rows: Array  # n of the row that an entry is in
    log_f: Array
    u: Array
    shift: Array
    shift_size: Array  # of the terms of it
    uniform: float  # the sum of n times the logarithm of the width


def values_at(problem: JointLikelihood, point: ChainPoint) -> Values:
    """The sums over all entries of the tables: q are those that the weights stand for, f the relative frequencies."""
    data = problem.data
    counts, S = counts_of(data), data.total_weight()
    found = frequencies(problem, counts)
    with np.errstate(all="ignore"):
        tables = _tables(problem, counts, found, data.layout.parts(point.weights))
        absent = data.layout.n_attributes - np.bincount(data.layout.state_labels, minlength=data.n_labels)
        rest = absent * np.where(
            absent > 0, problem.smoothing * found.base, 0.0
        )  # of pairs without weight, where q = f
        total, size, gap = float(np.sum(rest)), float(np.sum(np.abs(rest))), 0.0
        for table in tables:
            log_q = table.u + table.shift
            terms = np.where(table.counts > 0.0, table.counts * log_q, 0.0)
            off = counts.accuracy * (1.0 + np.abs(table.log_f) + np.abs(table.u) + table.shift_size)
            total, size = total + float(np.sum(terms)), size + float(np.sum(np.abs(terms)))
            gap += float(np.sum(_charges(table, log_q, off)))
        uniform = sum(table.uniform for table in tables)
    return Values(-total / S, gap * (1.0 + 1e-9) / S, size / S, max(-total, 1e-6 * uniform) / S)


def _tables(problem: JointLikelihood, counts: Counts, found: Frequencies, weights: Weights) -> list[Table]:
    layout, a = problem.data.layout, problem.smoothing
    totals, labels = counts.labels + a * layout.n_attributes, layout.state_labels
    base, added = found.base[labels], np.abs(found.to_label)
    uniform = float(np.sum(totals)) * math.log(layout.n_attributes)
    tables = [
        Table(counts.states + a, totals[labels], found.states, weights.states, base, np.abs(base), uniform),
        _rows(counts.transitions + a, found.transitions, weights.transitions, found.from_all - found.to_label,
              added + abs(found.from_all)),
    ]  # fmt: skip
    if layout.has_ends:
        tables.append(_rows(counts.first + a, found.first, weights.first, -found.to_label, added))
    return tables


def _rows(counts: Array, log_f: Array, u: Array, shift: Array, shift_size: Array) -> Table:
    """A table whose entries all have a place in u, row by row."""
    rows = np.sum(counts, axis=-1, keepdims=True)
    like = np.zeros_like(counts)
    uniform = float(np.sum(rows)) * math.log(counts.shape[-1])
    return Table(counts, rows + like, log_f, u, shift + like, shift_size + like, uniform)


def _charges(table: Table, log_q: Array, off: Array) -> Array:
    """n f (e^-d - 1 + d) of each entry, d = log(f / q) up to `off`, from above; n q where f is zero."""
    d = table.log_f - log_q
    high = np.abs(d) + off
    near = 0.5 * high * high * np.exp(high)
    far = (np.expm1(-d) + d) * (1.0 + 64.0 * UNIT) + off * (1.0 + np.exp(off - d))
    charged = table.counts * np.where(high < NEAR, near, far)
    return np.where(table.counts > 0.0, charged, table.rows * np.exp(log_q) * (1.0 + 1e-9))


def counted_frequencies(problem: JointLikelihood, point: ChainPoint) -> CountedFrequencies:
    """The certificate of some weights."""
    found = values_at(problem, point)
    gap = ROOM * found.gap if math.isfinite(found.gap) else math.inf
    return CountedFrequencies(found.objective, gap, found.scale, float(problem.smoothing), digest(point))
